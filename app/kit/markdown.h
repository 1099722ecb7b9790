// A Markdown text in a panel, in the window's fonts and colours.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "app/panel.h"

namespace tilescope::widgets {

struct MarkdownEvents {
  std::function<void(const std::string& href)> clicked;
  std::string scroll_to;  // anchor of a heading
};
/// True if `scroll_to` was found and is in view now.
bool markdown(const AppContext& context, std::string_view text, const MarkdownEvents& events);

}  // namespace tilescope::widgets

// What languages are written with: in the window's folder from the beginning; a page fetches it
// when a language is chosen that needs it.
#pragma once
#include <functional>
#include <string_view>

#include "app/panel.h"

namespace tilescope {

/// Calls `use` once this language can be drawn: at once, or when its glyphs have come and are part
/// of `fonts`, which must live until then. Not at all if another one is asked for before.
void when_drawable(const Fonts& fonts, std::string_view language, const std::function<void()>& use);

}  // namespace tilescope

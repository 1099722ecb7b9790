// Text as HTML.
#pragma once
#include <string>
#include <string_view>

namespace tilescope {

/// With &, <, > and quotes as HTML has them.
std::string html_text(std::string_view text);

/// Markdown as in docs/add_a_lesson.md; HTML in it is text. Nothing but html_text() in paragraphs
/// where the program is built without the library.
std::string html_of_markdown(std::string_view markdown);

}  // namespace tilescope

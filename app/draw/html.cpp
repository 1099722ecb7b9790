#include "app/draw/html.h"

#include <algorithm>

#ifdef TILESCOPE_MD4C
#include <md4c-html.h>
#endif

namespace tilescope {

std::string html_text(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string html_of_markdown(std::string_view markdown) {
  std::string html;
#ifdef TILESCOPE_MD4C
  const auto take = [](const MD_CHAR* part, MD_SIZE size, void* to) {
    static_cast<std::string*>(to)->append(part, size);
  };
  const int failed = md_html(markdown.data(), static_cast<MD_SIZE>(markdown.size()), take, &html,
                             MD_FLAG_TABLES | MD_FLAG_NOHTML, 0);
  if (failed == 0) return html;
  html.clear();
#endif
  for (size_t at = 0; at < markdown.size();) {
    const size_t end = std::min(markdown.find("\n\n", at), markdown.size());
    html += "<p>" + html_text(markdown.substr(at, end - at)) + "</p>\n";
    at = std::min(end + 2, markdown.size());
  }
  return html;
}

}  // namespace tilescope

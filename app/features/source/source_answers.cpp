#include "app/features/source/source_answers.h"

#include <algorithm>
#include <charconv>

#include "app/state/match.h"
#include "app/state/private_copy.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

constexpr size_t kMostLines = 6;
constexpr size_t kFewestOfLine = 3;

std::string_view without_blanks(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

/// Of "line 120" and ":120"; 0: no line is named by its number.
int line_asked(std::string_view typed) {
  const std::vector<std::string> words = words_in(typed);
  const bool colon = typed.starts_with(':') && words.size() == 1;
  if (!colon && !(words.size() == 2 && words[0] == "line")) return 0;
  int line = 0;
  const std::string& last = words.back();
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), line);
  return error == std::errc() && end == last.data() + last.size() && line > 0 ? line : 0;
}

Answer to_line(int line, std::string_view text, std::string title, int score) {
  return {.title = std::move(title),
          .effect = wording("Source, line {}{}{}", line, text.empty() ? "" : ": ", text),
          .score = score,
          .run =
              [line](AppState& s) {
                const CodeLink link = s.code_link;
                const uint64_t serial = s.code_link_serial;
                const std::string row = s.access_row;
                link_code(s, CodeText::kernel, line);
                s.of<SourceAsked>() = {CodeText::kernel, line};
                can_take_back(s, [link, serial, row](AppState& then) {
                  then.code_link = link, then.code_link_serial = serial, then.access_row = row;
                });
              },
          .panel = "source"};
}

}  // namespace

std::vector<Answer> source_answers(const AppState& state, std::string_view typed) {
  std::vector<Answer> answers;
  const int asked = line_asked(typed);
  const std::string wanted = model::lower_case(without_blanks(typed));
  if (asked == 0 && wanted.size() < kFewestOfLine) return answers;
  const std::string whole = saved_text(state);
  int line = 0;
  for (std::string_view left = whole; !left.empty() && answers.size() < kMostLines;) {
    const size_t end = std::min(left.find('\n'), left.size());
    const std::string_view text = without_blanks(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    ++line;
    if (line == asked) answers.push_back(to_line(line, text, wording("line {}", line), kExact));
    if (asked > 0) continue;
    const std::string small = model::lower_case(text);
    if (small.find(wanted) == std::string::npos) continue;
    // Names come first: most words of a kernel stand in many of its lines.
    answers.push_back(
        to_line(line, "", std::string(text), small == wanted ? kExact : kInside - line % 400));
  }
  if (asked > line) {
    answers.push_back({.title = wording("line {}", asked),
                       .effect = line == 0 ? "there is no text in Source"
                                           : wording("the text in Source has {} lines", line),
                       .score = kExact});
  }
  return answers;
}

}  // namespace tilescope

#include "worker/engine/compile/include_names.h"

#include <algorithm>
#include <initializer_list>

#include "worker/engine/compile/include_limits.h"

namespace tilescope::worker {
namespace {

/// What stands between the words of a directive, and a name, has no more bytes than this, or counts
/// as computed: so that a text of any kind is looked through in a time that grows with its length.
constexpr size_t kLongestGap = 4096;
constexpr const char* kTooFar = "# and a long comment";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

/// A line that ends in \ goes on in the next one, before a compiler looks for anything else.
std::string joined_lines(std::string_view text) {
  std::string joined;
  joined.reserve(text.size());
  size_t done = 0;
  for (size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at + 1)) {
    size_t end = at + 1;
    if (end < text.size() && text[end] == '\r') ++end;
    if (end >= text.size() || text[end] != '\n') continue;
    joined.append(text, done, at - done);
    done = end + 1;
  }
  return joined.append(text, done);
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<NamedInclude> all() {
    find_directives();
    find_questions();
    std::ranges::stable_sort(found_, {}, &Found::at);
    std::vector<NamedInclude> names;
    names.reserve(found_.size());
    for (Found& one : found_) names.push_back(std::move(one.include));
    return names;
  }

 private:
  struct Found {
    size_t at = 0;
    NamedInclude include;
  };

  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view word_at(size_t i) const {
    size_t end = i;
    while (is_of_word(at(end))) ++end;
    return text_.substr(std::min(i, text_.size()), end - i);
  }

  /// Behind blanks and comments; with `lines`, also behind ends of lines and comments up to them.
  /// npos: they are too long.
  size_t skip(size_t i, bool lines) const {
    const size_t end = std::min(i + kLongestGap, text_.size());
    const std::string_view part = text_.substr(0, end);
    while (i < end) {
      const std::string_view two = part.substr(i, 2);
      if (is_blank(part[i]) || (lines && part[i] == '\n')) {
        ++i;
      } else if (two == "/*") {
        const size_t behind = part.find("*/", i + 2);
        if (behind == part.npos) return behind;
        i = behind + 2;
      } else if (lines && two == "//") {
        i = std::min(part.find('\n', i), end);
      } else {
        return i;
      }
    }
    return end < text_.size() ? text_.npos : end;
  }

  size_t blanks_before(size_t i) const {
    while (i > 0 && is_blank(text_[i - 1])) --i;
    return i;
  }

  /// Nothing but blanks and comments may stand before a directive. Where such a comment begins is
  /// not looked for.
  bool begins_line(size_t i) const {
    i = blanks_before(i);
    return i == 0 || text_[i - 1] == '\n' || (i >= 2 && text_.substr(i - 2, 2) == "*/");
  }

  void add(size_t where, NamedInclude::Form form, std::string_view name) {
    found_.push_back({where, {form, std::string(name)}});
  }

  /// The name that begins at `i`; else the words up to one of `ends`, if there are any.
  void take_operand(size_t i, size_t where, std::string_view ends) {
    if (i == text_.npos) return add(where, NamedInclude::Form::computed, kTooFar);
    const std::string_view rest = text_.substr(std::min(i, text_.size()), kLongestGap);
    const char open = at(i);
    if (open == '"' || open == '<') {
      const size_t close = rest.find_first_of(open == '"' ? "\"\n" : ">\n", 1);
      if (close != rest.npos && rest[close] != '\n') {
        return add(where, open == '"' ? NamedInclude::Form::quoted : NamedInclude::Form::angled,
                   rest.substr(1, close - 1));
      }
    }
    std::string_view words = rest.substr(0, rest.find_first_of(ends));
    while (!words.empty() && is_blank(words.back())) words.remove_suffix(1);
    if (!words.empty()) add(where, NamedInclude::Form::computed, words);
  }

  // Whatever is found, the search goes on right behind the word: what looks like a name may be part
  // of a comment in which a directive only seems to begin, and may hide one that does.
  void find_directives() {
    for (size_t i = text_.find_first_of("#%"); i != text_.npos; i = text_.find_first_of("#%", i)) {
      const size_t begin = i++;
      if (text_[begin] == '%') {
        if (at(i) != ':') continue;
        ++i;
      }
      if (!begins_line(begin)) continue;
      const size_t word = skip(i, false);
      const std::string_view name = word == text_.npos ? "" : word_at(word);
      if (name.starts_with("include") || name == "import" || name == "embed") {
        take_operand(skip(word + name.size(), false), begin, "\n");
      } else if (word == text_.npos) {
        // It might be any directive.
        add(begin, NamedInclude::Form::computed, kTooFar);
      }
      if (found_.size() > kMostIncludes) return;
    }
  }

  /// `#ifdef X` and `defined(X)` ask for the word alone.
  bool asks_for_word(size_t i) const {
    i = blanks_before(i);
    if (i > 0 && text_[i - 1] == '(') i = blanks_before(i - 1);
    size_t begin = i;
    while (begin > 0 && is_of_word(text_[begin - 1])) --begin;
    const std::string_view word = text_.substr(begin, i - begin);
    if (word == "defined") return true;
    if (word != "ifdef" && word != "ifndef") return false;
    // Any other word may be the name of a macro; these are none behind a # alone.
    begin = blanks_before(begin);
    return begin > 0 &&
           (text_[begin - 1] == '#' || (begin >= 2 && text_.substr(begin - 2, 2) == "%:"));
  }

  void find_questions() {
    for (const std::string_view word : {"__has_include", "__has_embed"}) {
      for (size_t i = text_.find(word); i != text_.npos; i = text_.find(word, i)) {
        const size_t begin = i;
        i += word.size();
        if (begin > 0 && is_of_word(text_[begin - 1])) continue;
        const std::string_view rest = word_at(i);
        if (!rest.empty() && rest != "_next") continue;
        const size_t open = skip(i + rest.size(), true);
        if (open == text_.npos) {
          add(begin, NamedInclude::Form::computed, kTooFar);
        } else if (at(open) == '(') {
          take_operand(skip(open + 1, true), begin, ")\n");
        } else if (!asks_for_word(begin)) {
          // By another name a macro could ask for anything.
          add(begin, NamedInclude::Form::computed, word);
        }
        if (found_.size() > 2 * kMostIncludes) return;
      }
    }
  }

  const std::string_view text_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<NamedInclude> include_names(std::string_view text) {
  if (text.find('\\') == text.npos) return Scanner(text).all();
  const std::string joined = joined_lines(text);
  return Scanner(joined).all();
}

}  // namespace tilescope::worker

#include "app/state/match.h"

#include <algorithm>

namespace tilescope {
namespace {

bool is_figure(char c) { return c >= '0' && c <= '9'; }
/// Letters beyond ASCII count as letters: a name in Chinese is found by its characters.
bool is_letter(char c) {
  return is_figure(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The sign of extents, "×": the same as an x.
bool times_at(std::string_view text, size_t at) { return text.substr(at, 2) == "\xc3\x97"; }

int score_of_word(std::string_view word, std::string_view other) {
  const size_t at = other.find(word);
  if (at == std::string_view::npos) return 0;
  return at != 0 ? kInside : other.size() == word.size() ? kWholeWord : kWordStart;
}

/// Of the words that are left, in which `word` is found best; the match is taken out of them.
int take_best(std::string_view word, std::vector<std::string_view>* left) {
  int best = 0;
  size_t where = 0;
  for (size_t i = 0; i < left->size(); ++i) {
    if (const int score = score_of_word(word, (*left)[i]); score > best) best = score, where = i;
  }
  if (best > 0) (*left)[where] = {};
  return best;
}

int score_of_letters(std::string_view typed, std::string_view text) {
  size_t next = 0;
  int jumps = 0;
  bool adjacent = true;
  for (const char c : text) {
    while (next < typed.size() && typed[next] == ' ') ++next;
    if (next < typed.size() && small(c) == small(typed[next])) {
      if (!adjacent) ++jumps;
      adjacent = true;
      ++next;
    } else {
      adjacent = false;
    }
  }
  while (next < typed.size() && typed[next] == ' ') ++next;
  return next == typed.size() ? std::max(kScattered - jumps, 1) : 0;
}

}  // namespace

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool figure_next = i + 1 < text.size() && is_figure(text[i + 1]);
    const bool point =
        text[i] == '.' && figure_next && !words.back().empty() && is_figure(words.back().back());
    const bool minus = text[i] == '-' && figure_next && words.back().empty();
    if (times_at(text, i)) {
      ++i;
      words.back() += 'x';
    } else if (is_letter(text[i]) || point || minus) {
      words.back() += small(text[i]);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

int match_score(std::string_view typed, std::string_view text) {
  const std::vector<std::string> asked = words_in(typed);
  if (asked.empty()) return typed.find_first_not_of(' ') == std::string_view::npos ? 1 : 0;
  const std::vector<std::string> words = words_in(text);
  if (asked == words) return kExact;
  std::vector<std::string_view> left(words.begin(), words.end());
  int sum = 0;
  for (const std::string& word : asked) {
    const int score = take_best(word, &left);
    if (score == 0) return score_of_letters(typed, text);
    sum += score;
  }
  // Of two that match alike, the one that is little else.
  const int more = static_cast<int>(std::max(words.size(), asked.size()) - asked.size());
  return std::max(sum / static_cast<int>(asked.size()) - std::min(more, 90), kScattered + 1);
}

}  // namespace tilescope

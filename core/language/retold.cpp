#include "core/language/retold.h"

#include <fmt/args.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/language/language.h"
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr int kDeepest = 8;          // sentences inside of sentences
constexpr size_t kMostKept = 4'000;  // of those retold, until all are forgotten

/// A stop belongs to no form: a sentence that follows others, or stands inside of one, has none.
bool take_stop(std::string_view& text) {
  if (!text.ends_with('.') || text.ends_with("..")) return false;
  text.remove_suffix(1);
  return true;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A message cut at its values, of which one stands between each two pieces.
struct Form {
  std::string_view english;
  std::vector<std::string_view> pieces = {};
  size_t letters = 0;     // of all pieces
  bool has_word = false;  // else it is one of marks: "{}; {}"
};

Form form_of(const char* english) {
  Form form{.english = english};
  std::string_view rest = form.english;
  take_stop(rest);
  for (size_t hole = rest.find("{}"); hole != rest.npos; hole = rest.find("{}")) {
    form.pieces.push_back(rest.substr(0, hole));
    rest.remove_prefix(hole + 2);
  }
  form.pieces.push_back(rest);
  for (const std::string_view piece : form.pieces) {
    form.letters += piece.size();
    form.has_word = form.has_word || std::ranges::any_of(piece, is_letter);
  }
  return form;
}

/// Those that say most come first: what fits one of them fits many that say less.
struct Forms {
  std::vector<Form> sentences, all;

  Forms() {
    for (const ToldList& list : {told_by_emulator(), told_by_origins(), told_by_worker(),
                                 told_by_card(), told_by_files(), told_by_sheets()}) {
      for (const Told& told : list.sentences) sentences.push_back(form_of(told.english));
      for (const Told& told : list.parts) all.push_back(form_of(told.english));
    }
    all.insert(all.end(), sentences.begin(), sentences.end());
    const auto more = [](const Form& a, const Form& b) { return a.letters > b.letters; };
    std::stable_sort(sentences.begin(), sentences.end(), more);
    std::stable_sort(all.begin(), all.end(), more);
  }
};
const Forms& forms() {
  static const Forms known;
  return known;
}

/// Each piece is taken where it comes first, but for the last, which ends the text.
bool fits(const Form& form, std::string_view text, std::vector<std::string_view>& values) {
  const std::vector<std::string_view>& pieces = form.pieces;
  values.clear();
  if (pieces.size() == 1) return text == pieces.front();
  if (text.size() < form.letters || !text.starts_with(pieces.front()) ||
      !text.ends_with(pieces.back())) {
    return false;
  }
  const std::string_view inside = text.substr(0, text.size() - pieces.back().size());
  size_t at = pieces.front().size();
  for (size_t i = 1; i + 1 < pieces.size(); ++i) {
    const size_t found = inside.find(pieces[i], at);
    if (found == inside.npos) return false;
    values.push_back(inside.substr(at, found - at));
    at = found + pieces[i].size();
  }
  if (at > inside.size()) return false;
  values.push_back(inside.substr(at));
  return true;
}

/// How a sentence ends in the chosen language.
std::string_view stop_of_language() {
  const std::string_view said = translated("Cancelled.");
  size_t begin = said.size();
  while (begin > 0 && (static_cast<unsigned char>(said[begin - 1]) & 0xC0) == 0x80) --begin;
  return said.substr(begin > 0 ? begin - 1 : 0);
}

std::optional<std::string> retold_by(const std::vector<Form>& all, std::string_view text,
                                     int depth) {
  std::string_view body = text;
  const bool has_stop = take_stop(body);
  std::vector<std::string_view> values;
  for (const Form& form : all) {
    if (!fits(form, body, values)) continue;
    std::string_view message = translated(form.english);
    if (message == form.english) continue;  // the language lacks it
    if (form.english.ends_with('.') && message.ends_with(stop_of_language())) {
      message.remove_suffix(stop_of_language().size());
    }
    fmt::dynamic_format_arg_store<fmt::format_context> words;
    bool says_more = form.has_word;
    for (const std::string_view value : values) {
      std::optional<std::string> word;
      if (depth < kDeepest && !value.empty()) word = retold_by(forms().all, value, depth + 1);
      says_more = says_more || word;
      words.push_back(word ? *word : std::string(value));
    }
    if (!says_more) continue;
    try {
      std::string said = fmt::vformat(fmt::string_view(message.data(), message.size()), words);
      if (has_stop) said += stop_of_language();
      return said;
    } catch (const fmt::format_error&) {  // a file's mistake costs this translation alone
    }
  }
  return std::nullopt;
}

}  // namespace

std::string retold(std::string_view english) {
  if (language_detail::says_as_is()) return std::string(english);
  const std::string_view message = translated(english);
  if (message != english || english.find(' ') == english.npos) return std::string(message);
  // What is drawn anew in each frame is the same as a rule.
  static std::mutex mutex;
  static std::map<std::string, std::string, std::less<>> known;
  static uint64_t known_of = 0;
  const std::lock_guard lock(mutex);
  if (known_of != language_changes() || known.size() > kMostKept) {
    known.clear();
    known_of = language_changes();
  }
  const auto found = known.find(english);
  if (found != known.end()) return found->second;
  std::string said = retold_by(forms().sentences, english, 0).value_or(std::string(english));
  return known.emplace(std::string(english), std::move(said)).first->second;
}

}  // namespace tilescope

#include "core/language/retold.h"

#include <fmt/args.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/language/language.h"
#include "core/language/told.h"

namespace tilescope {
namespace {

constexpr int kDeepest = 8;             // sentences inside of sentences
constexpr size_t kLongest = 8'000;      // bytes; what is longer is a log, and stays
constexpr size_t kMostKept = 1u << 21;  // bytes of those retold, until all are forgotten

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
                                 told_by_card(), told_by_files(), told_by_sheets(), told_by_ptx(),
                                 told_by_tensor_maps(), told_by_steps(), told_by_probes()}) {
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
  const std::string_view stop = stop_of_language();  // once: another may be chosen meanwhile
  std::vector<std::string_view> values;
  for (const Form& form : all) {
    if (!fits(form, body, values)) continue;
    std::string_view message = translated(form.english);
    if (message == form.english) continue;  // the language lacks it
    if (form.english.ends_with('.') && message.ends_with(stop)) {
      message.remove_suffix(stop.size());
    }
    fmt::dynamic_format_arg_store<fmt::format_context> words;
    bool says_more = form.has_word;
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string_view value = values[i];
      // In quotation marks are somebody's own words: a log's, a program's.
      const bool quoted = form.pieces[i].ends_with('"') && form.pieces[i + 1].starts_with('"');
      std::optional<std::string> word;
      if (depth < kDeepest && !value.empty() && !quoted) {
        word = retold_by(forms().all, value, depth + 1);
      }
      says_more = says_more || word;
      words.push_back(word ? *word : std::string(value));
    }
    if (!says_more) continue;
    try {
      std::string said = fmt::vformat(fmt::string_view(message.data(), message.size()), words);
      if (has_stop) said += stop;
      return said;
    } catch (const fmt::format_error&) {  // a file's mistake costs this translation alone
    }
  }
  return std::nullopt;
}

struct RetoldHash : std::hash<std::string_view> {
  using is_transparent = void;
};

/// What is drawn anew in each frame is the same as a rule.
class KeptTexts {
 public:
  /// What was kept of it for this count of language_changes(); empty: it stays as it is. None: it
  /// is not known.
  std::optional<std::string> find(std::string_view english, uint64_t changes) {
    const std::lock_guard lock(mutex_);
    if (changes_ != changes) forget(changes);
    const auto found = texts_.find(english);
    if (found == texts_.end()) return std::nullopt;
    return found->second;
  }
  void keep(std::string_view english, const std::string& said, uint64_t changes) {
    const std::lock_guard lock(mutex_);
    if (changes_ != changes) return;  // of a language that is not spoken any more
    bytes_ += english.size() + said.size();
    if (bytes_ > kMostKept) forget(changes);
    texts_.emplace(std::string(english), said);
  }

 private:
  void forget(uint64_t changes) {
    texts_.clear();
    bytes_ = 0;
    changes_ = changes;
  }
  std::mutex mutex_;
  std::unordered_map<std::string, std::string, RetoldHash, std::equal_to<>> texts_;
  size_t bytes_ = 0;
  uint64_t changes_ = 0;
};

}  // namespace

std::string_view retold(std::string_view english, std::string& room) {
  if (language_detail::says_as_is()) return english;
  const std::string_view message = translated(english);
  if (message != english || english.find(' ') == english.npos) return message;
  if (english.size() > kLongest) return english;
  static KeptTexts kept;
  const uint64_t changes = language_changes();
  std::optional<std::string> said = kept.find(english, changes);
  if (!said) {
    // Nobody waits for it: another thread's text may be a long one.
    said = retold_by(forms().sentences, english, 0).value_or("");
    kept.keep(english, *said, changes);
  }
  if (said->empty()) return english;
  room = std::move(*said);
  return room;
}

std::string retold(std::string_view english) {
  std::string room;
  return std::string(retold(english, room));
}

}  // namespace tilescope

#include "app/features/tile/tile_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/features/tile/edit_settings.h"
#include "app/state/edit.h"
#include "app/state/match.h"
#include "app/state/presets.h"
#include "core/language/language.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

constexpr size_t kMostTileAnswers =
    12;  // answers; what each would do takes half a millisecond to model

/// An answer whose effect is not known yet: that takes time, and few of them are shown.
struct Candidate {
  std::string title;
  int score = 0;
  Edit next;
  std::string before, after;
  std::string refused = {};  // why it cannot be done
};

/// What is typed as a name and numbers behind it: "block 128x256" → block; 128, 256.
struct Typed {
  std::string name;                  // its words, with blanks between
  std::vector<std::string> numbers;  // in the order typed
  std::string last;                  // the last word, where it is no number
};

/// "4096^3" and "4096³" are three of a number.
std::string without_powers(std::string_view text) {
  std::string out;
  size_t number = 0;  // where the number before begins
  for (size_t i = 0; i < text.size(); ++i) {
    const bool caret = text.substr(i, 2) == "^3", sign = text.substr(i, 2) == "\xc2\xb3";
    if (caret || sign) {
      const std::string one = out.substr(number);
      out += "x" + one + "x" + one;
      ++i;
      continue;
    }
    out += text[i];
    if (text[i] == ' ' || text[i] == '=' || text[i] == ':') number = out.size();
  }
  return out;
}

Typed split(std::string_view text) {
  Typed typed;
  std::vector<std::string> words = words_in(without_powers(text));
  // "4 stages" as well as "stages 4".
  const auto is_number = [](const std::string& word) { return !numbers_in(word).empty(); };
  if (words.size() > 1 && !is_number(words.back())) {
    std::rotate(words.begin(), std::find_if_not(words.begin(), words.end(), is_number),
                words.end());
  }
  if (!words.empty() && !is_number(words.back())) typed.last = words.back();
  size_t first = words.size();
  while (first > 0 && !numbers_in(words[first - 1]).empty()) --first;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i < first) {
      typed.name += (typed.name.empty() ? "" : " ") + words[i];
    } else {
      for (std::string& number : numbers_in(words[i])) typed.numbers.push_back(std::move(number));
    }
  }
  return typed;
}

/// Whole words and beginnings alone: a setting is not guessed from letters.
int name_score(const std::string& name, const Setting& setting) {
  const int score = match_score(name, setting.title + " " + setting.also);
  return score > kInside ? score : 0;
}

Candidate candidate_of(const AppState& state, const Setting& setting, const std::string& value,
                       int score) {
  Candidate c{.title = setting.title + " " + value, .score = score, .next = state.edit};
  c.refused = setting.put(c.next, value);
  c.before = setting.now, c.after = value;
  return c;
}

/// By the names of values, or all the values of what is named: "swizzle", "TN", "stages".
void add_values(const AppState& state, const std::vector<Setting>& settings, std::string_view typed,
                const Typed& parts, std::vector<Candidate>* to) {
  const bool number = !parts.numbers.empty();
  for (const Setting& setting : settings) {
    const int named = number ? 0 : name_score(parts.name, setting);
    for (size_t i = 0; i < setting.values.size(); ++i) {
      const std::string& value = setting.values[i];
      int score = named > 0 ? named - 20 - static_cast<int>(i) : 0;
      if (setting.named) {
        std::string names = setting.title + " " + setting.also + " " + value;
        if (i < 2) names += i == 0 ? " off" : " on";
        const int whole = match_score(typed, names);
        // That it is on or off is said of something: the word alone says nothing.
        const bool bare = typed == "on" || typed == "off";
        if (whole > kInside && !bare) score = std::max(score, whole);
      }
      if (score > 0) to->push_back(candidate_of(state, setting, value, score));
    }
    if (named > 0 && setting.values.empty()) {
      Candidate c{.title = setting.title + " " + setting.now, .score = named, .next = state.edit};
      c.refused =
          wording("{0} now; a number behind it sets it: {1} 2048", setting.now, setting.title);
      if (setting.group.empty()) {
        c.refused =
            wording("{} now; a number behind it sets it: {} 0.5", setting.now, setting.title);
      }
      to->push_back(std::move(c));
    }
  }
}

/// "stages 4": one number.
void add_number(const AppState& state, const std::vector<Setting>& settings, const Typed& parts,
                std::vector<Candidate>* to) {
  if (parts.numbers.size() != 1 || parts.name.empty()) return;
  for (const Setting& setting : settings) {
    const int score = name_score(parts.name, setting);
    if (score > 0) to->push_back(candidate_of(state, setting, parts.numbers[0], score));
  }
}

/// "block 128x256", "4096x4096x4096", "size 4096": what is set together, from its first on.
void add_group(const AppState& state, const std::vector<Setting>& settings, const Typed& parts,
               std::vector<Candidate>* to) {
  std::vector<std::string> groups;
  for (const Setting& s : settings) {
    if (!s.group.empty() && std::ranges::find(groups, s.group) == groups.end()) {
      groups.push_back(s.group);
    }
  }
  for (const std::string& group : groups) {
    std::vector<const Setting*> members;
    for (const Setting& s : settings) {
      if (s.group == group) members.push_back(&s);
    }
    const bool problem = members[0]->values.empty();
    std::vector<std::string> numbers = parts.numbers;
    // Of a problem, one number is of a cube.
    if (problem && numbers.size() == 1) numbers.assign(members.size(), numbers[0]);
    if (numbers.size() < 2) continue;
    const int score = !parts.name.empty()                           ? match_score(parts.name, group)
                      : problem && numbers.size() == members.size() ? kWholeWord
                                                                    : 0;
    if (score <= kInside) continue;
    Candidate c{.title = group + " ", .score = score, .next = state.edit};
    if (numbers.size() > members.size()) {
      c.refused =
          wording("{} has {} extents, and {} were given", group, members.size(), numbers.size());
    }
    for (size_t i = 0; i < numbers.size(); ++i) {
      const char* times = i == 0 ? "" : "×";
      c.title += times + numbers[i];
      if (i >= members.size()) continue;
      c.before += times + members[i]->now;
      c.after += times + numbers[i];
      const std::string why = members[i]->put(c.next, numbers[i]);
      if (c.refused.empty()) c.refused = why;
    }
    to->push_back(std::move(c));
  }
}

/// A field that other rungs have.
void add_lacking(const AppState& state, const std::vector<Setting>& settings, const Typed& parts,
                 std::vector<Candidate>* to) {
  const std::string& name = parts.name;
  if (name.empty() || (parts.numbers.empty() && parts.last.empty())) return;
  for (const TileField& field : kTileFields) {
    const bool here =
        std::ranges::any_of(settings, [&](const Setting& s) { return s.also == field.name; });
    const std::string first = name.substr(0, name.find(' '));
    const int score = std::max(match_score(name, std::string(field.label) + " " + field.name),
                               field.names[0] ? match_score(first, field.label) : 0);
    if (here || score < kWholeWord - 90) continue;
    std::string rungs;
    for (const KernelEntry& entry : kernel_table()) {
      if (!entry.sliders.find(field.id)) continue;
      rungs += fmt::format("{}{:02}", rungs.empty() ? "" : ", ", entry.info.number);
    }
    const std::string who =
        state.edit.own() ? name_of(*state.edit.own()) : state.edit.rung().kernel;
    to->push_back({.title = field.label,
                   .score = score,
                   .next = state.edit,
                   .before = {},
                   .after = {},
                   .refused = wording("{} has none; rungs {} have", who, rungs)});
  }
}

void add_presets(const AppState& state, std::string_view typed, std::vector<Candidate>* to) {
  for (const Preset& preset : presets()) {
    const std::string& kernel = preset.edit.rung().kernel;
    const std::string all = preset.name + " preset " + preset.source + " " + kernel;
    const int score = std::max(match_score(typed, preset.name), match_score(typed, all));
    if (score <= kScattered) continue;
    Candidate c{.title = preset.name, .score = score, .next = state.edit};
    c.next = preset.edit;
    c.before = fmt::format("{} {}", state.edit.rung().kernel, tile_label(state.edit));
    c.after = fmt::format("{} {}", kernel, tile_label(preset.edit));
    to->push_back(std::move(c));
  }
}

Answer answer_of(const AppState& state, const Candidate& c) {
  Answer answer{.title = c.title, .effect = c.refused, .score = c.score};
  if (!c.refused.empty()) return answer;
  answer.effect = effect_of(state, c.next, c.before, c.after);
  answer.run = [next = c.next](AppState& s) { set_edit(s, next); };
  return answer;
}

std::vector<Candidate> candidates_of(const AppState& state, std::string_view typed) {
  const std::vector<Setting> settings = settings_of(state);
  const Typed parts = split(typed);
  std::vector<Candidate> all;
  add_number(state, settings, parts, &all);
  add_group(state, settings, parts, &all);
  add_values(state, settings, typed, parts, &all);
  add_lacking(state, settings, parts, &all);
  add_presets(state, typed, &all);
  std::ranges::stable_sort(all, std::greater{}, &Candidate::score);
  if (all.size() > kMostTileAnswers) all.resize(kMostTileAnswers);
  return all;
}

/// "stages 4, swizzle off": one step of undo.
std::vector<Candidate> several(const AppState& state, std::string_view typed) {
  AppState so_far;  // of it the edit, the kernel and what both are judged by are read
  so_far.edit = state.edit, so_far.derived = state.derived, so_far.limits = state.limits;
  so_far.gpu = state.gpu, so_far.view = state.view;
  Candidate whole{.title = {}, .score = kWholeWord, .next = state.edit};
  while (true) {
    const size_t comma = typed.find(',');
    const std::vector<Candidate> found = candidates_of(so_far, typed.substr(0, comma));
    if (found.empty()) return {};
    const Candidate& best = found.front();
    const char* glue = whole.title.empty() ? "" : ", ";
    whole.title += glue + best.title;
    whole.before += glue + best.before, whole.after += glue + best.after;
    if (whole.refused.empty()) whole.refused = best.refused;
    whole.score = std::min(whole.score, best.score);
    so_far.edit = whole.next = best.next;
    derive(so_far);
    if (comma == std::string_view::npos) return {whole};
    typed.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<Answer> tile_answers(const AppState& state, std::string_view typed) {
  std::vector<Answer> answers;
  for (const Candidate& c : candidates_of(state, typed)) answers.push_back(answer_of(state, c));
  if (typed.find(',') == std::string_view::npos) return answers;
  for (const Candidate& c : several(state, typed)) answers.push_back(answer_of(state, c));
  return answers;
}

}  // namespace tilescope

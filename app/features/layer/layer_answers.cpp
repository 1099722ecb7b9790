#include "app/features/layer/layer_answers.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_presets.h"
#include "app/state/match.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using workload::Layer;

/// What a word and a value behind it set of the layer: "ranks 4", "overlap off", "split row".
struct LayerSetting {
  const char* name;
  std::string (*now)(const Layer&);
  /// False: the value is none of its.
  bool (*set)(Layer&, const std::string& value);
};

template <int Layer::*field>
constexpr LayerSetting number_setting(const char* name) {
  return {name, [](const Layer& l) { return std::to_string(l.*field); },
          [](Layer& l, const std::string& value) {
            const char* end = value.data() + value.size();
            int number = 0;
            const auto [at, error] = std::from_chars(value.data(), end, number);
            if (error != std::errc() || at != end) return false;
            l.*field = number;
            return true;
          }};
}

template <bool Layer::*field>
constexpr LayerSetting switch_setting(const char* name) {
  return {name, [](const Layer& l) { return std::string(l.*field ? "on" : "off"); },
          [](Layer& l, const std::string& value) {
            if (value != "on" && value != "off") return false;
            l.*field = value == "on";
            return true;
          }};
}

constexpr LayerSetting kSettings[] = {
    number_setting<&Layer::ranks>("ranks"),
    number_setting<&Layer::tokens>("tokens"),
    number_setting<&Layer::chunks>("chunks"),
    number_setting<&Layer::in>("features in"),
    number_setting<&Layer::out>("features out"),
    switch_setting<&Layer::gather>("gather"),
    switch_setting<&Layer::overlap>("overlap"),
    {"split", [](const Layer& l) { return std::string(name_of(l.kind)); },
     [](Layer& l, const std::string& value) {
       const auto kind = workload::kind_named(value);
       if (kind) l.kind = *kind, l.gather = l.gather && can_gather(*kind);
       return kind.has_value();
     }},
};

/// Nothing: it is no setting of a layer.
std::optional<Answer> setting_answer(const Layer& now, std::string_view typed) {
  const std::vector<std::string> words = words_in(typed);
  for (const LayerSetting& setting : kSettings) {
    std::vector<std::string> name = words_in(setting.name);
    if (words.size() != name.size() + 1 || !std::equal(name.begin(), name.end(), words.begin())) {
      continue;
    }
    Layer next = now;
    if (!setting.set(next, words.back())) return {};
    const std::string why = why_not(next);
    Answer answer{.title = std::string(setting.name) + " " + words.back(),
                  .effect = why.empty()
                                ? wording("Workload: {} → {}", setting.now(now), setting.now(next))
                                : why,
                  .score = kExact,
                  .panel = "workload"};
    if (why.empty()) answer.run = [next](AppState& s) { set_layer(s, next); };
    return answer;
  }
  return {};
}

}  // namespace

std::vector<Answer> layer_answers(const AppState& state, std::string_view typed) {
  std::vector<Answer> answers;
  if (auto setting = setting_answer(chosen_layer(state), typed)) {
    answers.push_back(std::move(*setting));
  }
  for (const LayerPreset& preset : layer_presets()) {
    const int score = match_score(typed, std::string(preset.name) + " layer preset workload");
    if (score <= kScattered) continue;
    const LayerPreset* now = preset_of(chosen_layer(state));
    const bool same = now == &preset;
    answers.push_back(
        {.title = preset.name,
         .effect = same  ? wording("Workload: {}; chosen now", preset.source)
                   : now ? wording("Workload: {}; now {}", preset.source, now->name)
                         : wording("Workload: {}", preset.source),
         .score = score,
         .run = [&preset](AppState& s) { set_layer(s, with_preset(chosen_layer(s), preset)); },
         .panel = "workload"});
  }
  return answers;
}

}  // namespace tilescope

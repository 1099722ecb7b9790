#include "app/features/second_opinion/panels/opinion_widgets.h"

#include <fmt/format.h>

#include "app/features/second_opinion/opinion.h"
#include "app/kit/widgets.h"
#include "app/state/card_counters.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

constexpr const char* kName = "nvMatmulHeuristics";
constexpr const char* kWhatItIs =
    "NVIDIA's own predictions, not made by our model. They follow from block tile, raster, splits "
    "and card, not from stages or warp tiles. How far both are from measured ones: "
    "docs/performance.md, \"The time model\".";

/// "measured 290 µs; 68 MB from DRAM", as far as there is something.
std::string measured_text(const AppState& state) {
  std::string text;
  const Results& r = present_results(state);
  if (r.measured && r.measured->time_us) {
    const bool recorded = r.measured->standing == "recorded";
    const std::string time = model::time_text(*r.measured->time_us);
    text = recorded ? wording("; recorded {} {}", r.measured->date, time)
                    : wording("; measured {}", time);
  }
  if (const worker::CountersResult* counters = counters_of(state)) {
    const auto read = worker::measured_traffic(counters->values).dram_read;
    if (read) text += wording("; counted {} from DRAM", model::bytes_text(*read));
  }
  return text;
}

void this_tile(const AppContext& context, const AppState& state) {
  const worker::SecondOpinion* opinion = opinion_of_tile(state);
  if (!opinion) return elided(context, wording("{}: this tile …", kName), Tone::dim);
  if (!opinion->present) {
    elided(context, fmt::format("{}: {}", kName, retold(opinion->why_not)), Tone::dim);
    return tooltip(context, kWhatItIs);
  }
  const worker::OpinionTile& t = *opinion->present;
  const std::string text =
      wording("{}, {}: ~{}, ~{} from DRAM{}", opinion->library, opinion->gpu,
              model::time_text(t.us), model::bytes_text(t.dram_read), measured_text(state));
  elided(context, text);
  tooltip(context,
          wording("{}\nThe present tile{}: L2 hits {:.0f} %, ~{} from the L2 to the SMs.\n{}", text,
                  opinion->measured ? ", by its measurements of this card" : "",
                  100 * t.l2_hit_rate, model::bytes_text(t.l2_read), kWhatItIs));
}

void best_tile(AppContext& context) {
  AppState& state = *context.state;
  const Suggestions suggestions = suggested_tiles(state);
  if (suggestions.presets.empty()) {
    const std::string why = suggestions.left_out.empty() ? wording("{} suggests no tile.", kName)
                                                         : suggestions.left_out;
    return elided(context, why, Tone::dim);
  }
  const Preset& best = suggestions.presets[0];
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  const std::string label = elide(wording("its best: {}", best.name), room) + "###its_best";
  if (ImGui::SmallButton(label.c_str())) set_tile(state, best.edit.rung().tile);
  tooltip(context, wording("{}\nSets the sliders. {}", best.name, preset_words(best)));
}

}  // namespace

void second_opinion(AppContext& context) {
  AppState& state = *context.state;
  if (!why_no_opinion(state).empty()) return;
  state.of<Opinion>().wanted = true;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  if (const std::string error = opinion_error(state); !error.empty()) {
    elided(context, error, Tone::dim);
  } else {
    this_tile(context, state);
    if (opinion_of_problem(state)) best_tile(context);
  }
  ImGui::PopFont();
}

void suggested_presets(AppContext& context) {
  AppState& state = *context.state;
  ImGui::Separator();
  state.of<Opinion>().wanted = true;
  const auto say = [&](const std::string& text) {
    ImGui::BeginDisabled();
    ImGui::Selectable(elide(text, 420 * context.scale).c_str());
    ImGui::EndDisabled();
    tooltip(context, text);
  };
  const worker::SecondOpinion* opinion = opinion_of_problem(state);
  if (const std::string why = why_no_opinion(state); !opinion && !why.empty()) return say(why);
  if (const std::string error = opinion_error(state); !error.empty()) return say(error);
  if (!opinion) return say(wording("{}: asking …", kName));
  say(wording("By {}, for this problem:", opinion->library));
  const Suggestions suggestions = suggested_tiles(state);
  for (const Preset& preset : suggestions.presets) {
    if (ImGui::Selectable(preset.name.c_str(), preset.edit.rung().tile == state.edit.rung().tile)) {
      set_tile(state, preset.edit.rung().tile);
    }
    tooltip(context, preset_words(preset));
  }
  if (!suggestions.left_out.empty()) say(suggestions.left_out);
}

}  // namespace tilescope::widgets

#include "app/features/layer/panels/layer_run.h"

#include <algorithm>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_view.h"
#include "app/features/layer/panels/layer_parts.h"
#include "app/kit/widgets.h"
#include "app/state/device.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

constexpr int kMostRows = 4;  // of ranks; what there is more of stands in one line

/// A label, and dim words at the right end of its line.
void row(AppContext& context, const std::string& label, const std::string& words, int rank = -1) {
  const float s = context.scale, mark = rank >= 0 ? 22 * s : 0;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight(), whole = ImGui::GetContentRegionAvail().x;
  if (rank >= 0) rank_swatch(context, {at.x, at.y + 2 * s}, {at.x + 15 * s, at.y + line - s}, rank);
  ImGui::SetCursorScreenPos({at.x + mark, at.y});
  const float label_width = ImGui::CalcTextSize(label.c_str()).x + 1;
  elided(context, label, Tone::plain, label_width);
  const float room = whole - mark - label_width - 10 * s;
  const std::string shown = elide(words, std::max(10 * s, room));
  ImGui::SameLine(0, 0);
  ImGui::SetCursorScreenPos({at.x + whole - ImGui::CalcTextSize(shown.c_str()).x, at.y});
  elided(context, shown, Tone::dim);
  if (shown != words) tooltip(context, words);
}

void ranks(AppContext& context, const AppState& state) {
  const LayerPlace place = layer_place(state);
  const int all = chosen_layer(state).ranks;
  const bool emulated = place.devices[0] == kEmulator;
  heading(context, "RANKS",
          all > 1 && place.devices.size() == 1 && !emulated ? "one card for all" : "");
  const int shown = all <= kMostRows + 1 ? all : kMostRows;
  for (int rank = 0; rank < shown; ++rank) {
    row(context, wording("rank {}", rank), rank_place(place, rank), rank);
  }
  if (shown < all) row(context, wording("and {} more", all - shown), rank_place(place, shown));
  const LayerMeasured* measured = layer_measured(state);
  if (measured && !measured->result.collective.empty()) {
    row(context, "between ranks", measured->result.collective);
  }
}

void verdict(AppContext& context, const LayerMeasured& measured) {
  const worker::LayerResult& r = measured.result;
  std::string wrong, each;
  for (const worker::MatrixCheck& check : r.checks) {
    if (!check.verified.ok) wrong += (wrong.empty() ? "" : ", ") + check.name;
    each += wording("\n{}: {}, at most {:.2g} allowed, {} elements", check.name,
                    worker::error_words(check.verified), check.verified.tolerance,
                    model::grouped(static_cast<long long>(check.verified.elements)));
  }
  const worker::Verification* worst = worker::worst_of(r.checks);
  const std::string error = worst ? worker::error_words(*worst) : tr("nothing was compared");
  const float whole = ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX();
  const float right = ImGui::CalcTextSize(error.c_str()).x;
  elided(context, r.ok() ? tr("✓ verified") : wording("✗ WRONG: {}", wrong),
         r.ok() ? Tone::ok : Tone::warning, whole - right - 8 * context.scale);
  ImGui::SameLine(left + whole - right);
  elided(context, error, Tone::dim);
  tooltip(context,
          tr("‖result − reference‖ / ‖reference‖ in double precision, the worst matrix") + each);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context,
         r.whole ? wording("{} · whole, against double precision", r.device)
                 : wording("{} · a CTA of each kind of product", r.device),
         Tone::dim);
  if (r.total_us > 0) {
    elided(context,
           wording("{} in {} runs, spread {:.1f} %{}", model::time_text(r.total_us), r.samples,
                   r.spread * 100, day_words(measured)),
           Tone::dim);
  } else if (!r.steps.empty() && measured.of.layer.ranks > 1) {
    elided(context, tr("each step by itself: one card for all") + day_words(measured), Tone::dim);
  }
  ImGui::PopFont();
}

void buttons(AppContext& context, AppState& state, bool known) {
  LayerRun& run = state.of<LayerView>().run;
  const bool cards = runs_on_cards(state);
  const std::string label = run.running || run.wanted ? tr("Stop")
                            : cards ? (known ? tr("Measure again") : tr("Measure"))
                                    : (known ? tr("Run again") : tr("Run in the emulator"));
  if (ImGui::Button((label + "###layer_run").c_str())) {
    if (run.running || run.wanted) {
      run.stop = true, run.wanted = false;
    } else {
      run.wanted = true;
    }
  }
  tooltip(context, run.running ? "Ends this run; nothing of it is kept"
                   : cards     ? "Runs all steps on the card, verifies every result and takes times"
                               : "Executes the PTX of all steps on all ranks and verifies the "
                                 "results; takes no times");
  const float copy =
      ImGui::CalcTextSize(tr("Copy command")).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(0, 6 * context.scale);
  if (ImGui::GetContentRegionAvail().x < copy) ImGui::NewLine();
  if (ImGui::Button(tr_id("Copy command"))) context.commands.request("layer.copy");
  tooltip(context, layer_command(state));
}

}  // namespace

void layer_run(AppContext& context, AppState& state) {
  ranks(context, state);
  const LayerRun& run = state.of<LayerView>().run;
  const LayerMeasured* measured = layer_measured(state);
  buttons(context, state, measured != nullptr);
  if (run.running || run.wanted) {
    formula_text(context,
                 run.running ? wording("running: {}", run.stage.c_str()) : tr("modelling first …"),
                 Tone::dim);
    return;
  }
  const std::string& error = layer_error(state);
  if (!error.empty()) {
    error_box(context, "layer_error", error, run.error_details);
  } else if (measured) {
    verdict(context, *measured);
  }
}

}  // namespace tilescope::widgets

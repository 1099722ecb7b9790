// What the panels of a layer share.
#pragma once
#include <optional>
#include <string>

#include "app/features/layer/layer_facts.h"
#include "app/kit/scene_view.h"
#include "app/kit/widgets.h"
#include "app/panel.h"

namespace tilescope::widgets {

/// Whether there is a layer to draw; else the panel says why there is none.
bool layer_to_show(const AppContext& context);

/// Text with raised Ts, shortened to what is left of the line.
void formula_text(const AppContext& context, const std::string& text, Tone tone = Tone::plain);

/// A step under the pointer is lit in all panels of the layer; a click chooses it.
void follow_steps(AppContext& context, const SceneInput& input);
/// `chunk` and `rank` of a bar, −1 of a transfer's rank; else the first that there is.
void hover_step(AppContext& context, int step, int chunk = 0, std::optional<int> rank = {});

/// The fill of a rank, or of what all ranks have, in a box of the screen.
void rank_swatch(const AppContext& context, ImVec2 from, ImVec2 to, int rank);

/// "rank 0  rank 1  whole on every rank", as many as fit; right-aligned in a panel's header.
void rank_legend(AppContext& context, int ranks);

/// All of a step that is not in its row, and why it begins when it does: a tooltip.
std::string step_words(const AppState& state, int step, int chunk = 0,
                       std::optional<int> rank = {});

}  // namespace tilescope::widgets

#include "app/widgets/sweep_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/edit.h"
#include "app/state/sweep.h"
#include "app/widgets/header_row.h"
#include "app/widgets/widgets.h"

namespace tilescope::widgets {
namespace {

void progress(AppContext& context, const Sweep& sweep) {
  const SweepProgress p = progress_of(sweep);
  const float s = context.scale, width = 78 * s;
  const HeaderItem stop{small_button_width("Stop"), [&context] {
                          if (ImGui::SmallButton("Stop")) context.commands.request("sweep.stop");
                          tooltip(context, "Ends the sweep; what was measured stays.");
                        }};
  const std::string text = progress_text(sweep);
  const float room = ImGui::GetContentRegionAvail().x - stop.width - 12 * s;
  if (room > 40 * s) {
    elided(context, "sweep: " + text, Tone::dim,
           std::min(room, ImGui::CalcTextSize(("sweep: " + text).c_str()).x + 1));
    ImGui::SameLine(0, 8 * s);
  }
  if (ImGui::GetContentRegionAvail().x > width + stop.width + 12 * s) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float h = 5 * s, y = at.y + (ImGui::GetTextLineHeight() - h) / 2;
    const float part =
        p.all > 0 ? static_cast<float>(p.done + p.failed) / static_cast<float>(p.all) : 0;
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->AddRectFilled({at.x, y}, {at.x + width, y + h}, to_imgui(context.theme->frame), 2 * s);
    draw->AddRectFilled({at.x, y}, {at.x + width * part, y + h}, to_imgui(context.theme->accent),
                        2 * s);
    ImGui::Dummy({width, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, 8 * s);
  }
  stop.draw();
}

}  // namespace

void sweep_bar(AppContext& context, AppState& state, const std::vector<TileFieldId>& axes) {
  if (state.tune.sweep.running) return progress(context, state.tune.sweep);
  const Sweep plan = plan_sweep(state, axes);
  const std::string blocker = sweep_blocker(state, plan);
  const std::string label =
      blocker.empty() ? fmt::format("Sweep {} tiles###sweep", plan.cells.size()) : "Sweep###sweep";
  const HeaderItem start{
      small_button_width(label.substr(0, label.find('#')).c_str()), [&] {
        if (ImGui::SmallButton(label.c_str())) {
          if (blocker.empty()) {
            state.tune.wanted = axes;
          } else {
            say(state, blocker);
          }
        }
        tooltip(context,
                blocker.empty()
                    ? fmt::format("Measures the tiles that are not measured yet, one after "
                                  "the other, while you go on; {} are, {} cannot run.",
                                  plan.known, plan.illegal)
                    : blocker);
      }};
  header_row(context, {&start, 1});
}

}  // namespace tilescope::widgets

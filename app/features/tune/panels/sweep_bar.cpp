#include "app/features/tune/panels/sweep_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/features/tune/sweep.h"
#include "app/features/tune/tune.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

void progress(AppContext& context, const Sweep& sweep) {
  const SweepProgress p = progress_of(sweep);
  const float s = context.scale, width = 78 * s;
  const HeaderItem stop{small_button_width("Stop"), [&context] {
                          if (ImGui::SmallButton(tr_id("Stop")))
                            context.commands.request("sweep.stop");
                          tooltip(context, "Ends the sweep; what was measured stays.");
                        }};
  const std::string text = wording("sweep: {}", progress_text(sweep));
  const float room = ImGui::GetContentRegionAvail().x - stop.width - 12 * s;
  if (room > 40 * s) {
    elided(context, text, Tone::dim, std::min(room, ImGui::CalcTextSize(text.c_str()).x + 1));
    ImGui::SameLine(0, 8 * s);
  }
  if (ImGui::GetContentRegionAvail().x > width + stop.width + 12 * s) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float middle = (ImGui::GetItemRectMin().y + ImGui::GetItemRectMax().y) / 2;
    const float h = 5 * s, y = middle - h / 2;  // of the words beside it
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

/// What would be swept: thousands of tiles are gone through when something has changed, not in
/// every frame.
struct Plan {
  uint64_t edit = 0, device = 0, known = 0, language = 0;
  std::ptrdiff_t usable = 0;  // devices
  std::vector<TileFieldId> axes;
  size_t tiles = 0;
  int measured = 0, illegal = 0;
  std::string blocker;
};

const Plan& present_plan(const AppState& state, const std::vector<TileFieldId>& axes) {
  static Plan plan;
  const std::ptrdiff_t usable =
      std::ranges::count_if(state.devices, [](const worker::DeviceInfo& d) { return d.available; });
  if (plan.usable == usable && plan.edit == state.edit_serial &&
      plan.device == state.device_serial && plan.known == state.known.serial &&
      plan.language == language_changes() && plan.axes == axes) {
    return plan;
  }
  const Sweep sweep = plan_sweep(state, axes);
  plan = {.edit = state.edit_serial,
          .device = state.device_serial,
          .known = state.known.serial,
          .language = language_changes(),
          .usable = usable,
          .axes = axes,
          .tiles = sweep.cells.size(),
          .measured = sweep.known,
          .illegal = sweep.illegal,
          .blocker = sweep_blocker(state, sweep)};
  return plan;
}

}  // namespace

void sweep_bar(AppContext& context, AppState& state, const std::vector<TileFieldId>& axes) {
  if (state.of<Sweeping>().sweep.running) return progress(context, state.of<Sweeping>().sweep);
  const Plan& plan = present_plan(state, axes);
  const std::string& blocker = plan.blocker;
  const std::string label =
      (blocker.empty() ? wording("Sweep {} tiles", plan.tiles) : tr("Sweep")) + "###sweep";
  const HeaderItem start{
      small_button_width(label.substr(0, label.find('#')).c_str()), [&] {
        if (ImGui::SmallButton(label.c_str())) {
          if (blocker.empty()) {
            state.of<Sweeping>().wanted = axes;
          } else {
            say(state, blocker);
          }
        }
        tooltip(context, blocker.empty()
                             ? wording("Measures the tiles that are not measured yet, one after "
                                       "the other, while you go on; {} are, {} cannot run.",
                                       plan.measured, plan.illegal)
                             : blocker);
      }};
  header_row(context, {&start, 1});
}

}  // namespace tilescope::widgets

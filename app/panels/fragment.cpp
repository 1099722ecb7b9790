// Fragment: which lane and register holds which element, A left of C, B above it.
#include <nlohmann/json.hpp>

#include "app/panel.h"
#include "app/state/edit.h"
#include "app/widgets/linked.h"
#include "app/widgets/widgets.h"
#include "viz/scene/fragment_scene.h"

namespace tilescope {
namespace {

using namespace widgets;

constexpr const char* kTabs[] = {"mma", "warp tile", "ldmatrix", "shared memory"};

struct View {
  SceneCache cache;
};
View& view() {
  static View v;
  return v;
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (!state.derived.kernel) return;
  unsigned enabled = 0;
  for (int i = 0; i < 4; ++i) {
    if (viz::has_tab(state.derived.plan, static_cast<viz::FragmentTab>(i))) enabled |= 1u << i;
  }
  int tab = state.view.fragment_tab;
  if (!(enabled >> tab & 1)) tab = 0;
  const char* labels[] = {state.derived.plan.math == Math::mma ? kTabs[0] : "thread tile", kTabs[1],
                          kTabs[2], kTabs[3]};
  if (segmented(context, "fragment_tab", labels, &tab, 0, enabled)) {
    state.view.fragment_tab = tab;
    ++state.picture_serial;
  }
  if (tab >= 2) {
    static constexpr const char* kOperands[] = {"A", "B"};
    ImGui::SameLine(0, 8 * context.scale);
    if (segmented(context, "operand", kOperands, &state.view.fragment_operand))
      ++state.picture_serial;
    if (tab == 3 && state.derived.plan.math == Math::mma) {
      static constexpr const char* kPhases[] = {"0", "1", "2", "3"};
      ImGui::SameLine(0, 8 * context.scale);
      ImGui::AlignTextToFramePadding();
      ImGui::TextUnformatted("phase");
      ImGui::SameLine(0, 4 * context.scale);
      if (segmented(context, "phase", kPhases, &state.view.fragment_phase)) ++state.picture_serial;
    }
  }
  const viz::Size size = room_for_scene(context);
  const viz::Scene& scene = view().cache.get(context, size, tab, [&] {
    viz::FragmentState f = fragment_picture(state);
    f.tab = static_cast<viz::FragmentTab>(tab);
    return viz::build_fragment(f, palette_of(context), FontMeasure(context), size);
  });
  const SceneInput input = show_scene(context, "fragment_scene", scene);
  if (input.hovered) pick_tooltip(context, *input.hovered);
  follow_input(state, input);
}

void draw_header(AppContext& context) {
  const AppState& state = *context.state;
  if (!state.derived.kernel) return;
  elided(context,
         state.derived.plan.math == Math::mma ? "m16n8k16 · f16 → f32" : "fma.rn.f32, one a thread",
         Tone::dim, 160 * context.scale);
  tooltip(context, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
}

}  // namespace

extern const Panel fragment_panel = {
    .id = "fragment",
    .title = "Fragment",
    .docks = {Dock::kRightTop, Dock::kHidden, Dock::kHidden, Dock::kCenter},
    .draw = draw,
    .draw_header = draw_header,
};

}  // namespace tilescope

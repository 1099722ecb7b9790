// L2: the grid in the order of its launch, which of its reads the L2 had, and the hit rate over
// time, as simulated (core/model/l2_simulation).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/l2/l2_picture.h"
#include "app/kit/core/linked.h"
#include "app/kit/header_row.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/l2_simulation.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

using namespace widgets;

constexpr float kWhole = 6;  // seconds that a launch takes to play

struct View {
  SceneCache<viz::L2State> cache{&viz::build_l2};
  std::shared_ptr<const model::L2Traffic> of;  // that `tiles` are of
  std::shared_ptr<const std::vector<viz::L2TileState>> tiles;
  float moment = 1;
  bool playing = false;
};
View& view() {
  static View v;
  return v;
}

void play(AppContext& context) {
  View& v = view();
  if (!v.playing) return;
  v.moment += static_cast<float>(context.state->frame_seconds) / kWhole;
  if (v.moment >= 1) v.moment = 1, v.playing = false;
  context.state->animating = true;
}

void toggle(AppContext&) {
  View& v = view();
  v.playing = !v.playing;
  if (v.playing && v.moment >= 1) v.moment = 0;
}

/// The parameter that only the order of the launch depends on, as buttons.
void raster_row(AppContext& context, AppState& state) {
  const Sliders& sliders = state.derived.kernel->sliders;
  const Slider* raster = nullptr;
  for (int i = 0; i < sliders.count; ++i) {
    if (sliders.slider[i].field == TileFieldId::raster) raster = &sliders.slider[i];
  }
  if (!raster) return;
  std::vector<std::string> names;
  std::vector<const char*> labels;
  int now = -1;
  for (int i = 0; i < raster->count; ++i) {
    names.push_back(model::grouped(raster->values[i]));
    if (raster->values[i] == get(state.edit.rung().tile, TileFieldId::raster)) now = i;
  }
  for (const std::string& name : names) labels.push_back(name.c_str());
  ImGui::AlignTextToFramePadding();
  const char* const title = model::label_of(TileFieldId::raster);
  elided(context, title, Tone::dim, ImGui::CalcTextSize(tr(title)).x + 1);
  ImGui::SameLine(0, 6 * context.scale);
  if (segmented(context, "l2_raster", labels, &now,
                std::min(segmented_width(context, labels), ImGui::GetContentRegionAvail().x))) {
    TileConfig tile = state.edit.rung().tile;
    set(tile, TileFieldId::raster, raster->values[now]);
    set_tile(state, tile);
  }
  tooltip(context,
          "How many tiles are launched down a column before the next one begins: tiles that run at "
          "the same time then share rows of A and columns of B");
}

void draw_header(AppContext& context) {
  View& v = view();
  const char* const word = v.playing ? "Pause" : "Play";
  const HeaderItem item{small_button_width("Pause"), [&] {
                          ImGui::BeginDisabled(!v.tiles);
                          if (ImGui::SmallButton(fmt::format("{}###l2_play", tr(word)).c_str())) {
                            context.commands.request("l2.play");
                          }
                          ImGui::EndDisabled();
                          tooltip(context, "The launch, wave after wave");
                        }};
  header_row(context, {&item, 1});
}

/// Why there is no picture; empty: there is one, or will be.
std::string why_none(const AppState& state) {
  const Derived& d = state.derived;
  if (!d.kernel || !d.legal()) return "The L2 is simulated for a legal tile.";
  if (!model::can_simulate_l2(d.plan)) {
    return wording(
        "The grid has {} tiles, too many to simulate; a larger tile or a smaller problem has "
        "fewer.",
        model::grouped(d.plan.work.raster.tiles()));
  }
  return {};
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  View& v = view();
  if (const std::string why = why_none(state); !why.empty()) {
    empty_panel(context, "No L2 to show", why);
    return;
  }
  raster_row(context, state);
  const Derived& d = state.derived;
  if (!d.l2) {
    elided(context,
           wording("Simulating the L2 … at best ~{} come from DRAM: each matrix once.",
                   model::bytes_text(d.traffic.dram.read)),
           Tone::dim);
    return;
  }
  if (v.of != d.l2) {
    v.of = d.l2, v.tiles = l2_tiles(*d.l2);
    v.moment = 1, v.playing = false;
  }
  play(context);
  const SceneInput input =
      show_scene(context, "l2_scene",
                 v.cache.get(context, room_for_scene(context),
                             l2_picture(state, *d.l2, d.l2_machine, v.tiles, v.moment)));
  if (input.hovered && input.hovered->kind == viz::Pick::Kind::point) {
    if (input.clicked || input.dragging) {
      v.moment = static_cast<float>(input.hovered->value + 1) /
                 static_cast<float>(std::max<size_t>(1, d.l2->hit_rate.size()));
      v.playing = false;
    }
    return;  // a stretch of time is no place in another picture
  }
  if (input.hovered) pick_tooltip(context, *input.hovered);
  follow_input(state, input);
}

std::vector<Command> commands() {
  return {{.id = "l2.play",
           .title = "L2: play or pause the launch",
           .menu = "View",
           .run = toggle,
           .enabled = [](AppContext& context) { return context.state->derived.l2 != nullptr; }}};
}

constexpr Gesture kGestures[] = {
    {"click or drag in the hit rate", "goes to that moment of the launch"},
};

}  // namespace

extern const Panel l2_panel = {
    .id = "l2",
    .title = "L2",
    .docks = {Dock::kBottomRight, Dock::kHidden, Dock::kBottomLeft, Dock::kHidden},
    .draw = draw,
    .draw_header = draw_header,
    .commands = commands,
    .gestures = kGestures,
};

}  // namespace tilescope

// Landscape: two tile parameters and the speed of each combination; a sweep fills it.

#include "app/features/tune/panels/sweep_bar.h"
#include "app/features/tune/sweep.h"
#include "app/features/tune/tune.h"
#include "app/features/tune/tune_pictures.h"
#include "app/kit/header_row.h"
#include "app/kit/scene_cache.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

using namespace widgets;

SceneCache<viz::LandscapeState>& picture() {
  static SceneCache<viz::LandscapeState> cache(viz::build_landscape);
  return cache;
}

/// A combo of the kernel's tile parameters; what was chosen, or none.
TileFieldId field_combo(AppContext& context, const char* id, const char* label,
                        const Sliders& sliders, TileFieldId now, const char* tip) {
  TileFieldId chosen = TileFieldId::none;
  elided(context, label, Tone::dim, ImGui::CalcTextSize(tr(label)).x + 1);
  ImGui::SameLine(0, 4 * context.scale);
  ImGui::SetNextItemWidth(92 * context.scale);
  if (ImGui::BeginCombo(id, tr(model::label_of(now)))) {
    for (int i = 0; i < sliders.count; ++i) {
      const TileFieldId field = sliders.slider[i].field;
      if (ImGui::Selectable(tr_id(model::label_of(field)), field == now)) chosen = field;
    }
    ImGui::EndCombo();
  }
  tooltip(context, tip);
  return chosen;
}

void also_combo(AppContext& context, AppState& state, const Axes& axes) {
  ImGui::SetNextItemWidth(92 * context.scale);
  const std::string shown =
      axes.also.empty() ? tr("nothing else") : wording("{} more", axes.also.size());
  if (ImGui::BeginCombo("##also", shown.c_str())) {
    const Sliders& sliders = state.derived.kernel->sliders;
    for (int i = 0; i < sliders.count; ++i) {
      const TileFieldId field = sliders.slider[i].field;
      if (field == axes.across || field == axes.down) continue;
      bool on = std::find(axes.also.begin(), axes.also.end(), field) != axes.also.end();
      if (ImGui::Checkbox(tr_id(model::label_of(field)), &on)) vary_also(state, field, on);
    }
    ImGui::EndCombo();
  }
  tooltip(context,
          "Further parameters: each cell shows the best of all their values, and a sweep "
          "measures every one.");
}

void choices(AppContext& context, AppState& state, const Axes& axes) {
  const Sliders& sliders = state.derived.kernel->sliders;
  const float s = context.scale;
  ImGui::AlignTextToFramePadding();
  const TileFieldId across = field_combo(context, "##across", "across", sliders, axes.across,
                                         "The tile parameter that differs from column to column");
  beside(8 * s, 92 * s + ImGui::CalcTextSize(tr("down")).x + 5 * s);
  const TileFieldId down = field_combo(context, "##down", "down", sliders, axes.down,
                                       "The tile parameter that differs from row to row");
  beside(8 * s, 92 * s + ImGui::CalcTextSize(tr("best of")).x + 5 * s);
  elided(context, "best of", Tone::dim, ImGui::CalcTextSize(tr("best of")).x + 1);
  ImGui::SameLine(0, 4 * s);
  also_combo(context, state, axes);
  if (beside(10 * s, 120 * s)) {
    ImGui::AlignTextToFramePadding();
    elided(context, rest_words(state, axes), Tone::dim);
  }
  if (across != TileFieldId::none) choose_across(state, across);
  if (down != TileFieldId::none) choose_down(state, down);
}

void buttons(AppContext& context, AppState& state, const Landscape& land) {
  ImGui::BeginDisabled(land.best < 0);
  if (ImGui::SmallButton(tr_id("Go to the best")))
    set_tile(state, TileConfig(land.cells[static_cast<size_t>(land.best)].tile));
  ImGui::EndDisabled();
  tooltip(context, land.best < 0 ? "No cell has been measured or recorded yet."
                                 : "The fastest tile of the cells that were timed");
  beside(6 * context.scale, small_button_width("Copy table"));
  if (ImGui::SmallButton(tr_id("Copy table"))) {
    ImGui::SetClipboardText(landscape_text(state, land).c_str());
    say(state, wording("Copied {} cells of {}.", land.cells.size(), state.edit.rung().kernel));
  }
  tooltip(context, "As tab-separated text, one line per cell.");
  const Sweep& sweep = state.of<Sweeping>().sweep;
  const bool of_this =
      sweep.kernel == state.edit.rung().kernel && sweep.problem == state.edit.problem;
  if (const std::string& ended = sweep.ended;
      of_this && !ended.empty() && beside(10 * context.scale, 120 * context.scale)) {
    elided(context, ended, Tone::dim);
  }
}

void draw_header(AppContext& context) {
  AppState& state = *context.state;
  if (!state.derived.kernel) return;
  sweep_bar(context, state, all_of(landscape_axes(state)));
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (!state.derived.kernel) return;
  choices(context, state, landscape_axes(state));
  static int hovered = -1;
  const Landscape land = landscape(state);
  viz::LandscapeState shown = landscape_picture(state, land);
  shown.hovered = hovered;
  viz::Size size = room_for_scene(context);
  const float below = (ImGui::GetTextLineHeight() + 10 * context.scale) / context.scale;
  size.h = std::max(90.0f, size.h - below);
  const SceneInput input =
      show_scene(context, "landscape_scene", picture().get(context, size, shown));
  hovered = -1;
  if (input.hovered && input.hovered->kind == viz::Pick::Kind::point) {
    hovered = input.hovered->value;
    const int cells = static_cast<int>(land.cells.size());
    const int along = land.present_row * static_cast<int>(land.columns.size());
    const auto index = static_cast<size_t>(hovered < cells ? hovered : hovered - cells + along);
    if (index < land.cells.size()) {
      tooltip(context, cell_words(state, land, index));
      if (input.clicked) set_tile(state, TileConfig(land.cells[index].tile));
    }
  }
  buttons(context, state, land);
  if (state.models->is_behind()) state.animating = true;
}

std::vector<Command> commands() {
  return {
      {.id = "sweep.start",
       .title = "Sweep the landscape",
       .menu = "Device",
       .run =
           [](AppContext& context) {
             context.state->of<Sweeping>().wanted = all_of(landscape_axes(*context.state));
           },
       .enabled = [](AppContext& context) { return !context.state->of<Sweeping>().sweep.running; }},
      {.id = "sweep.stop",
       .title = "Stop the sweep",
       .menu = "Device",
       .run = [](AppContext& context) { context.state->of<Sweeping>().stop_wanted = true; },
       .enabled = [](AppContext& context) { return context.state->of<Sweeping>().sweep.running; }}};
}

constexpr Gesture kGestures[] = {
    {"click on a cell", "goes to its tile, the best that is known of it"},
};

}  // namespace

extern const Panel landscape_panel = {
    .id = "landscape",
    .title = "Landscape",
    .docks = {Dock::kHidden, Dock::kHidden, Dock::kCenterBottom, Dock::kHidden},
    .draw = draw,
    .draw_header = draw_header,
    .commands = commands,
    .gestures = kGestures,
};

}  // namespace tilescope

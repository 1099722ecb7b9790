// The layout Layer: choose a layer, run it in the emulator, open a step in the other panels.
#include <fmt/format.h>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_presets.h"
#include "app/features/layer/layer_times.h"
#include "app/features/layer/layer_view.h"
#include "app/kit/scene_view.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

using workload::Layer;
using workload::LayerKind;

Layer tiny(LayerKind kind) {
  return {.kind = kind, .tokens = 32, .in = 64, .out = 96, .ranks = 2, .chunks = 2};
}

/// The layout with a layer, once the model has answered.
void open_layer(ImGuiTestContext* ctx, const Layer& layer) {
  run_command(ctx, "view.layout.layer");
  run_command(ctx, "view.reset_layout");
  ctx->Yield(6);
  choose_device(state(), kEmulator);
  set_layer(state(), layer);
  state().of<LayerView>().step = 0;
  ctx->Yield(2);
  IM_CHECK(eventually(ctx, [] { return layer_modelled(state()); }));
  ctx->Yield(4);
}

std::string scene_text(const char* id) {
  const viz::Scene* scene = widgets::shown_scene(id);
  return scene ? viz::to_text(*scene) : "";
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Where a value can be picked in a scene, on the screen.
std::optional<ImVec2> place_of(ImGuiTestContext* ctx, const char* panel, const char* id,
                               int value) {
  const viz::Scene* scene = widgets::shown_scene(id);
  const ImRect box = ctx->ItemInfo(fmt::format("//{}/{}", panel, id).c_str()).RectFull;
  for (float y = 2; scene && y < scene->size.h; y += 3) {
    for (float x = 2; x < scene->size.w; x += 3) {
      const auto pick = viz::pick(*scene, x, y);
      if (!pick || pick->kind != viz::Pick::Kind::point || pick->value != value) continue;
      const float s = shell().context.scale;
      return ImVec2{box.Min.x + x * s, box.Min.y + y * s};
    }
  }
  return std::nullopt;
}

UI_TEST("layer", "a_preset_is_chosen_and_modelled") {
  open_layer(ctx, tiny(LayerKind::column));
  ctx->ItemClick("//Workload/##layer_presets");
  ctx->ItemClick("//$FOCUSED/Llama-3 8B · MLP block");
  ctx->Yield(2);
  const Layer& layer = state().edit.beside.of<ChosenLayer>().layer;
  IM_CHECK(layer.kind == LayerKind::mlp);
  IM_CHECK_EQ(layer.in, 4096);
  IM_CHECK_EQ(layer.out, 14336);
  IM_CHECK_EQ(layer.tokens, 32);  // stay, as the split does
  IM_CHECK_EQ(layer.ranks, 2);
  IM_CHECK(eventually(ctx, [] { return layer_modelled(state()); }));
  ctx->Yield(3);
  IM_CHECK(has(scene_text("layer_scene"), "4,096 × 14,336"));
  IM_CHECK(has(scene_text("layer_timeline_scene"), "forward ~"));
  IM_CHECK(has(scene_text("scaling_scene"), "modelled"));
  run_command(ctx, "edit.undo");
  IM_CHECK(state().edit.beside.of<ChosenLayer>().layer == tiny(LayerKind::column));
}

UI_TEST("layer", "a_drag_of_ranks_is_one_step_back") {
  open_layer(ctx, tiny(LayerKind::column));
  const uint64_t edits = state().edit_serial;
  const size_t steps = state().undo.size();
  const ImRect slider = ctx->ItemInfo("//Workload/layer_ranks").RectFull;
  ctx->MouseMove("//Workload/layer_ranks");
  ctx->MouseDown(0);
  for (const float part : {0.4f, 0.5f, 0.6f, 0.55f}) {
    ctx->MouseMoveToPos({slider.Min.x + part * slider.GetWidth(), slider.GetCenter().y});
    ctx->Yield();
  }
  ctx->MouseUp(0);
  ctx->Yield(2);
  IM_CHECK_GT(state().edit.beside.of<ChosenLayer>().layer.ranks, 2);
  IM_CHECK_EQ(state().undo.size(), steps + 1);
  IM_CHECK_EQ(state().edit_serial, edits);  // nothing of the kernel is asked again
  run_command(ctx, "edit.undo");
  IM_CHECK_EQ(state().edit.beside.of<ChosenLayer>().layer.ranks, 2);
  IM_CHECK_EQ(state().edit_serial, edits);
}

UI_TEST("layer", "runs_in_the_emulator_and_is_verified") {
  for (const LayerKind kind : workload::kLayerKinds) {
    open_layer(ctx, tiny(kind));
    IM_CHECK(layer_measured(state()) == nullptr);
    ctx->ItemClick("//Workload/###layer_run");
    ctx->Yield(2);
    IM_CHECK(eventually(ctx, [] {
      return !state().of<LayerView>().run.running && !state().of<LayerView>().run.wanted;
    }));
    const LayerMeasured* measured = layer_measured(state());
    IM_CHECK_STR_EQ(layer_error(state()).c_str(), "");
    IM_CHECK(measured != nullptr);
    IM_CHECK(measured->result.ok());
    IM_CHECK(measured->result.whole);
    IM_CHECK(measured_times(state()).standing == Standing::none);  // the emulator takes no times
    ctx->Yield(3);
    screenshot(ctx, fmt::format("layer_{}_run", name_of(kind)).c_str());
    // Of another layer it is no verdict.
    Layer other = tiny(kind);
    other.tokens = 40;
    set_layer(state(), other);
    ctx->Yield(2);
    IM_CHECK(layer_measured(state()) == nullptr);
    set_layer(state(), tiny(kind));
    IM_CHECK(layer_measured(state()) != nullptr);
  }
}

UI_TEST("layer", "a_run_stops_by_hand") {
  open_layer(ctx, {.kind = LayerKind::mlp, .tokens = 512, .in = 768, .out = 1024, .ranks = 2});
  ctx->ItemClick("//Workload/###layer_run");
  IM_CHECK(eventually(ctx, [] { return state().of<LayerView>().run.running; }));
  ctx->ItemClick("//Workload/###layer_run");
  ctx->Yield(3);
  IM_CHECK(!state().of<LayerView>().run.running);
  IM_CHECK(layer_measured(state()) == nullptr);
}

UI_TEST("layer", "a_click_on_a_step_opens_its_gemm_everywhere") {
  open_layer(ctx, tiny(LayerKind::column));
  const workload::Workload w = make_workload(state().edit.beside.of<ChosenLayer>().layer);
  for (const char* way : {"table", "picture", "time line"}) {
    set_kernel(state(), "naive");
    const int step = way == std::string("table") ? 3 : 0;
    ctx->Yield(2);
    if (way == std::string("table")) {
      ctx->ItemClick("//Steps/**/##step_3");
    } else {
      const bool picture = way == std::string("picture");
      const auto at = picture ? place_of(ctx, "Layer", "layer_scene", step)
                              : place_of(ctx, "Layer timeline", "layer_timeline_scene", step);
      IM_CHECK(at.has_value());
      ctx->MouseMoveToPos(*at);
      ctx->Yield(2);
      IM_CHECK_EQ(state().of<LayerView>().hover_before, step);
      ctx->MouseClick(0);
    }
    ctx->Yield(2);
    const RungChoice& choice = layer_model(state())->plan.steps[static_cast<size_t>(step)].choice;
    IM_CHECK_STR_EQ(state().edit.rung().kernel.c_str(), choice.kernel->info.id);
    IM_CHECK(state().edit.rung().tile == choice.tile);
    IM_CHECK(state().edit.problem == problem_of(w, w.steps[static_cast<size_t>(step)], 0));
    IM_CHECK_EQ(chosen_step(state()), step);
  }
}

UI_TEST("layer", "an_impossible_split_says_why_and_dims_what_was") {
  open_layer(ctx, tiny(LayerKind::column));
  Layer layer = tiny(LayerKind::column);
  layer.out = 4, layer.ranks = 8;
  set_layer(state(), layer);
  ctx->Yield(3);
  IM_CHECK(has(scene_text("layer_scene"), "the chosen one cannot be"));
  IM_CHECK(has(scene_text("layer_timeline_scene"), "the chosen one cannot be"));
  IM_CHECK(ctx->ItemExists("//Workload/**/Copy"));
  IM_CHECK(!ctx->ItemExists("//Workload/###layer_run"));
  screenshot(ctx, "layer_impossible");
  layer.ranks = 4;
  set_layer(state(), layer);
  IM_CHECK(eventually(ctx, [] { return layer_modelled(state()); }));
  ctx->Yield(3);
  IM_CHECK(!has(scene_text("layer_scene"), "cannot be"));
}

UI_TEST("layer", "a_number_that_is_none_stays_in_its_field") {
  open_layer(ctx, tiny(LayerKind::column));
  ctx->ItemInputValue("//Workload/##tokens", "no");
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.beside.of<ChosenLayer>().layer.tokens, 32);
  ctx->ItemInputValue("//Workload/##tokens", "1,024");
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.beside.of<ChosenLayer>().layer.tokens, 1024);
}

UI_TEST("layer", "the_scaling_chooses_ranks") {
  open_layer(ctx, tiny(LayerKind::column));
  const auto at = place_of(ctx, "Strong scaling", "scaling_scene", 4);
  IM_CHECK(at.has_value());
  ctx->MouseMoveToPos(*at);
  ctx->MouseClick(0);
  ctx->Yield(2);
  IM_CHECK_EQ(state().edit.beside.of<ChosenLayer>().layer.ranks, 4);
}

}  // namespace
}  // namespace tilescope::ui_test

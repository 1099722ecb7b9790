// The window on a machine with two cards: a layer's ranks on a card each, and on one for all.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "app/features/layer/layer_facts.h"
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

/// Presses Measure, and waits for what comes of it.
const LayerMeasured* measure(ImGuiTestContext* ctx, const Layer& layer) {
  set_layer(state(), layer);
  ctx->Yield(2);
  ctx->ItemClick("//Workload/###layer_run");
  ctx->Yield(2);
  eventually(ctx, [] {
    return !state().of<LayerView>().run.running && !state().of<LayerView>().run.wanted;
  });
  eventually(ctx, [] { return layer_modelled(state()); });
  ctx->Yield(4);
  return layer_measured(state());
}

bool has(const char* scene, const char* part) {
  const viz::Scene* shown = widgets::shown_scene(scene);
  return shown && viz::to_text(*shown).find(part) != std::string::npos;
}

UI_TEST("with_two_cards", "a_layer_is_measured_on_one_card_per_rank") {
  run_command(ctx, "view.layout.layer");
  run_command(ctx, "view.reset_layout");
  IM_CHECK(eventually(ctx, [] { return is_card(state().device); }));
  Layer layer{
      .kind = LayerKind::column, .tokens = 48, .in = 64, .out = 96, .ranks = 2, .chunks = 2};
  const LayerMeasured* two = measure(ctx, layer);
  IM_CHECK_STR_EQ(layer_error(state()).c_str(), "");
  IM_CHECK(two != nullptr);
  IM_CHECK(two->result.ok());
  IM_CHECK_EQ(two->place.devices.size(), size_t{2});
  IM_CHECK_GT(two->result.total_us, 0);
  IM_CHECK(measured_times(state()).standing == Standing::measured);
  IM_CHECK(!has("layer_timeline_scene", "forward ~"));  // measured
  // Of one account alone there is no speed-up.
  IM_CHECK(has("scaling_scene", "Measure 1 rank, too"));
  screenshot(ctx, "layer_two_cards");
  const LayerMeasured* one = measure(ctx, over_ranks(layer, 1));
  IM_CHECK(one != nullptr && one->result.ok());
  set_layer(state(), layer);
  IM_CHECK(eventually(ctx, [] { return layer_modelled(state()); }));
  ctx->Yield(4);
  IM_CHECK(has("scaling_scene", "filled: measured"));
  IM_CHECK(!has("scaling_scene", "Measure 1 rank, too"));
  screenshot(ctx, "layer_two_cards_scaling");
}

// As in the next session: what is known is what the store has, for whichever of the cards is first.
UI_TEST("with_two_cards", "a_measured_layer_is_kept") {
  run_command(ctx, "view.layout.layer");
  run_command(ctx, "view.reset_layout");
  IM_CHECK(eventually(ctx, [] { return is_card(state().device); }));
  const std::filesystem::path store =
      std::filesystem::temp_directory_path() / fmt::format("tilescope_layers_{}", getpid());
  state().store = store.string();
  const Layer layer{
      .kind = LayerKind::row, .tokens = 48, .in = 64, .out = 96, .ranks = 2, .chunks = 2};
  const LayerMeasured* measured = measure(ctx, layer);
  IM_CHECK(measured != nullptr);
  const double total = measured->result.total_us;
  const auto file = [&] { return std::filesystem::exists(store / "store.sqlite"); };
  IM_CHECK(eventually(ctx, file));
  state().of<LayerView>().measured.clear();
  choose_device(state(), "cuda:1");
  IM_CHECK(eventually(ctx, [] { return layer_measured(state()) != nullptr; }));
  IM_CHECK_EQ(layer_measured(state())->result.total_us, total);
  IM_CHECK_EQ(layer_measured(state())->place.devices.front(), "cuda:1");
  choose_device(state(), "cuda:0");
  state().store.clear();
  std::filesystem::remove_all(store);
}

UI_TEST("with_two_cards", "one_card_stands_for_more_ranks_than_there_are_cards") {
  run_command(ctx, "view.layout.layer");
  run_command(ctx, "view.reset_layout");
  IM_CHECK(eventually(ctx, [] { return is_card(state().device); }));
  const LayerMeasured* three = measure(
      ctx, {.kind = LayerKind::mlp, .tokens = 48, .in = 64, .out = 96, .ranks = 3, .chunks = 1});
  IM_CHECK_STR_EQ(layer_error(state()).c_str(), "");
  IM_CHECK(three != nullptr && three->result.ok());
  IM_CHECK_EQ(three->place.devices.size(), size_t{1});
  // Its steps have times, the layer has none.
  const LayerTimes times = measured_times(state());
  IM_CHECK(times.standing == Standing::measured);
  IM_CHECK_GT(times.steps_us[0], 0);
  IM_CHECK_EQ(times.total_us, 0);
  IM_CHECK(has("layer_timeline_scene", "forward ~"));  // modelled
  screenshot(ctx, "layer_one_card");
}

}  // namespace
}  // namespace tilescope::ui_test

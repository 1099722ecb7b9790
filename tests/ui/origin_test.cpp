// The pointer on a register or an element: where its value came from. A wrong line is marked.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/features/fragment/fragment_picture.h"
#include "app/features/fragment/fragment_view.h"
#include "app/features/tiling/tiling_picture.h"
#include "app/kit/core/linked.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"
#include "viz/scene/fragment/fragment_scene.h"
#include "viz/scene/tiling/tiling_scene.h"

namespace tilescope::ui_test {
namespace {

using namespace widgets;

/// Waits for the worker; the limit is for a machine that is busy.
template <class Done>
void wait_for(ImGuiTestContext* ctx, Done done) {
  for (int i = 0; i < 2400 && !done(); ++i) ctx->SleepNoSkip(0.05f, 0.05f);
}

void start(ImGuiTestContext* ctx, const char* kernel) {
  reset_layout(ctx);
  state().of<FragmentView>().atom.name.clear();
  set_kernel(state(), kernel);
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 256;
  set_problem(state(), p);
  select_cta(state(), {0, 1});
  select_warp(state(), 1);
  wait_for(ctx, [] {
    return state().results.edit_serial == state().edit_serial && state().results.trace &&
           state().results.emulated;
  });
  ctx->Yield(3);
}

/// Points into the first grid of the scene whose cells are of this kind and matrix.
template <class Build>
void point_at(ImGuiTestContext* ctx, const char* item, viz::Pick::Kind kind, int matrix,
              float across, float down, Build build) {
  const ImRect box = ctx->ItemInfo(item).RectFull;
  const float s = shell().context.scale;
  const viz::Scene scene =
      build(viz::Size{std::floor(box.GetWidth() / s), std::floor(box.GetHeight() / s)});
  for (const viz::Primitive& p : scene.primitives) {
    const auto* grid = std::get_if<viz::CellGrid>(&p.shape);
    if (!grid || grid->pick.matrix != matrix || grid->pick.kind != kind) continue;
    ctx->MouseMoveToPos({box.Min.x + (grid->box.x + grid->box.w * across) * s,
                         box.Min.y + (grid->box.y + grid->box.h * down) * s});
    return;
  }
  IM_ERRORF("no cells of matrix %d", matrix);
}

UI_TEST("origin", "a_register_tells_which_element_it_holds_and_its_way") {
  start(ctx, "mma_multistage");
  IM_CHECK(state().results.trace != nullptr);
  point_at(ctx, "//Fragment/fragment_scene", viz::Pick::Kind::element, 0, 0.55f, 0.27f,
           [](viz::Size size) {
             AppContext& context = shell().context;
             return viz::build_fragment(fragment_picture(state()), palette_of(context),
                                        FontMeasure(context), size);
           });
  wait_for(ctx, [] { return state().origins.answer || !state().origins.error.empty(); });
  IM_CHECK(state().origins.answer.has_value());
  const worker::OriginResult& r = *state().origins.answer;
  IM_CHECK_STR_EQ(r.kind.c_str(), "element");
  IM_CHECK_EQ(r.boxes.size(), 1u);
  const auto& pick = state().hover_before.pick;
  IM_CHECK(pick.has_value());
  IM_CHECK(pick->row == r.boxes[0].row && pick->col == r.boxes[0].col && r.boxes[0].matrix == 0);
  IM_CHECK(r.ways.size() == 1 && r.ways[0].steps.size() >= 2);
  ctx->Yield(3);
  screenshot(ctx, "origin_register");
}

UI_TEST("origin", "an_element_of_c_is_its_row_times_its_column") {
  start(ctx, "thread_tile_2d");
  // C of the CTA: its elements are picked through the warps.
  point_at(ctx, "//Tiling/tiling_scene", viz::Pick::Kind::warp, 2, 0.3f, 0.4f, [](viz::Size size) {
    AppContext& context = shell().context;
    return viz::build_tiling(tiling_picture(state(), 3), palette_of(context), FontMeasure(context),
                             size);
  });
  wait_for(ctx, [] { return state().origins.answer || !state().origins.error.empty(); });
  IM_CHECK(state().origins.answer.has_value());
  const worker::OriginResult& r = *state().origins.answer;
  IM_CHECK_STR_EQ(r.wrong.c_str(), "");
  IM_CHECK_EQ(r.terms, 256u);
  IM_CHECK(!tiling_picture(state(), 3).origins.empty());
  ctx->Yield(3);
  screenshot(ctx, "origin_element");
  ctx->MouseMoveToPos({2, 2});
  ctx->Yield(5);
  IM_CHECK(!state().origins.answer.has_value());
  IM_CHECK(tiling_picture(state(), 3).origins.empty());
}

UI_TEST("origin", "findings_stand_on_their_lines") {
  start(ctx, "mma_multistage");
  TileConfig tile = state().edit.rung().tile;
  tile.swizzle = 0;  // bank conflicts are a remark
  set_tile(state(), tile);
  wait_for(ctx, [] {
    return state().results.edit_serial == state().edit_serial && state().results.emulated;
  });
  const auto& findings = state().results.findings;
  const auto conflict = std::find_if(findings.begin(), findings.end(), [](const auto& f) {
    return f.kind == "bank_conflict" && f.remark && f.line > 0;
  });
  IM_CHECK(conflict != findings.end());
  find_panel("source")->load(shell().context, {{"tab", 0}});
  ctx->Yield(3);
  screenshot(ctx, "origin_findings");
  // What the checks find in a wrong kernel looks so.
  worker::CodeFinding wrong = *conflict;
  wrong.remark = false, wrong.kind = "race";
  state().results.findings.push_back(wrong);
  ctx->Yield(3);
  screenshot(ctx, "origin_wrong");
  set_tile(state(), state().derived.kernel->sliders.defaults());
}

}  // namespace
}  // namespace tilescope::ui_test

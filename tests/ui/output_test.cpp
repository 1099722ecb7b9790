// Output: what a stepped run has shown up to its place, and the way to each of it.
#include <filesystem>
#include <fstream>

#include "app/features/step/step_view.h"
#include "app/state/edit.h"
#include "app/state/own_sheet.h"
#include "app/state/present_launch.h"
#include "app/state/stepped.h"
#include "app/state/stepped_output.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// The run rests, and what it has shown is there.
bool output_known(ImGuiTestContext* ctx) {
  const bool known = eventually(ctx, [] {
    const StepView& view = state().of<StepView>();
    return step_output(state()) && !view.running && view.wishes.empty() &&
           state().of<StepOutput>().ways.empty();
  });
  ctx->Yield(2);
  return known && step_output(state());
}

constexpr const char* kRacyPrinting = R"(#include <cstdio>
__global__ void swap_words(const float* a, float* b) {
  __shared__ float tile[64];
  tile[threadIdx.x] = a[threadIdx.x];
  if (threadIdx.x == 33) printf("stored %d\n", 33);
  b[threadIdx.x] = tile[threadIdx.x ^ 32];
}
int main() { swap_words<<<1, 64>>>(0, 0); }
)";

UI_TEST("output", "of_an_own_kernel_grows_forward_and_shrinks_backward") {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_output";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "swap.cu").string();
  std::ofstream(file) << kRacyPrinting;
  run_command(ctx, "view.layout.step");
  run_command(ctx, "view.reset_layout");
  end_stepping(state());
  open_own_kernel(state(), {file, ""});
  show_panel(ctx, *find_panel("output"));
  ctx->Yield(3);
  IM_CHECK(step_output(state()) == nullptr);
  screenshot(ctx, "output_nothing");
  take_kept_sheet(state(), R"({"entry": "swap_words", "grid": [1,1,1], "block": [64,1,1],
      "args": ["buf:f32:1x64:index:in", "buf:f32:1x64:zeros:out"]})");
  IM_CHECK(output_known(ctx));
  IM_CHECK(step_output(state())->checks->found.empty());
  IM_CHECK_GT(step_output(state())->checks->later, static_cast<uint64_t>(0));
  IM_CHECK_STR_EQ(step_output(state())->state.output.c_str(), "");
  step_until(state(), "end", false);
  IM_CHECK(output_known(ctx));
  IM_CHECK_STR_EQ(step_output(state())->state.output.c_str(), "stored 33\n");
  const auto& found = step_output(state())->checks->found;
  IM_CHECK_SILENT(!found.empty());
  const worker::StepFinding first = found.front();
  screenshot(ctx, "output_end");
  run_command(ctx, "view.theme.light");
  ctx->Yield(2);
  screenshot(ctx, "output_end_light");
  run_command(ctx, "view.theme.dark");
  ctx->Yield(2);
  ctx->ItemClick("//Output/$$0/Go");
  IM_CHECK(output_known(ctx));
  IM_CHECK_EQ(stepped(state())->warp, first.seen_warp);
  IM_CHECK_EQ(stepped(state())->step, first.seen_step);
  IM_CHECK_EQ(stepped(state())->ptx_line, first.finding.ptx_line);
  step_until(state(), "back:end", false);
  IM_CHECK(output_known(ctx));
  IM_CHECK_STR_EQ(step_output(state())->state.output.c_str(), "");
  IM_CHECK(step_output(state())->checks->found.empty());
  leave_own_kernel(state());
  end_stepping(state());
  reset_layout(ctx);
}

UI_TEST("output", "of_a_rung_names_its_copies_and_goes_to_their_commit") {
  run_command(ctx, "view.layout.step");
  run_command(ctx, "view.reset_layout");
  set_kernel(state(), "mma_multistage");
  Problem p = default_problem(state().derived.kernel->info);
  p.m = p.n = p.k = 256;
  set_problem(state(), p);
  select_cta(state(), {0, 0});
  show_panel(ctx, *find_panel("output"));
  IM_CHECK(output_known(ctx));
  step_until(state(), "event:load_shared", false);
  IM_CHECK(output_known(ctx));
  const emulator::StepState& s = step_output(state())->state;
  const auto warp = static_cast<size_t>(stepped(state())->warp);
  IM_CHECK_SILENT(!s.warps.at(warp).copies.empty());
  const emulator::StepCopies oldest = s.warps[warp].copies.front();
  IM_CHECK_GT(oldest.bytes, static_cast<uint64_t>(0));
  screenshot(ctx, "output_copies");
  ctx->ItemClick(("//Output/$$" + std::to_string(1000 + warp) + "/Go").c_str());
  IM_CHECK(output_known(ctx));
  IM_CHECK_EQ(stepped(state())->step, oldest.step);
  IM_CHECK_EQ(stepped(state())->ptx_line, oldest.ptx_line);
  set_tile_field(state(), TileFieldId::stages, 99);
  ctx->Yield(3);
  IM_CHECK(step_output(state()) == nullptr);
  IM_CHECK(!state().of<StepOutput>().why.empty());
  screenshot(ctx, "output_illegal");
  run_command(ctx, "edit.undo");
  end_stepping(state());
  reset_layout(ctx);
}

}  // namespace
}  // namespace tilescope::ui_test

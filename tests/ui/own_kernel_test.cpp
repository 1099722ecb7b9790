// A kernel of one's own is looked at: each panel draws or says why it cannot, and the way back is
// a click.
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

UI_TEST("own_kernel", "each_panel_draws_it_or_says_why_not") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  const Edit before = state().edit;
  open_own_kernel(state(), {"/kernels/sgemm.cu", ""});
  ctx->Yield(2);
  screenshot(ctx, "own_kernel");
  for (const Panel* panel : all_panels()) {
    show_panel(ctx, *panel);
    ctx->Yield(2);
    const std::string back = std::string("//") + panel->title + "/Back to the ladder";
    const bool says_why = ctx->ItemExists(back.c_str());
    IM_CHECK_EQ(says_why, !panel->without_plan);
  }
  screenshot(ctx, "own_kernel_panels");
  show_panel(ctx, *find_panel("controls"));
  ctx->ItemClick("//Controls/###back");
  ctx->Yield(2);
  IM_CHECK(!state().edit.own());
  IM_CHECK(state().edit.rung() == before.rung());
  run_command(ctx, "edit.undo");
  IM_CHECK(state().edit.own());
  run_command(ctx, "edit.undo");
  IM_CHECK(state().edit.rung() == before.rung());
  IM_CHECK(eventually(ctx, [] { return state().results.trace != nullptr; }));
}

}  // namespace
}  // namespace tilescope::ui_test

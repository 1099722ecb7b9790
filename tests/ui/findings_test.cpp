// Findings in the window: a bank conflict that a choice of sliders plants stands there, and a click
// shows its line.
#include "app/features/findings/findings_list.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

UI_TEST("findings", "a_conflict_stands_there_and_leads_to_its_line") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  set_tile_field(state(), TileFieldId::swizzle, 0);
  show_panel(ctx, *find_panel("findings"));
  IM_CHECK(eventually(ctx, [] { return !findings_list(state()).empty(); }));
  const FindingRow first = findings_list(state()).front();
  IM_CHECK_STR_EQ(first.title.c_str(), "bank conflicts");
  IM_CHECK(first.gain_us && *first.gain_us > 0);
  ctx->ItemClick("//Findings/$$0/##finding");
  ctx->Yield(2);
  IM_CHECK_EQ(linked_code(state()).line, first.place.line);
  screenshot(ctx, "findings");
  // The cure is a slider away, and the list is never older than the choice.
  set_tile_field(state(), TileFieldId::swizzle, 1);
  IM_CHECK(findings_list(state()).empty());
  IM_CHECK(eventually(ctx, [] { return !looked_at(state()).empty(); }));
  IM_CHECK(findings_list(state()).empty());
  screenshot(ctx, "findings_none");
}

}  // namespace
}  // namespace tilescope::ui_test

// Source, tab SASS: the machine code, linked with the other two texts. nvdisasm is a stand-in that
// prints the naive kernel's (tests/fixtures/tools).
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

void tab(ImGuiTestContext* ctx, const char* name) {
  show_panel(ctx, *find_panel("source"));
  ctx->ItemClick((std::string("//##header_source/source_tab/") + name).c_str());
  ctx->Yield(3);
}

/// The editor of a tab: what shows the lines.
ImGuiWindow* editor(ImGuiTestContext* ctx, const char* id) {
  const ImGuiTestItemInfo info = ctx->WindowInfo((std::string("//Source/") + id).c_str());
  return info.Window;
}

UI_TEST("source", "sass_is_shown_and_linked") {
  reset_layout(ctx);
  set_kernel(state(), "naive");
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 64;
  set_problem(state(), p);
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::done; }));
  IM_CHECK(!state().disassembly.listing);  // nobody has looked
  tab(ctx, "SASS");
  IM_CHECK(eventually(ctx, [] { return state().disassembly.listing != nullptr; }));
  IM_CHECK_EQ(state().disassembly.listing->instructions, 152);
  IM_CHECK_GT(state().disassembly.listing->registers, 0);
  ctx->Yield(4);
  screenshot(ctx, "source_sass");
  // A click in the middle of the code leads to its line of PTX, and to its line of source.
  ImGuiWindow* window = editor(ctx, "##sass_source");
  IM_CHECK(window != nullptr);
  ctx->MouseMoveToPos(
      ImVec2(window->Pos.x + window->Size.x * 0.6f, window->Pos.y + window->Size.y * 0.5f));
  ctx->MouseClick();
  ctx->Yield(2);
  screenshot(ctx, "source_sass_clicked");
  const CodeLink link = linked_code(state());
  IM_CHECK(link.line > 0 && link.ptx_line > 0);
  for (const char* other : {"PTX", "kernel"}) {
    tab(ctx, other);
    screenshot(ctx, (std::string("source_linked_") + other).c_str());
  }
  // Another tile is another code.
  set_tile_field(state(), TileFieldId::block_n, 16);
  ctx->Yield(2);
  IM_CHECK(!state().disassembly.listing);
  IM_CHECK(!linked_code(state()).any());
  tab(ctx, "SASS");
  IM_CHECK(eventually(ctx, [] { return state().disassembly.listing != nullptr; }));
  tab(ctx, "kernel");
}

}  // namespace
}  // namespace tilescope::ui_test

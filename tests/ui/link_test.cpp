// A link is copied and opened by commands, as a person does.
#include "app/state/edit.h"
#include "app/state/state_link.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

UI_TEST("link", "is_copied_and_opens_what_was_shown") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile_field(state(), TileFieldId::swizzle, 0);
  select_lane(state(), 13);
  run_command(ctx, "file.copy_link");
  const std::string link = ImGui::GetClipboardText();
  IM_CHECK(is_link(link));
  IM_CHECK(state().said.find("link") != std::string::npos);
  set_kernel(state(), "naive");
  select_lane(state(), 2);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_V);
  ctx->Yield(2);
  IM_CHECK_STR_EQ(state().edit.rung().kernel.c_str(), "mma_multistage");
  IM_CHECK_EQ(state().edit.rung().tile.swizzle, 0);
  IM_CHECK_EQ(state().selection.lane, 13);
  IM_CHECK(settled(ctx));
  ImGui::SetClipboardText(link.substr(0, link.size() - 9).c_str());
  set_kernel(state(), "naive");
  run_command(ctx, "file.paste_state");
  IM_CHECK_STR_EQ(state().edit.rung().kernel.c_str(), "naive");
  IM_CHECK(state().notice.find("cut off") != std::string::npos);
  state().notice.clear();
}

}  // namespace
}  // namespace tilescope::ui_test

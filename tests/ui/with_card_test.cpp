// The window on a machine with a card, whose driver is that of tests/driver: one that works, and
// one on which the kernel never ends.
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

void choose(ImGuiTestContext* ctx, const char* id) {
  ctx->ItemClick("//##MainMenuBar/##MenuBar/##device");
  ctx->Yield(2);
  screenshot(ctx, "device_chooser");
  ctx->ItemClick((std::string("//$FOCUSED/###") + id).c_str());
  ctx->Yield(2);
}

UI_TEST("with_card", "opens_on_the_first_card") {
  reset_layout(ctx);
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::done; }));
  IM_CHECK_STR_EQ(state().device.c_str(), "cuda:0");
  IM_CHECK_STR_EQ(state().gpu.name, "Emulated GPU");
  IM_CHECK_EQ(state().limits.sm_count, 2);
  IM_CHECK(state().results.measured.has_value());
  IM_CHECK_STR_EQ(state().results.measured->device_name.c_str(), "Emulated GPU");
  IM_CHECK(point_of(state()).standing == Standing::measured);
  screenshot(ctx, "with_card");
}

UI_TEST("with_card", "one_chooser_for_cards_recordings_and_emulator") {
  reset_layout(ctx);
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::done; }));
  choose(ctx, "emulator");
  IM_CHECK_STR_EQ(state().device.c_str(), kEmulator);
  IM_CHECK_STR_EQ(state().view.device.c_str(), kEmulator);  // which the session keeps
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::done; }));
  IM_CHECK(!state().results.measured);
  choose(ctx, "recorded:NVIDIA H200");
  IM_CHECK_STR_EQ(state().gpu.name, "NVIDIA H200");
  IM_CHECK_EQ(state().limits.sm_count, 132);
  choose(ctx, "cuda:0");
  IM_CHECK(eventually(ctx, [] { return state().results.measured.has_value(); }));
  IM_CHECK_STR_EQ(state().results.measured->device.c_str(), "cuda:0");
}

UI_TEST("with_hang", "stop_ends_it_and_so_does_the_limit") {
  reset_layout(ctx);
  const auto hangs = [] { return state().results.stage == Stage::measuring; };
  IM_CHECK(eventually(ctx, hangs));
  ctx->ItemClick("**/Stop");
  ctx->Yield(2);
  IM_CHECK(state().results.stage == Stage::idle);
  IM_CHECK(!shell().model->busy());
  run_command(ctx, "run.again");
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::failed; }));
  IM_CHECK(state().results.error.find("naive was not done after 2 s") != std::string::npos);
  IM_CHECK(state().results.emulated && state().results.emulated->verified->ok);
  ctx->Yield(4);
  screenshot(ctx, "with_hang");
}

}  // namespace
}  // namespace tilescope::ui_test

// Card sheet: a card of one's own is filled in, chosen, told what is wrong with it, and taken away.
#include "app/common/own_cards.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {

UI_TEST("card", "a card by its sheet gives the emulator its limits, until it is forgotten") {
  reset_layout(ctx);
  run_command(ctx, "device.model.1");
  run_command(ctx, "device.add_card");
  ctx->Yield(4);
  ctx->SetRef("//Card sheet");
  ctx->ItemClick("Save and choose it");  // it has no name yet
  ctx->Yield(2);
  IM_CHECK(model::own_devices().empty());
  ctx->ItemInputValue("##card_name", "A small card");
  ctx->ItemInputValue("##card_fields/##sm_count", 5000);
  ctx->ItemClick("Save and choose it");
  ctx->Yield(2);
  IM_CHECK(model::own_devices().empty());
  screenshot(ctx, "card_wrong");
  ctx->ItemInputValue("##card_fields/##sm_count", 12);
  ctx->ItemClick("Save and choose it");
  ctx->Yield(2);
  IM_CHECK_EQ(model::own_devices().size(), size_t{1});
  IM_CHECK_STR_EQ(state().view.gpu.c_str(), "A small card");
  IM_CHECK_EQ(state().limits.sm_count, 12);
  screenshot(ctx, "card");
  ctx->ItemClick("A small card/Forget");
  ctx->Yield(2);
  IM_CHECK(model::own_devices().empty());
  IM_CHECK_STR_EQ(state().view.gpu.c_str(), model::known_devices().front().name);
  IM_CHECK_EQ(state().limits.sm_count, model::known_devices().front().limits.sm_count);
  reset_layout(ctx);
}

}  // namespace tilescope::ui_test

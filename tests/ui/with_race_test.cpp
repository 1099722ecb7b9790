// A kernel of one's own whose result is right in the emulator, and which races on a card.
#include <hello_imgui/hello_imgui.h>
#include <nlohmann/json.hpp>

#include "app/state/edit.h"
#include "app/state/history.h"
#include "tests/ui/ui_test.h"
#include "worker/messages/findings.h"

namespace tilescope::ui_test {
namespace {

UI_TEST("with_race", "the_tick_becomes_a_warning_and_a_click_shows_the_line") {
  reset_layout(ctx);
  IM_CHECK(eventually(ctx, [] { return state().results.stage == Stage::done; }));
  IM_CHECK(state().results.emulated->verified->ok);
  const worker::CodeFinding* found = worker::first_error(state().results.findings);
  IM_CHECK(found != nullptr);
  IM_CHECK(!point_of(state()).verified);
  bool said = false;
  for (const StatusItem& item : shell().model->status()) {
    IM_CHECK(item.text.find("verified") == std::string::npos);
    said = said || item.text == "right here, but " + worker::finding_label(*found);
  }
  IM_CHECK(said);
  screenshot(ctx, "with_race");
  ctx->ItemClick("//##header_source/source_tab/PTX");
  auto* source = HelloImGui::GetRunnerParams()->dockingParams.dockableWindowOfName("Source");
  source->isVisible = false;
  ctx->Yield(4);
  ctx->ItemClick("//Live benchmark/**/source.finding");
  ctx->Yield(4);
  IM_CHECK(source->isVisible);
  nlohmann::json options;
  find_panel("source")->save(shell().context, options);
  IM_CHECK_EQ(options.at("tab").get<int>(), 0);
  screenshot(ctx, "with_race_source");
  run_command(ctx, "run.check");
  IM_CHECK(eventually(ctx, [] { return state().results.emulated->checks.whole_k; }));
}

}  // namespace
}  // namespace tilescope::ui_test

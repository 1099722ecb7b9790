// Counting on the card from Memory traffic, with a stand-in for ncu (tests/fixtures/tools).
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/features/traffic/counting.h"
#include "app/features/traffic/panels/traffic_table.h"
#include "app/state/card_counters.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/known_results.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

using namespace widgets;
namespace fs = std::filesystem;

fs::path ncu_state() { return std::getenv("FAKE_NCU_STATE"); }

/// What goes wrong with ncu from now on.
void set_way(const char* way) {
  fs::create_directories(ncu_state());
  std::ofstream(ncu_state() / "way") << way;
}

bool settled(ImGuiTestContext* ctx) {
  return eventually(ctx, [] { return state().results.stage == Stage::done; });
}

/// By the mouse: beside the tab, or behind "…" where it has no room there.
void press(ImGuiTestContext* ctx, const char* label) {
  const std::string header = "//##header_traffic/";
  show_panel(ctx, *find_panel("traffic"));
  if (ctx->ItemExists((header + label).c_str())) {
    ctx->ItemClick((header + label).c_str());
  } else {
    ctx->ItemClick((header + "…").c_str());
    ctx->Yield(2);
    ctx->ItemClick((std::string("//$FOCUSED/") + label).c_str());
  }
  ctx->Yield(2);
}

TrafficRow row_of(const char* id) {
  for (TrafficRow& row : traffic_rows(state(), model::Count::bytes)) {
    if (std::string(row.id) == id) return row;
  }
  return {};
}

UI_TEST("with_card", "a_button_counts_and_an_edit_drops_it") {
  set_way("");
  reset_layout(ctx);
  choose_device(state(), "cuda:0");
  IM_CHECK(settled(ctx));
  IM_CHECK(!row_of("dram.read").measured && row_of("dram.read").has_counter);
  IM_CHECK(!row_of("registers").has_counter);
  press(ctx, "Count on card");
  IM_CHECK(eventually(ctx, [] { return counters_of(state()) != nullptr; }));
  IM_CHECK_EQ(row_of("dram.read").measured->value, 32768.0);
  IM_CHECK_EQ(*row_of("dram.read").measured->modelled, 2.0 * 64 * 64 * 4);
  const TrafficRow written = row_of("dram.write");
  IM_CHECK_EQ(written.measured->value, 4096.0);
  IM_CHECK_EQ(written.modelled, 64.0 * 64 * 4);
  IM_CHECK(!written.measured->modelled && !written.measured->no_error.empty());
  IM_CHECK_EQ(row_of("l1").measured->value, 1234.0);
  IM_CHECK_STR_EQ(row_of("shared.read").measured->unit.c_str(), "wavefronts");
  ctx->Yield(4);
  screenshot(ctx, "with_counters");
  Problem p = state().edit.problem;
  p.k = 128;
  set_problem(state(), p);
  ctx->Yield(1);
  IM_CHECK(!row_of("dram.read").measured);
  p.k = 64;
  set_problem(state(), p);
  IM_CHECK(settled(ctx));
}

UI_TEST("with_card", "counting_can_be_stopped") {
  set_way("forever");
  reset_layout(ctx);
  IM_CHECK(settled(ctx));
  press(ctx, "Count on card");
  IM_CHECK(eventually(
      ctx, [] { return state().of<Counting>().stage.find("ncu") != std::string::npos; }));
  ctx->Yield(2);
  screenshot(ctx, "with_counters_running");
  press(ctx, "Stop##counting");
  ctx->Yield(2);
  IM_CHECK(!state().of<Counting>().running);
  IM_CHECK(state().results.measured.has_value());
  IM_CHECK(!shell().model->busy());
  set_way("");
}

UI_TEST("with_card", "a_refusal_stands_below_the_table") {
  set_way("no-permission");
  reset_layout(ctx);
  IM_CHECK(settled(ctx));
  press(ctx, "Count on card");
  IM_CHECK(eventually(ctx, [] { return !state().of<Counting>().error.empty(); }));
  IM_CHECK(state().of<Counting>().error.find("NVreg_RestrictProfilingToAdminUsers=0") !=
           std::string::npos);
  ctx->Yield(4);
  screenshot(ctx, "with_counters_refused");
  set_way("");
  press(ctx, "Count on card");
  IM_CHECK(eventually(ctx, [] { return counters_of(state()) != nullptr; }));
  IM_CHECK_STR_EQ(state().of<Counting>().error.c_str(), "");
}

UI_TEST("with_card", "the_ncu_command_is_copied") {
  reset_layout(ctx);
  IM_CHECK(settled(ctx));
  press(ctx, "Copy ncu command");
  const std::string text = ImGui::GetClipboardText();
  IM_CHECK(text.starts_with("ncu "));
  const Problem& p = state().edit.problem;
  const std::string size =
      std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
  const std::string kernel = state().edit.rung().kernel;
  IM_CHECK(text.find("launch --device cuda:0 --kernel " + kernel + " --size " + size) !=
           std::string::npos);
  IM_CHECK_STR_EQ(state().said.c_str(), ("Copied the ncu command of " + kernel + ".").c_str());
}

// Recorded counters of every rung: shared loads stand beside what ptxas makes of the PTX's, and
// what cp.async and TMA write and wgmma reads, for which a card has no counter, is no figure, above
// all no zero.
UI_TEST("traffic", "a_recorded_card_is_compared_with_its_own_accesses") {
  reset_layout(ctx);
  choose_device(state(), "recorded:NVIDIA H200");
  int compared = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    set_kernel(state(), kernel.info.id);
    set_tile(state(), kernel.sliders.defaults());
    Problem p = default_problem(kernel.info);
    p.m = p.n = p.k = 1024;
    set_problem(state(), p);
    if (state().derived.plan.stages() == 0) continue;
    IM_CHECK(eventually(ctx, [&] {
      const Results& r = state().results;
      const bool done = r.edit_serial == state().edit_serial && r.stage == Stage::done;
      // Where results of the problem have come, and none is this rung's, it was not recorded.
      const bool unknown = !known_results(state()).empty() &&
                           known_of(state(), kernel.info.id, state().edit.problem).empty();
      return done || unknown || counters_of(state());
    }));
    if (!counters_of(state())) continue;
    ++compared;
    const TrafficRow read = row_of("shared.read"), write = row_of("shared.write");
    const bool products = state().derived.traffic.counts.shared_product.requests > 0;
    const bool joined = state().derived.traffic.counts.joins_shared_loads();
    IM_CHECK_EQ(read.measured.has_value(), !products);
    IM_CHECK_EQ(read.no_measure.empty(), !products);
    if (read.measured) {
      IM_CHECK(std::abs(*read.measured->modelled / read.measured->value - 1) < 0.02);
      IM_CHECK_EQ(read.measured->tip.find("one wide load") != std::string::npos, joined);
    }
    const bool copies = state().derived.traffic.counts.shared_copy.requests > 0;
    IM_CHECK_EQ(write.measured.has_value(), !copies);
    IM_CHECK_EQ(write.no_measure.empty(), !copies);
    if (write.measured) IM_CHECK(write.measured->value > 0);
    if (!joined || compared > 1) continue;
    show_panel(ctx, *find_panel("traffic"));
    for (const char* tab : {"accesses", "levels"}) {
      const std::string inside = std::string("//Memory traffic/traffic_tab/") + tab;
      const std::string beside = std::string("//##header_traffic/traffic_part/") + tab;
      ctx->ItemClick(ctx->ItemExists(inside.c_str()) ? inside.c_str() : beside.c_str());
      ctx->Yield(3);
      screenshot(ctx, (std::string("traffic_joined_") + tab).c_str());
    }
  }
  IM_CHECK(compared > 5);
}

UI_TEST("traffic", "errors_are_relative_to_what_was_measured") {
  IM_CHECK_STR_EQ(error_text(99.0, 100).c_str(), "-1.0 %");
  IM_CHECK_STR_EQ(error_text(100.01, 100).c_str(), "+0.0 %");
  IM_CHECK_STR_EQ(error_text(99.99, 100).c_str(), "+0.0 %");
  IM_CHECK_STR_EQ(error_text({}, 100).c_str(), "");
  IM_CHECK_STR_EQ(error_text(5.0, 0).c_str(), "");
}

}  // namespace
}  // namespace tilescope::ui_test

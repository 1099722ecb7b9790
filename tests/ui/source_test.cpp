// Source: the figures beside the lines.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/features/source/export.h"
#include "app/kit/core/line_heat.h"
#include "app/state/edit.h"
#include "app/state/rung_news.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

using namespace widgets;

/// Beside the tab, or behind "…" where it has no room there.
void click_metric(ImGuiTestContext* ctx, const char* metric) {
  const std::string item = std::string("source_metric/") + metric;
  if (ctx->ItemExists(("//##header_source/" + item).c_str())) {
    return ctx->ItemClick(("//##header_source/" + item).c_str());
  }
  ctx->ItemClick("//##header_source/…");
  ctx->Yield(2);
  ctx->ItemClick(("//$FOCUSED/" + item).c_str());
}

UI_TEST("source", "figures_are_short_and_conflicts_are_explained") {
  IM_CHECK_STR_EQ(short_count(999).c_str(), "999");
  IM_CHECK_STR_EQ(short_count(1000).c_str(), "1.00k");
  IM_CHECK_STR_EQ(short_count(33554432).c_str(), "33.6M");
  IM_CHECK_STR_EQ(short_count(999600).c_str(), "1.00M");
  const LineFigures clean{64, 0, 256, 256}, bad{64, 0, 2048, 256};
  IM_CHECK(!clean.conflicts() && bad.conflicts());
  IM_CHECK(line_sentence("line 7", clean).find("conflict") == std::string::npos);
  const std::string sentence = line_sentence("line 7", bad);
  IM_CHECK(sentence.find("8 times") != std::string::npos &&
           sentence.find("XOR") != std::string::npos);
}

UI_TEST("source", "the_kernel_is_exported_to_the_file_that_is_named") {
  namespace fs = std::filesystem;
  reset_layout(ctx);
  const fs::path file = fs::temp_directory_path() / ("export-" + std::to_string(getpid()) + ".cu");
  run_command(ctx, "kernel.export");
  ctx->Yield(4);
  ctx->SetRef("//$FOCUSED");
  ctx->ItemInputValue("##path", file.c_str());  // and Enter
  for (int i = 0; i < 600 && !fs::exists(file); ++i) ctx->SleepNoSkip(0.05f, 0.05f);
  IM_CHECK(fs::exists(file));
  ctx->Yield(4);
  IM_CHECK_STR_EQ(state().of<Export>().error.c_str(), "");
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  IM_CHECK(text.find("tilescope_gemm<<<") != std::string::npos);
  fs::remove(file);
}

UI_TEST("source", "what_is_new_is_shown_for_each_rung") {
  reset_layout(ctx);
  const std::string before = state().edit.rung().kernel;
  for (const KernelEntry& kernel : kernel_table()) {
    set_kernel(state(), kernel.info.id);
    ctx->Yield(2);
    ctx->ItemClick("//Controls/what is new ›");
    ctx->Yield(3);
    const KernelEntry* below = rung_below(kernel);
    const std::vector<LineBlock> blocks =
        below ? new_blocks(kernel_text("", kernel.file), kernel_text("", below->file))
              : std::vector<LineBlock>{};
    const ImGuiTestItemInfo next = ctx->ItemInfo("//Source/news/###next", ImGuiTestOpFlags_NoError);
    IM_CHECK_EQ_NO_RET(next.ID != 0, !blocks.empty());
    if (blocks.size() > 1) {
      ctx->ItemClick("//Source/news/###next");
      ctx->ItemClick("//Source/news/###previous");
    }
    if (below == &kernel_table().entries[9]) screenshot(ctx, "source_news");
  }
  ctx->ItemClick("//Source/news/###close");
  ctx->Yield(2);
  IM_CHECK(!ctx->ItemExists("//Source/news/###close"));
  set_kernel(state(), before);
}

UI_TEST("source", "each_metric_is_shown_for_kernel_and_ptx") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  TileConfig tile = state().derived.kernel->sliders.defaults();
  tile.swizzle = 0;  // so that there are conflicts to mark
  set_tile(state(), tile);
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 256;
  set_problem(state(), p);
  for (int i = 0; i < 2400 &&
                  !(state().results.edit_serial == state().edit_serial && state().results.emulated);
       ++i)
    ctx->SleepNoSkip(0.05f, 0.05f);
  IM_CHECK(state().results.emulated.has_value());
  const worker::CountedTraffic& counted = state().results.emulated->counted;
  for (const auto* lines : {&counted.source_lines, &counted.ptx_lines}) {
    uint64_t wavefronts = 0, ideal = 0;
    for (const auto& line : *lines) wavefronts += line.wavefronts, ideal += line.ideal;
    IM_CHECK_GT(wavefronts, ideal);
  }
  for (const char* tab : {"kernel", "PTX"}) {
    ctx->ItemClick((std::string("//##header_source/source_tab/") + tab).c_str());
    for (int metric = 0; metric < 3; ++metric) {
      click_metric(ctx, kLineMetrics[metric]);
      ctx->Yield(2);
      nlohmann::json options = nlohmann::json::object();
      find_panel("source")->save(shell().context, options);
      IM_CHECK_EQ(options.at("metric").get<int>(), metric);
    }
  }
  screenshot(ctx, "source_wavefronts");
  set_tile(state(), state().derived.kernel->sliders.defaults());
}

}  // namespace
}  // namespace tilescope::ui_test

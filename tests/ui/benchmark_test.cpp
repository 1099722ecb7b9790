// Live benchmark: the table of the best tiles.
#include "app/features/benchmark/panels/best_tiles.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

using namespace widgets;

HistoryPoint point(const char* label, double tflops, std::optional<double> of_library) {
  HistoryPoint p;
  p.edit.change_rung().kernel = "mma_multistage";
  p.label = label, p.tflops = tflops, p.of_library = of_library;
  p.standing = Standing::recorded, p.date = "2026-11-20", p.device = "NVIDIA H200";
  return p;
}

UI_TEST("benchmark", "best_tiles_are_sorted_and_copied") {
  std::vector<HistoryPoint> history = {point("b", 300, 0.4), point("a", 450, std::nullopt),
                                       point("c", 400, 0.6)};
  history.push_back(history[0]);
  history.back().edit.change_rung().kernel = "naive";
  history.push_back(point("m", 600, std::nullopt));
  history.back().standing = Standing::modelled;
  std::vector<const HistoryPoint*> shown;
  for (const HistoryPoint& p : history) shown.push_back(&p);
  const auto labels = [&](TileColumn column, bool descending, bool modelled = false) {
    std::string text;
    for (const HistoryPoint* p :
         sorted_tiles(shown, "mma_multistage", column, descending, modelled))
      text += p->label;
    return text;
  };
  IM_CHECK_STR_EQ(labels(TileColumn::tflops, true).c_str(), "acb");
  IM_CHECK_STR_EQ(labels(TileColumn::tflops, false).c_str(), "bca");
  IM_CHECK_STR_EQ(labels(TileColumn::tile, false).c_str(), "abc");
  IM_CHECK_STR_EQ(labels(TileColumn::of_library, true).c_str(), "cba");  // none comes last
  IM_CHECK_STR_EQ(labels(TileColumn::of_library, false).c_str(), "bca");
  IM_CHECK_STR_EQ(labels(TileColumn::tflops, true, true).c_str(), "macb");
  const std::string text =
      tiles_text(sorted_tiles(shown, "mma_multistage", TileColumn::tflops, true));
  IM_CHECK(text.find("a\t450\t\trecorded 2026-11-20\tNVIDIA H200\n") != std::string::npos);
}

}  // namespace
}  // namespace tilescope::ui_test

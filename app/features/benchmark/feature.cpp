#include "app/state/feature.h"
#include <algorithm>
#include "app/features/benchmark/benchmark_view.h"
#include "app/state/view_session.h"

namespace tilescope {
namespace benchmark_row {
namespace {

struct Options {
  static void each(auto& view, auto visit) {
    visit("benchmark_tab", view.tab);
    visit("rank_modelled", view.rank_modelled);
  }
  static void settle(BenchmarkView& v) { v.tab = std::clamp(v.tab, 0, 1); }
};

}  // namespace
}  // namespace benchmark_row

extern const Feature benchmark_feature{
    .session = session_of_options<BenchmarkView, benchmark_row::Options>()};

}  // namespace tilescope

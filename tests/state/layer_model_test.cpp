// The model of a layer against layers that were measured on two H200 (docs/performance.md,
// "Layers").
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/common/layer_plan.h"
#include "tests/sampled.h"

namespace tilescope {
namespace {

/// With the rungs that there were: those that a card of any kind has the instructions of.
LayerPlan plan_as_measured(const workload::Layer& layer, const model::DeviceRow& card,
                           const std::string& kernel) {
  LayerPlan plan = plan_layer(layer, card, {}, kernel);
  if (!kernel.empty()) return plan;
  const workload::Workload& w = plan.workload;
  std::vector<worker::StepChoice> choices(w.steps.size());
  for (size_t i = 0; i < w.steps.size(); ++i) {
    if (w.steps[i].kind != workload::StepKind::gemm) continue;
    RungChoice best;
    for (const KernelEntry& rung : kernel_table()) {
      if (rung.info.only_sm != 0) continue;
      const RungChoice one = best_rung(workload::problem_of(w, w.steps[i], 0), card,
                                       {rung.info.id, plan.steps[i].beside});
      if (one.kernel && (!best.kernel || one.us < best.us)) best = one;
    }
    if (!best.kernel) continue;
    choices[i].kernel = best.kernel->info.id, choices[i].tile = best.tile;
  }
  return plan_layer(layer, card, choices, {});
}

TEST(LayerModel, IsNearWhatWasMeasured) {
  if (figures_are_elsewhere()) GTEST_SKIP() << kFiguresElsewhere;
  std::ifstream in(TILESCOPE_FIXTURES "/layers/h200x2.json");
  const nlohmann::json measured = nlohmann::json::parse(in);
  const model::DeviceRow* card = model::find_device(measured.at("card").get<std::string>());
  ASSERT_NE(card, nullptr);
  double worst = 0;
  size_t large = 0;
  for (const nlohmann::json& row : measured.at("layers")) {
    const LayerPlan plan =
        plan_as_measured(row.get<workload::Layer>(), *card, row.value("kernel", ""));
    const auto off = [](double modelled, double us) { return std::abs(modelled / us - 1); };
    const double total_us = row.at("measured_us").get<double>();
    const double total = off(plan.schedule.total_us, total_us);
    const double forward =
        off(plan.schedule.forward_us, row.at("measured_forward_us").get<double>());
    if (total_us > 1000) {
      ++large;
      // Tiles are chosen anew by the model of today, and for two layers it takes others now than
      // those that were measured (whole tiles in place of Stream-K).
      EXPECT_LT(total, 0.18) << row.at("name");
      EXPECT_LT(forward, 0.19) << row.at("name");
    } else {
      EXPECT_LT(total, 0.2) << row.at("name");
      EXPECT_LT(forward, 0.25) << row.at("name");
    }
    worst = std::max(worst, total);
  }
  EXPECT_GE(large, 15u);
  RecordProperty("worst", std::to_string(worst));
}

}  // namespace
}  // namespace tilescope

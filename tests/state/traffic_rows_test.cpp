// The lines of Memory traffic: what stands beside each other in one is of the same bytes.
#include "app/features/traffic/traffic_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "worker/messages/counters.h"

namespace tilescope {
namespace {

/// A card that counts what the model says, but for DRAM, where it reads 2 % more and has written
/// half of C when the kernel ends.
AppState counted_by_a_card(const KernelEntry& kernel) {
  AppState state = initial_state();
  set_kernel(state, kernel.info.id);
  set_tile(state, kernel.sliders.defaults());
  const model::Traffic t = expected_traffic(state);
  worker::CountersResult card;
  card.standing = "measured", card.device = state.device;
  for (const worker::Counter& counter : worker::counter_list()) {
    using M = worker::MeasuredTraffic;
    const auto set = [&](std::optional<double> M::*figure, double value) {
      if (counter.figure == figure) card.values[counter.metric] = value / counter.factor;
    };
    set(&M::dram_read, t.dram.read * 1.02), set(&M::dram_write, t.dram.write / 2);
    set(&M::l2_read, t.l2.read), set(&M::l2_write, t.l2.write);
  }
  state.results.edit_serial = state.edit_serial;
  state.results.counters = card;
  return state;
}

TEST(TrafficRows, AFigureOfACardStandsBesideTheModelsOfTheSameBytes) {
  for (const KernelEntry& kernel : kernel_table()) {
    const AppState state = counted_by_a_card(kernel);
    int compared = 0;
    for (const model::Count count : {model::Count::bytes, model::Count::elements}) {
      for (const TrafficRow& row : traffic_rows(state, count)) {
        if (!row.measured || !row.measured->unit.empty()) continue;
        const std::string where = std::string(kernel.info.id) + " " + row.id;
        // What the error is of is what stands in the line; of what nothing can be said there is
        // none, with the reason.
        EXPECT_NE(row.measured->modelled.has_value(), !row.measured->no_error.empty()) << where;
        if (!row.measured->modelled) continue;
        ++compared;
        EXPECT_DOUBLE_EQ(*row.measured->modelled, row.modelled) << where;
        const double off = row.modelled / row.measured->value - 1;
        EXPECT_NEAR(off, row.hue == TrafficHue::dram ? 1 / 1.02 - 1 : 0, 1e-6) << where;
      }
    }
    EXPECT_EQ(compared, 4) << kernel.info.id;  // DRAM read and L2 → SM, counted both ways
  }
}

TEST(TrafficRows, DramIsReadAndWrittenApartAndBothAreAllOfIt) {
  for (const KernelEntry& kernel : kernel_table()) {
    const AppState state = counted_by_a_card(kernel);
    double modelled = 0;
    for (const TrafficRow& row : traffic_rows(state, model::Count::bytes)) {
      if (row.hue == TrafficHue::dram) modelled += row.modelled;
    }
    EXPECT_DOUBLE_EQ(modelled, expected_traffic(state).dram.all(model::Count::bytes));
  }
}

TEST(TrafficRows, AccessesAreThoseOfTheTableOfAccessesAndNoneIsCountedTwice) {
  for (const KernelEntry& kernel : kernel_table()) {
    const AppState state = counted_by_a_card(kernel);
    const std::vector<AccessRow> accesses = access_rows(state);
    std::vector<TrafficRow> rows = traffic_rows(state, model::Count::bytes);
    put_accesses(rows, accesses);
    uint64_t in_rows = 0, in_accesses = 0;
    for (const TrafficRow& row : rows) {
      if (!row.accesses) continue;
      in_rows += row.accesses->requests;
      EXPECT_LE(row.accesses->ideal, row.accesses->cost) << kernel.info.id << " " << row.id;
      EXPECT_FALSE(row.accesses_counted) << "nothing was run";
      EXPECT_FALSE(row.access_unit.empty());
    }
    // Bulk copies go past the L1; what ptxas joins are the same loads once more.
    for (const AccessRow& access : accesses) {
      const std::string_view id = access.id;
      if (!id.starts_with("global.bulk") && !access.of_card)
        in_accesses += access.modelled.requests;
    }
    EXPECT_EQ(in_rows, in_accesses) << kernel.info.id;
  }
}

TEST(TrafficRows, AgainstBIsTheOtherWayRoundFromB) {
  for (const KernelEntry& kernel : kernel_table()) {
    const AppState a = counted_by_a_card(kernel);
    AppState b = a;
    Problem wide = b.edit.problem;
    wide.n *= 2;
    set_problem(b, wide);
    int differing = 0;
    for (const model::Count count : {model::Count::bytes, model::Count::elements}) {
      const auto of_a = traffic_rows(a, count), of_b = traffic_rows(b, count);
      ASSERT_EQ(of_a.size(), of_b.size());
      for (size_t i = 0; i < of_a.size(); ++i) {
        const auto there = against_second(of_a[i], of_b[i], count);
        const auto back = against_second(of_b[i], of_a[i], count);
        ASSERT_EQ(there.has_value(), back.has_value()) << of_a[i].id;
        if (!there) continue;
        EXPECT_NEAR((1 + there->part) * (1 + back->part), 1, 1e-9);
        const auto same = against_second(of_a[i], of_a[i], count);
        ASSERT_TRUE(same);
        EXPECT_EQ(against_text(*same), "same");
        differing += against_text(*there) != "same";
      }
    }
    EXPECT_GT(differing, 0) << kernel.info.id;
  }
  EXPECT_EQ(against_text({0.25, ""}), "+25.0 %");
  EXPECT_EQ(against_text({-0.25, ""}), "−25.0 %");
  EXPECT_EQ(against_text({3, ""}), "× 4");
  EXPECT_EQ(against_text({std::numeric_limits<double>::infinity(), ""}), "new");
}

}  // namespace
}  // namespace tilescope

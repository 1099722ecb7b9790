#include "core/workload/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/workload/link.h"
#include "tests/workload/layers.h"

namespace tilescope::workload {
namespace {

double chunk_time(int step, int chunk, int rank) {
  return 10 + step * 3 + chunk + (rank + 1) * 0.5;
}

RC_GTEST_PROP(Schedule, EachChunkIsDoneOnceAndAfterWhatItReads, ()) {
  const Workload w = make_workload(any_layer(64));
  const Schedule s =
      schedule(w, chunk_time, {.product = 0.8, .wait = [](int, int, int) { return 4.0; }});
  std::map<std::tuple<int, int, int>, Bar> done;
  for (const Bar& b : s.bars)
    RC_ASSERT(done.emplace(std::tuple(b.step, b.chunk, b.rank), b).second);
  size_t all = 0;
  std::map<int, double> rank_free;
  for (int i = 0; i < static_cast<int>(w.steps.size()); ++i) {
    const Step& step = w.steps[static_cast<size_t>(i)];
    const bool shared = is_collective(step);
    const int first = shared ? -1 : 0, end = shared ? 0 : w.layer.ranks;
    for (int chunk = 0; chunk < step.chunks; ++chunk) {
      for (int rank = first; rank < end; ++rank, ++all) {
        const Bar& b = done.at({i, chunk, rank});
        RC_ASSERT(b.us() >= chunk_time(i, chunk, rank) - 1e-6);
        RC_ASSERT(b.begin_us >= rank_free[rank] - 1e-6);  // a rank does one thing at a time
        rank_free[rank] = b.end_us;
        if (!shared) continue;
        for (int r = 0; r < w.layer.ranks; ++r) {
          for (const int before : step.after) {
            const int read = w.steps[static_cast<size_t>(before)].chunks == step.chunks ? chunk : 0;
            RC_ASSERT(done.at({before, read, r}).end_us <= b.begin_us + 1e-6);
          }
        }
      }
    }
  }
  RC_ASSERT(all == s.bars.size());
}

// What a bar names as its cause ends just when it begins, or, of a transfer, when it is asked for;
// what had the SMs then was running.
RC_GTEST_PROP(Schedule, ACauseEndsWhenWhatWaitsForItBegins, ()) {
  const Workload w = make_workload(any_layer(64));
  const Schedule s =
      schedule(w, chunk_time, {.product = 0.8, .wait = [](int, int, int) { return 4.0; }});
  for (const Bar& bar : s.bars) {
    const double began = bar.rank < 0 ? bar.asked_us : bar.begin_us;
    if (bar.cause.kind == Cause::Kind::none) {
      RC_ASSERT(began == 0);
      continue;
    }
    double ended = 0;
    for (const Bar& other : s.bars) {
      const bool same_lane = other.rank == bar.rank;
      if (other.step != bar.cause.of.step) continue;
      if (bar.cause.of.chunk >= 0 && other.chunk != bar.cause.of.chunk) continue;
      if (bar.cause.kind == Cause::Kind::lane && !same_lane) continue;
      ended = std::max(ended, other.end_us);
    }
    RC_ASSERT(std::abs(ended - began) < 1e-6);
    RC_ASSERT(bar.begin_us >= began);
    RC_ASSERT((bar.holder.step >= 0) == (bar.begin_us > began + 1e-9));
    if (bar.holder.step < 0) continue;
    RC_ASSERT(std::ranges::any_of(s.bars, [&](const Bar& other) {
      return other.step == bar.holder.step && other.chunk == bar.holder.chunk &&
             other.begin_us <= began + 1e-9 && other.end_us >= bar.begin_us - 1e-9;
    }));
  }
}

TEST(Schedule, AnOverlappedSumHidesBehindWhatFollows) {
  Layer l{.kind = LayerKind::column, .tokens = 64, .in = 64, .out = 64, .ranks = 2, .chunks = 4};
  const auto total = [&l](bool overlap, double sum_us) {
    l.overlap = overlap;
    const Workload w = make_workload(l);
    const auto time = [&](int step, int, int rank) {
      return rank < 0 ? sum_us : 100.0 / w.steps[static_cast<size_t>(step)].chunks;
    };
    return schedule(w, time, {}).total_us;
  };
  EXPECT_DOUBLE_EQ(total(false, 20), 4 * 100 + 4 * 20);  // Y, dX, dW, db, and four sums
  EXPECT_DOUBLE_EQ(total(true, 20), 4 * 100);
  EXPECT_DOUBLE_EQ(total(true, 100),
                   100 + 25 + 4 * 100);  // the link is busy from the first chunk on
}

TEST(Schedule, WhatRunsSideBySideIsSlower) {
  const Workload w = make_workload(
      {.kind = LayerKind::column, .tokens = 64, .in = 64, .out = 64, .ranks = 2, .chunks = 1});
  const auto time = [](int, int, int) { return 100.0; };
  // Y and dX alone; the sum begins once a CTA of dW has ended, and dW and db go on at 0.8 beside
  // it.
  const Schedule s =
      schedule(w, time, {.product = 0.8, .wait = [](int, int, int) { return 30.0; }});
  EXPECT_DOUBLE_EQ(s.forward_us, 100);
  EXPECT_DOUBLE_EQ(s.total_us, 200 + 200 + (100 - 0.8 * 100));
  const auto sum = std::ranges::find(s.bars, -1, &Bar::rank);
  ASSERT_NE(sum, s.bars.end());
  EXPECT_DOUBLE_EQ(sum->begin_us, 230);
  EXPECT_DOUBLE_EQ(sum->us(), 100);
}

TEST(Link, AllReducesTakeWhatTheyTookOnTwoCards) {
  const Link& nvlink = link_of("NVIDIA H200");
  EXPECT_TRUE(nvlink.measured);
  EXPECT_EQ(collective_us(nvlink, StepKind::all_reduce, 134.2e6, 1, 4000), 0);
  EXPECT_NEAR(collective_us(nvlink, StepKind::all_reduce, 134.2e6, 2, 4000), 490, 1);
  double before = 0;
  for (double bytes = 1e3; bytes < 1e10; bytes *= 1.3) {
    for (const int ranks : {2, 3, 8}) {
      const double sum = collective_us(nvlink, StepKind::all_reduce, bytes, ranks, 4000);
      const Link& older = link_of("NVIDIA A100 SXM 80GB");
      EXPECT_LE(sum, collective_us(older, StepKind::all_reduce, bytes, ranks, 4000));
      EXPECT_GT(sum, 0);
    }
    const double now = collective_us(nvlink, StepKind::all_reduce, bytes, 2, 4000);
    EXPECT_GE(now, before);
    before = now;
  }
}

}  // namespace
}  // namespace tilescope::workload

// The event list as the window and the command line get it: window, folds, JSON and binary forms.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "core/layout/thread_elements.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "worker/engine/error.h"
#include "worker/engine/trace/trace.h"
#include "worker/engine/trace/trace_window.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_trace.h"

namespace tilescope::worker {
namespace {

using Kind = TraceEvent::Kind;

TraceResult trace_of(const KernelRequest& request, const TraceRequest& options = {}) {
  const auto compiled = test_compiler().compile(request, "sm_90");
  return trace(request, kernel_of(request), compiled->result.ptx, options);
}

// Behind a work item the run of its CTA ends; where that is, the plan says, if it is right.
class EveryKernelsItems : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelsItems, every_kernel(), kernel_name);

TEST_P(EveryKernelsItems, AreWholeWithTheBarriersOfAnotherPlanToo) {
  const KernelRequest request = default_request(GetParam(), 2048, 4096, 192);
  const KernelPlan plan = kernel_of(request).plan(request.tile, request.problem);
  ASSERT_EQ(work_items(plan.work, 0) > 1, stays(plan.work));
  if (!stays(plan.work)) GTEST_SKIP() << "a CTA has one work item";
  const std::string ptx = test_compiler().compile(request, "sm_90")->result.ptx;
  std::string twice = ptx;
  const std::regex barrier(R"((bar(rier)?\.sync[^;\n]*;))");
  twice = std::regex_replace(ptx, barrier, "$1 $1");
  // Where stages are handed over there may be none of all threads.
  if (plan.producer_threads == 0) {
    ASSERT_NE(twice, ptx);
  }
  for (const std::string& code : {ptx, twice}) {
    for (const int i : {0, work_items(plan.work, 0) - 1}) {
      const WorkItem item = work_item(plan.work, 0, i);
      std::set<int> multiplied;
      const TraceResult result = trace(request, kernel_of(request), code, {.item = i});
      for (const TraceEvent& e : result.events) {
        if (e.kind == Kind::mma || e.kind == Kind::fma) multiplied.insert(e.k_step);
      }
      EXPECT_TRUE(multiplied.contains(item.k_begin)) << i;
      EXPECT_TRUE(multiplied.contains(item.k_end - 1)) << i;
    }
  }
}

TEST(TraceWindow, HoldsWhatWasAskedFor) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  const KernelRequest request = default_request("mma_multistage", 128, 128, 64 * 64);
  const KernelPlan plan = kernel.plan(request.tile, request.problem);
  // One barrier before the loop and one in each slice.
  const TraceWindow window = choose_window(plan, {}, 30, 66, 10000);
  EXPECT_TRUE(window.by_epoch);
  EXPECT_EQ(window.k_steps, (std::vector<int>{0, 1, 2, 3, 4, 29, 30, 31, 63}));
  for (const uint32_t epoch : {0u, 1u, 5u, 6u, 30u, 31u, 32u, 33u, 64u, 65u}) {
    EXPECT_TRUE(window.shows(epoch, 0)) << epoch;
  }
  for (const uint32_t epoch : {7u, 20u, 29u, 34u, 60u, 66u}) {
    EXPECT_FALSE(window.shows(epoch, 0)) << epoch;
  }
  EXPECT_TRUE(window.records(27, 0));  // where the data of slice 29 was copied
  EXPECT_FALSE(window.records(20, 0));
}

TEST(TraceWindow, ShowsAllOfAShortRun) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  const KernelRequest request = default_request("mma_multistage", 128, 128, 100);
  const TraceWindow window =
      choose_window(kernel.plan(request.tile, request.problem), {}, 0, 4, 10000);
  for (uint32_t epoch = 0; epoch < 4; ++epoch) EXPECT_TRUE(window.shows(epoch, 0));
}

class EveryKernelsTrace : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelsTrace, every_kernel(), kernel_name);

/// Of an item in the middle of the problem, with two tiles or more each way.
void expect_complete(KernelRequest request) {
  const KernelEntry& kernel = kernel_of(request);
  const KernelPlan tile = kernel.plan(request.tile, request.problem);
  request.problem.m = std::max(256, 2 * tile.block_m);
  request.problem.n = std::max(256, 2 * tile.block_n);
  const KernelPlan plan = kernel.plan(request.tile, request.problem);
  // The item that computes the middle of a tile's k; its own middle.
  const TileWorker worker = worker_of(plan.work, {1, 1}, plan.work.k_slices / 2);
  const WorkItem item = work_item(plan.work, worker.cta, worker.item);
  const int chosen = (item.k_begin + item.k_end) / 2;
  const TraceResult result = trace_of(
      request,
      {.cta = block_index(launch_of(plan), worker.cta), .item = worker.item, .k_step = chosen});
  EXPECT_EQ(result.tile, (Coord{1, 1}));
  EXPECT_EQ(result.k_begin, item.k_begin);
  EXPECT_EQ(result.k_end, item.k_end);
  EXPECT_EQ(result.warps, plan.cta_warps());
  EXPECT_EQ(result.k_slices, plan.work.k_slices);
  EXPECT_EQ(result.revision.size(), 32u);
  ASSERT_FALSE(result.events.empty());
  for (const int step : {item.k_begin, chosen - 1, chosen, chosen + 1, item.k_end - 1}) {
    if (step < item.k_begin || step >= item.k_end) continue;
    EXPECT_NE(std::find(result.recorded_k_steps.begin(), result.recorded_k_steps.end(), step),
              result.recorded_k_steps.end());
  }

  std::map<int, uint64_t> math;  // k step → mma or fma, all warps
  uint64_t stored = 0, staged = 0, in_workspace = 0, folds = 0, barriers = 0;
  for (size_t i = 0; i < result.events.size(); ++i) {
    const TraceEvent& e = result.events[i];
    if (i > 0) {
      const TraceEvent& b = result.events[i - 1];
      EXPECT_LT(std::tuple(b.epoch, b.warp, b.index), std::tuple(e.epoch, e.warp, e.index));
      if (b.epoch == e.epoch && b.warp == e.warp) {
        EXPECT_GE(e.index, b.index + b.count);
      }
    }
    if (e.kind == Kind::mma || e.kind == Kind::fma) math[e.k_step] += e.count;
    const bool is_c = e.matrix == static_cast<int>(Operand::c);
    if (e.kind == Kind::store && !e.shared && is_c) stored += e.elements;
    if (e.kind == Kind::store && e.shared && is_c) staged += e.elements;
    if (e.kind == Kind::load || e.kind == Kind::store || e.kind == Kind::copy) {
      // Parts of C in the workspace, and its counters.
      const bool parts = shares_tiles(plan.work) && !e.shared && e.matrix < 0;
      if (parts) in_workspace += e.elements;
      // Fragments loaded ahead of a slice that does not come: its stage may have held nothing yet.
      const bool in_vain = e.kind == Kind::load && e.shared && e.matrix < 0 &&
                           item.k_end - item.k_begin < plan.stages() &&
                           plan.load_a.register_stages > 1;
      if (!parts && !in_vain) {
        EXPECT_GE(e.matrix, 0) << "event " << i;
        EXPECT_GT(e.elements, 0u);
      }
      ASSERT_GE(e.first_raw, 0);
      ASSERT_LE(static_cast<size_t>(e.first_raw) + e.count, result.raw.size());
    }
    if (e.kind == Kind::load || e.kind == Kind::mma || e.kind == Kind::fma) {
      EXPECT_GT(e.line, 0);
    }
    folds += e.count > 1;
    // Where stages are handed over, a wait for an mbarrier is what divides the slices.
    barriers += e.kind == Kind::barrier || (e.kind == Kind::wait && by_boxes(plan.copy_a.kind));
  }
  if (plan.copy_a.kind != CopyKind::direct) {
    // One product a k alternates with its loads.
    EXPECT_TRUE(folds > 0 || thread_elements(plan) == 1);
    EXPECT_GE(barriers, static_cast<uint64_t>(plan.warps()) * result.recorded_k_steps.size());
  }
  const bool stores = !item.partial || item.k_begin == 0;
  EXPECT_EQ(stored, stores ? static_cast<uint64_t>(plan.block_m * plan.block_n) : 0);
  // Sums on their way to C, in shared memory or in the workspace, are parts of C's elements.
  const bool through_shared =
      plan.epilogue.kind == EpilogueKind::shared || plan.epilogue.kind == EpilogueKind::boxes;
  EXPECT_EQ(staged > 0, through_shared && stores);
  EXPECT_EQ(in_workspace > 0, item.partial);
  const uint64_t per_step =
      plan.math() == Math::mma
          ? static_cast<uint64_t>(mmas_m(plan) * mmas_n(plan) * mmas_k(plan) * plan.warps())
          : static_cast<uint64_t>(thread_elements(plan) * plan.block_k * plan.warps());
  for (const int step : result.recorded_k_steps)
    EXPECT_EQ(math[step], per_step * (plan.split.present() ? 3u : 1u)) << "k step " << step;
}

TEST_P(EveryKernelsTrace, IsOrderedFoldedAndComplete) {
  KernelRequest request = default_request(GetParam(), 256, 256, 1024);
  expect_complete(request);
  // And where CTAs share tiles, if it can.
  const Slider* splits = kernel_of(request).sliders.find(TileFieldId::splits);
  if (!splits) return;
  for (const int count : {0, 2}) {
    if (!splits->allows(count)) continue;
    SCOPED_TRACE("splits " + std::to_string(count));
    request.tile.splits = count;
    if (request.tile.cluster_m > 0) request.tile.cluster_m = request.tile.cluster_n = 1;
    expect_complete(request);
  }
}

TEST(Trace, MmaTilesAreEachThereOnceAKStep) {
  for (const int block_k : {16, 32, 64}) {  // 16: an odd number of mma steps moves its fragments
    KernelRequest request = default_request("mma_multistage", 256, 256, 512);
    request.tile.block_k = block_k;
    const KernelPlan plan = kernel_of(request).plan(request.tile, request.problem);
    const TraceResult result = trace_of(request, {.cta = {0, 1}, .k_step = 6});
    std::map<std::array<int, 5>, int> seen;  // warp, k step, m, n, k
    for (const TraceEvent& e : result.events) {
      if (e.kind != Kind::mma) continue;
      EXPECT_EQ(e.count, static_cast<uint32_t>(mmas_m(plan) * mmas_n(plan)));  // "mma ×32"
      EXPECT_EQ(e.stage, e.k_step % plan.stages());
      for (uint32_t i = 0; i < e.count; ++i) {
        const RawAccess& raw = result.raw[static_cast<size_t>(e.first_raw) + i];
        ++seen[{e.warp, e.k_step, raw.mma_m, raw.mma_n, raw.mma_k}];
      }
    }
    for (const int step : result.recorded_k_steps) {
      for (int warp = 0; warp < plan.warps(); ++warp) {
        for (int m = 0; m < mmas_m(plan); ++m) {
          for (int n = 0; n < mmas_n(plan); ++n) {
            for (int k = 0; k < mmas_k(plan); ++k) {
              EXPECT_EQ((seen[{warp, step, m, n, k}]), 1) << step << ": " << m << n << k;
            }
          }
        }
      }
    }
  }
}

// A warp reads a stage only once it has waited for the groups that filled it, and for a while
// after the copies it has not; across what was not recorded, too.
TEST(Trace, SaysWhichGroupsHaveBeenWaitedFor) {
  const KernelRequest request = default_request("mma_multistage", 128, 128, 64 * 64);
  const KernelPlan plan = kernel_of(request).plan(request.tile, request.problem);
  const TraceResult result = trace_of(request, {.k_step = 30});
  const uint64_t per_slice =
      static_cast<uint64_t>(plan.copy_a.chunks() + plan.copy_b.chunks()) / 32;
  std::map<int, uint64_t> copies;               // slice → warp instructions, all warps
  std::map<std::pair<int, int>, int> group_of;  // warp, slice → the last of its copies
  std::map<int, int> done;                      // warp → groups
  std::vector<TraceEvent> all = result.lead;
  for (const TraceEvent& e : result.lead) {
    EXPECT_TRUE(e.kind == Kind::copy || e.kind == Kind::wait);
    EXPECT_EQ(e.first_raw, -1);
  }
  all.insert(all.end(), result.events.begin(), result.events.end());
  std::stable_sort(all.begin(), all.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return std::tuple(a.epoch, a.warp, a.index) < std::tuple(b.epoch, b.warp, b.index);
  });
  int reads = 0, in_flight = 0;
  for (const TraceEvent& e : all) {
    EXPECT_GE(e.groups_done, done[e.warp]);
    done[e.warp] = e.groups_done;
    if (e.kind == Kind::copy) {
      EXPECT_GE(e.group, e.groups_done);
      group_of[{e.warp, e.k_step}] = e.group;
      copies[e.k_step] += e.count;
      ++in_flight;
    }
    if (e.kind != Kind::load || !e.shared) continue;
    ASSERT_TRUE(group_of.contains({e.warp, e.k_step})) << e.k_step;
    EXPECT_GT(e.groups_done, (group_of[{e.warp, e.k_step}])) << e.k_step;
    ++reads;
  }
  EXPECT_GT(reads, 0);
  EXPECT_GT(in_flight, 0);
  for (const int step : result.recorded_k_steps) EXPECT_EQ(copies[step], per_slice) << step;
}

TEST(Trace, CopiesNameBothSides) {
  const KernelRequest request = default_request("mma_multistage", 200, 128, 256);
  const KernelPlan plan = kernel_of(request).plan(request.tile, request.problem);
  const TraceResult result = trace_of(request, {.cta = {0, 1}, .k_step = 0});
  int copies = 0;
  for (const TraceEvent& e : result.events) {
    if (e.kind != Kind::copy) continue;
    ++copies;
    for (uint32_t i = 0; i < e.count; ++i) {
      const RawAccess& global = result.raw[static_cast<size_t>(e.first_raw) + i];
      EXPECT_FALSE(global.shared);
      ASSERT_GE(global.shared_partner, 0);
      const RawAccess& shared = result.raw[static_cast<size_t>(global.shared_partner)];
      EXPECT_TRUE(shared.shared);
      EXPECT_EQ(shared.bytes, 16);
      for (int lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(
            shared.address[static_cast<size_t>(lane)] / static_cast<unsigned>(plan.stage_bytes()),
            static_cast<unsigned>(e.stage));
      }
    }
  }
  EXPECT_GT(copies, 0);
  // Rows 200 to 255 of A are filled with zeros: nothing is read for them.
  bool filled = false;
  for (const RawAccess& raw : result.raw) {
    filled = filled || (!raw.shared && raw.bytes == 16 && raw.address[31] == kNoAddress);
  }
  EXPECT_TRUE(filled);
}

TEST(Trace, RefusesWhatLiesOutsideTheLaunch) {
  const KernelRequest request = default_request("mma_multistage", 256, 256, 256);
  for (const TraceRequest& wrong :
       {TraceRequest{.cta = {2}}, TraceRequest{.cta = {0, -1}}, TraceRequest{.k_step = 4}}) {
    try {
      trace_of(request, wrong);
      ADD_FAILURE() << "accepted";
    } catch (const RpcError& error) {
      EXPECT_EQ(error.exit_code, 2);
      EXPECT_NE(error.message.find("this launch has 0 to"), std::string::npos);
    }
  }
}

// Cut into frames of an odd length, and joined again.
TraceParts sent(const TraceResult& result, nlohmann::json& answer) {
  TraceParts parts;
  answer = nlohmann::json::parse(
      send_trace(result, [&](std::string_view type, std::span<const std::byte> bytes) {
        for (; bytes.size() > 7; bytes = bytes.subspan(7)) parts.add(type, bytes.first(7));
        parts.add(type, bytes);
      }).dump());
  return parts;
}

TEST(Trace, SurvivesItsWay) {
  const TraceResult result =
      trace_of(default_request("mma_multistage", 130, 70, 96), {.k_step = 1});
  nlohmann::json answer;
  TraceParts parts = sent(result, answer);
  const TraceResult back = parts.whole(answer);
  EXPECT_EQ(nlohmann::json(back), nlohmann::json(result));
  EXPECT_FALSE(back.events.empty());
  EXPECT_EQ(back.events, result.events);
  EXPECT_EQ(back.lead, result.lead);
  ASSERT_EQ(back.raw.size(), result.raw.size());
  for (size_t i = 0; i < result.raw.size(); ++i) {
    EXPECT_EQ(back.raw[i].shared_partner, result.raw[i].shared_partner);
    EXPECT_EQ(back.raw[i].mma_m, result.raw[i].mma_m);
    EXPECT_EQ(back.raw[i].shared, result.raw[i].shared);
    EXPECT_EQ(back.raw[i].touched, result.raw[i].touched);
    if (result.raw[i].bytes > 0) {
      EXPECT_EQ(back.raw[i].address, result.raw[i].address);
    }
  }
  const std::byte more[1] = {};
  for (const char* type : {"trace.events", "trace.lead", "trace.raw"}) {
    TraceParts cut = parts;
    cut.add(type, more);
    EXPECT_THROW(cut.whole(answer), std::invalid_argument) << type;
  }
  answer["event_count"] = result.events.size() + 1;
  EXPECT_THROW(parts.whole(answer), std::invalid_argument);
}

}  // namespace
}  // namespace tilescope::worker

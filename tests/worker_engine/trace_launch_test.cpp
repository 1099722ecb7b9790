// A kernel's trace without its plan: the same events, told by buffers and by iterations of its
// outermost loop.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "engine_support.h"
#include "tests/every_kernel.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/error.h"
#include "worker/engine/trace/trace.h"
#include "worker/engine/trace/trace_launch.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_trace.h"
#include "worker/protocol/frames.h"

namespace tilescope::worker {
namespace {

using Kind = TraceEvent::Kind;

/// The launch that a plan makes, and nothing else of it.
LaunchRequest launch_without_plan(const KernelRequest& request, const std::string& ptx) {
  GemmFill nothing;
  nothing.skip = true;
  EmulatedGemm gemm = prepare_gemm(request, kernel_of(request), ptx, nothing);
  LaunchRequest launch;
  launch.ptx = ptx;
  launch.entry = kEntryName;
  launch.grid = {gemm.launch.grid.x, gemm.launch.grid.y, gemm.launch.grid.z};
  launch.block = {gemm.launch.block.x, gemm.launch.block.y, gemm.launch.block.z};
  launch.shared_bytes = gemm.launch.dynamic_shared_bytes;
  launch.parameters = gemm.launch.parameters;
  for (const uint64_t at : {gemm.a, gemm.b, gemm.c, gemm.workspace}) {
    if (at == 0) continue;
    const int buffer = gemm.memory.locate(at).buffer;
    launch.buffers.push_back({gemm.memory.name(buffer), gemm.memory.bytes(at).size()});
  }
  return launch;
}

std::string ptx_of(const KernelRequest& request) {
  return test_compiler().compile(request, "sm_90")->result.ptx;
}

/// What does not depend on how events are folded, nor on who knows of matrices.
struct Told {
  std::map<std::tuple<uint32_t, uint16_t, Kind>, uint64_t> counts;  // by epoch and warp
  // Memory and mma, by warp and step: line, and where each lane goes.
  std::map<std::pair<uint16_t, uint64_t>, std::tuple<Kind, int, std::array<uint64_t, 32>>> raw;

  int warps = 0;  // that multiply; who knows of producers shows these ahead of them

  void add(const TraceResult& t) {
    for (const TraceEvent& e : t.events) {
      counts[{e.warp < warps ? e.epoch : 0, e.warp, e.kind}] += e.count;
      if (e.first_raw < 0 || e.kind == Kind::fma) continue;
      for (uint32_t i = 0; i < e.count; ++i) {
        const RawAccess& r = t.raw[static_cast<size_t>(e.first_raw) + i];
        raw[{e.warp, r.step}] = {e.kind, r.ptx_line, r.address};
      }
    }
  }
  bool operator==(const Told&) const = default;
};

class EveryKernelWithoutItsPlan : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelWithoutItsPlan, every_kernel(), kernel_name);

// So few slices that both windows hold all of the run.
TEST_P(EveryKernelWithoutItsPlan, HasTheSameEvents) {
  KernelRequest request = default_request(GetParam(), 256, 256, 256);
  const int block_k = plan_of(request, kernel_of(request)).block_k;
  request.problem.k = block_k * (block_k == 1 ? 12 : 4);
  const KernelPlan plan = plan_of(request, kernel_of(request));
  const std::string ptx = ptx_of(request);
  Told with, without;
  with.warps = without.warps = plan.warps();
  for (int i = 0; i < work_items(plan.work, 0); ++i) {
    const WorkItem item = work_item(plan.work, 0, i);
    const int chosen = std::max(item.k_begin, item.k_end - 2);
    with.add(trace(request, kernel_of(request), ptx, {.item = i, .k_step = chosen}));
  }
  const TraceResult found = trace_launch(launch_without_plan(request, ptx), {});
  EXPECT_FALSE(found.truncated);
  without.add(found);
  EXPECT_GT(with.raw.size(), 0u);
  EXPECT_EQ(with.counts, without.counts);
  EXPECT_TRUE(with.raw == without.raw);
  EXPECT_EQ(found.buffers[0], "A");
  std::set<int> touched;
  for (const TraceEvent& e : found.events) touched.insert(e.matrix);
  for (const int matrix : {0, 1, 2}) EXPECT_TRUE(touched.contains(matrix)) << matrix;
}

// With stages in shared memory a slice is what one iteration multiplies. Without, the loop is over
// single k, and unrolled. A CTA that stays has its items in the outermost loop, slices inside.
TEST_P(EveryKernelWithoutItsPlan, HasIterationsForSlices) {
  KernelRequest request = default_request(GetParam(), 256, 256, 1027);
  if (plan_of(request, kernel_of(request)).stages() > 0) request.problem.k = 1024;
  request.sms = 3;  // several items for a CTA that stays
  const auto work = [&] { return plan_of(request, kernel_of(request)).work; };
  while (stays(work()) && work_items(work(), 0) < 2) request.problem.n *= 2;
  const KernelPlan plan = plan_of(request, kernel_of(request));
  const std::string ptx = ptx_of(request);
  const TraceResult found = trace_launch(launch_without_plan(request, ptx), {.k_step = 1});
  ASSERT_GE(found.main_loop, 0);
  const WorkItem item = work_item(plan.work, 0, 0);
  if (stays(plan.work)) {
    // A loop that asks at its head whether there is one more begins once more than it has items.
    EXPECT_GE(found.k_slices, work_items(plan.work, 0));
    EXPECT_LE(found.k_slices, work_items(plan.work, 0) + 1);
    return;
  }
  if (plan.stages() == 0) {
    int64_t done = 0;  // fma of a thread
    for (size_t i = 0; i < found.loops.size(); ++i) {
      int64_t once = 0;
      for (const TraceEvent& e : found.events) {
        if (e.loop == static_cast<int>(i) && e.warp == 0 && e.k_step == 0 && e.kind == Kind::fma) {
          once += e.count;
        }
      }
      done += once * found.loops[i].iterations;
    }
    EXPECT_EQ(done, int64_t{item.k_end - item.k_begin} * thread_m(plan) * thread_n(plan));
    return;
  }
  EXPECT_EQ(found.k_slices, item.k_end - item.k_begin);
  const TraceResult planned =
      trace(request, kernel_of(request), ptx, {.k_step = found.recorded_k_steps.back()});
  const auto products = [&](const TraceResult& t) {
    std::map<int, uint64_t> by_step;
    for (const TraceEvent& e : t.events) {
      const auto& shown = found.recorded_k_steps;
      if (e.kind != Kind::mma && e.kind != Kind::fma) continue;
      if (std::ranges::find(shown, e.k_step) != shown.end()) by_step[e.k_step] += e.count;
    }
    return by_step;
  };
  const auto by_iteration = products(found), by_slice = products(planned);
  EXPECT_EQ(by_iteration.size(), found.recorded_k_steps.size());
  for (const int step : planned.recorded_k_steps) {
    if (by_iteration.contains(step)) {
      EXPECT_EQ(by_iteration.at(step), by_slice.at(step)) << step;
    }
  }
}

LaunchRequest launch_of_file(const std::string& file, uint32_t threads, uint32_t shared) {
  std::ifstream in(std::string(TILESCOPE_SOURCE_DIR) + "/tests/emulator/kernels/" + file);
  LaunchRequest launch;
  launch.ptx.assign(std::istreambuf_iterator<char>(in), {});
  const auto program = parse_program(launch.ptx);
  launch.entry = program->entries().at(0).name;
  launch.block.x = threads;
  launch.shared_bytes = shared;
  return launch;
}

template <class T>
void append(std::vector<std::byte>& block, T value) {
  block.resize((block.size() + alignof(T) - 1) / alignof(T) * alignof(T));
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  block.insert(block.end(), first, first + sizeof(T));
}
uint64_t address_of(unsigned buffer) {
  emulator::Memory memory;
  for (unsigned i = 0; i < buffer; ++i) memory.allocate("", 1);
  return memory.allocate("", 1);
}

// k = 64 in steps of 16, copied ahead by cp.async.
TEST(TraceLaunch, TritonsMatmulHasItsKSteps) {
  constexpr uint32_t kSize = 16, kDepth = 64;
  LaunchRequest launch = launch_of_file("triton_matmul_16x16.ptx", 128, 2048);
  launch.buffers = {{"a", kSize * kDepth * 2}, {"b", kSize * kDepth * 2}, {"c", kSize * kSize * 4}};
  for (unsigned i = 0; i < 3; ++i) append(launch.parameters, address_of(i));
  for (const uint32_t v : {kSize, kSize, kDepth}) append(launch.parameters, v);
  for (int i = 0; i < 2; ++i) append(launch.parameters, uint64_t{0});
  const TraceResult t = trace_launch(launch, {});
  ASSERT_EQ(t.main_loop, 0);
  EXPECT_EQ(t.k_slices, 4);
  EXPECT_EQ(t.warps, 4);
  std::map<int, uint64_t> products;
  std::set<std::string> loaded, stored;
  for (const TraceEvent& e : t.events) {
    if (e.kind == Kind::mma) products[e.k_step] += e.count;
    if (e.matrix < 0 || (e.shared && e.kind != Kind::copy)) continue;
    if (e.kind == Kind::store) {
      stored.insert(t.buffers[static_cast<size_t>(e.matrix)]);
      EXPECT_EQ(e.k_step, -1);
    } else {
      loaded.insert(t.buffers[static_cast<size_t>(e.matrix)]);
    }
  }
  EXPECT_EQ(products.size(), static_cast<size_t>(t.k_slices));
  for (const auto& [step, count] : products) EXPECT_EQ(count, products.begin()->second) << step;
  EXPECT_EQ(products.begin()->first, 0);
  EXPECT_EQ(loaded, (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(stored, (std::set<std::string>{"c"}));
}

// count goes down to 0 in memory, once per launch: what a trace runs first must leave no trace.
constexpr const char* kCountsDown = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry down(.param .u64 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [count];
AGAIN:
  ld.global.u32 %r1, [%rd1];
  bar.warp.sync -1;
  sub.u32 %r2, %r1, 1;
  st.global.u32 [%rd1], %r2;
  bar.warp.sync -1;
  setp.gt.s32 %p1, %r2, 0;
  @%p1 bra AGAIN;
  ret;
}
)";

class CountsDown : public testing::Test {
 protected:
  void SetUp() override {
    const int32_t count = 20;
    std::ofstream(file_, std::ios::binary).write(reinterpret_cast<const char*>(&count), 4);
    launch_.ptx = kCountsDown;
    launch_.entry = "down";
    launch_.block.x = 32;
    launch_.buffers = {{"count", 4, false, true}};
    launch_.contents = file_;
    append(launch_.parameters, address_of(0));
  }
  void TearDown() override { std::remove(file_.c_str()); }
  RpcError refused(const TraceRequest& options = {}) const {
    try {
      trace_launch(launch_, options);
    } catch (const RpcError& error) {
      return error;
    }
    ADD_FAILURE() << "accepted";
    return {};
  }
  const std::string file_ = testing::TempDir() + "counts_down." + std::to_string(getpid()) + ".bin";
  LaunchRequest launch_;
};

TEST_F(CountsDown, BeginsAnewForTheSecondRun) {
  const TraceResult t = trace_launch(launch_, {.k_step = 10});
  EXPECT_EQ(t.k_slices, 20);
  EXPECT_EQ(t.recorded_k_steps, (std::vector<int>{0, 1, 2, 3, 9, 10, 11, 19}));
  std::map<int, int> stores;
  for (const TraceEvent& e : t.events) stores[e.k_step] += e.kind == Kind::store;
  EXPECT_EQ(stores.size(), t.recorded_k_steps.size());
  for (const int step : t.recorded_k_steps) EXPECT_EQ(stores[step], 1) << step;
}

TEST_F(CountsDown, RefusesWhatLiesOutside) {
  EXPECT_NE(refused({.k_step = 20}).message.find("The k step is 20; this launch has 0 to 19."),
            std::string::npos);
  EXPECT_EQ(refused({.cta = {0, 1}}).exit_code, 2);
  EXPECT_NE(refused({.max_lane_instructions = 320}).message.find("--max-instructions"),
            std::string::npos);
  launch_.contents = "/nowhere";
  EXPECT_EQ(refused().exit_code, 2);
  launch_.contents = file_;
  launch_.entry = "up";
  EXPECT_NE(refused().message.find("no kernel up"), std::string::npos);
}

TEST_F(CountsDown, WithoutALoopThereIsNoKStep) {
  const size_t at = launch_.ptx.find("@%p1 bra AGAIN;");
  launch_.ptx.replace(at, 15, "");
  const TraceResult t = trace_launch(launch_, {});
  EXPECT_EQ(t.main_loop, -1);
  EXPECT_EQ(t.k_slices, 0);
  ASSERT_EQ(t.events.size(), 2u);
  for (const TraceEvent& e : t.events) EXPECT_EQ(e.k_step, -1);
  EXPECT_NE(refused({.k_step = 0}).message.find("has no loop"), std::string::npos);
}

// Two iterations of 60,000 loads and stores each: more than a message holds.
TEST_F(CountsDown, IsCutOffWhereAMessageWouldBeTooLarge) {
  const auto replace = [&](const std::string& what, const std::string& with) {
    launch_.ptx.replace(launch_.ptx.find(what), what.size(), with);
  };
  replace("AGAIN:\n", "mov.u32 %r3, 2;\nOUTER:\nmov.u32 %r2, 60000;\nAGAIN:\n");
  replace("sub.u32 %r2, %r1, 1;", "sub.u32 %r2, %r2, 1;");
  replace("ret;", "sub.u32 %r3, %r3, 1;\nsetp.gt.s32 %p1, %r3, 0;\n@%p1 bra OUTER;\nret;");
  const TraceResult t = trace_launch(launch_, {});
  EXPECT_EQ(t.k_slices, 2);
  EXPECT_TRUE(t.truncated);
  EXPECT_EQ(t.events.size(), 100000u);
  EXPECT_EQ(t.raw.size(), 100000u);
  size_t most = 0;  // bytes of a part
  send_trace(t, [&most](std::string_view, std::span<const std::byte> part) {
    most = std::max(most, part.size());
  });
  EXPECT_GT(most, 0u);
  EXPECT_LT(most, kMaxBinaryBytes);
}

TEST_F(CountsDown, SurvivesJson) {
  const nlohmann::json request = launch_;
  EXPECT_EQ(nlohmann::json(nlohmann::json::parse(request.dump()).get<LaunchRequest>()), request);
  const TraceResult t = trace_launch(launch_, {});
  TraceParts parts;
  const nlohmann::json answer =
      send_trace(t, [&parts](std::string_view type, auto bytes) { parts.add(type, bytes); });
  const TraceResult back = parts.whole(nlohmann::json::parse(answer.dump()));
  EXPECT_EQ(back.buffers, t.buffers);
  EXPECT_EQ(back.loops, t.loops);
  EXPECT_EQ(back.main_loop, 0);
  EXPECT_EQ(back.events, t.events);
  EXPECT_EQ(back.events.front().loop, 0);
}

}  // namespace
}  // namespace tilescope::worker

#include "tests/model/emulator_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/model/formulas.h"
#include "tests/worker_engine/cases.h"
#include "tests/worker_engine/engine_support.h"
#include "worker/engine/emulate/run_pass.h"
#include "worker/engine/error.h"

namespace tilescope::model {
namespace {

// An emulated run takes some tenths of a second at most.
constexpr double kMostProducts = 12e6;

int below(std::mt19937& random, int n) {
  return static_cast<int>(random() % static_cast<unsigned>(n));
}
template <class T>
T one_of(std::mt19937& random, std::initializer_list<T> list) {
  return list.begin()[below(random, static_cast<int>(list.size()))];
}
int one_bit_of(std::mt19937& random, int mask) {
  for (;;) {
    if (const int bit = 1 << below(random, 8); (mask & bit) != 0) return bit;
  }
}

enum Shape { kWhole, kRagged, kRaggedAligned, kFewRows, kDeep };
static_assert(kDeep + 1 == kShapes);

struct Extents {
  int m = 1, n = 1, k = 1;
  double product() const { return 1.0 * m * n * k; }
  int& longest() { return k >= m && k >= n ? k : m >= n ? m : n; }
};

Extents random_extents(std::mt19937& random, Shape shape, const Extents& tile) {
  // Small tiles are many, so that they begin at many places in a line.
  const auto tiles = [&](int block) {
    return 1 + below(random, 3) + below(random, 1 + 96 / block);
  };
  Extents count{tiles(tile.m), tiles(tile.n), tiles(tile.k)};
  if (shape == kFewRows) count.m = 1, count.k += 2;
  if (shape == kDeep) count = {1 + below(random, 2), 1, 6 + below(random, 14)};
  while (tile.product() * count.product() > kMostProducts && count.longest() > 1) --count.longest();
  Extents e{count.m * tile.m, count.n * tile.n, count.k * tile.k};
  if (shape == kWhole) return e;
  const int step = shape == kRaggedAligned ? 8 : 1;
  const auto cut = [&](int extent, int block) {
    return std::max(1, (extent - below(random, block)) / step * step);
  };
  e = {cut(e.m, tile.m), cut(e.n, tile.n), cut(e.k, tile.k)};
  if (shape == kFewRows) e.m = 1 + below(random, std::min(tile.m, 16));
  return e;
}

Problem random_problem(std::mt19937& random, const KernelEntry& kernel, Shape shape,
                       const Extents& tile) {
  Problem p;
  set_types(p, types_of_bit(one_bit_of(random, kernel.info.types)));
  set_layout(p, one_bit_of(random, kernel.info.layouts));
  p.order_c = one_of(random, {Order::row_major, Order::row_major, Order::column_major});
  p.alpha = one_of(random, {1.0f, 1.0f, -1.5f, 0.0f});
  p.beta = one_of(random, {0.0f, 0.0f, 1.0f, 0.5f});
  p.bias = one_of(random, {false, true});
  const Extents e = random_extents(random, shape, tile);
  p.m = e.m, p.n = e.n, p.k = e.k;
  if (below(random, 4) == 0) {
    const int more = one_of(random, {8, 3});
    p.lda = least_leading_dimension(p, Operand::a) + more;
    p.ldb = least_leading_dimension(p, Operand::b) + 2 * more;
    p.ldc = least_leading_dimension(p, Operand::c) + 3 * more;
  }
  if (below(random, 4) == 0) p.offset_a = p.offset_b = p.offset_c = one_of(random, {16, 5});
  return p;
}

struct Emulated {
  emulator::Counts counts;
  uint64_t fma = 0;  // of lanes
};

/// Every CTA, and the pass that packs operands if there is one. Nothing depends on what the
/// operands hold, so they are left zero.
Emulated emulate_all(const worker::KernelRequest& request, const KernelEntry& kernel,
                     worker::Compiler& compiler) {
  const auto compiled = compiler.compile(request, worker::kDefaultArch, {}, nullptr,
                                         /*ptx_is_enough=*/true);
  worker::GemmFill fill;
  fill.skip = fill.unpacked = true;
  worker::EmulatedGemm gemm = worker::prepare_gemm(request, kernel, compiled->result.ptx, fill);
  Emulated all;
  const emulator::RunResult ran = gemm.run({});
  if (ran.fault) worker::fail_with(*ran.fault, *gemm.program, kernel.file);
  std::map<int, uint64_t> lanes;  // by PTX line
  for (const emulator::LineCounts& line : ran.counts.lines)
    lanes[line.ptx_line] = line.lane_instructions;
  for (const emulator::Instruction& i : gemm.program->instructions(gemm.entry)) {
    if (i.opcode.starts_with("fma.") && lanes.contains(i.ptx_line)) all.fma += lanes[i.ptx_line];
  }
  if (gemm.pass) all.counts = worker::run_pass(gemm, fill, {}).counts;
  all.counts += ran.counts;
  return all;
}

void expect_same(const GlobalSum& model, const emulator::GlobalCounts& counted, const char* what) {
  EXPECT_EQ(model.requests, counted.requests) << what;
  EXPECT_EQ(model.sectors, counted.sectors) << what;
  EXPECT_EQ(model.bytes, counted.bytes) << what;
}
void expect_same(const SharedSum& model, const emulator::SharedCounts& counted, const char* what) {
  EXPECT_EQ(model.requests, counted.requests) << what;
  EXPECT_EQ(model.wavefronts, counted.wavefronts) << what;
  EXPECT_EQ(model.ideal, counted.ideal) << what;
  EXPECT_EQ(model.bytes, counted.bytes) << what;
}

/// What is shown, as near as its mark says.
void expect_as_marked(double shown, bool exact, uint64_t counted, const std::string& what) {
  const auto all = static_cast<double>(counted);
  EXPECT_LE(std::abs(shown - all), exact ? 0 : kMarkedShare * all)
      << what << ": " << shown << ", counted " << counted << (exact ? ", marked exact" : "");
}

void expect_marks_hold(const Analysis& a, const emulator::Counts& c) {
  const std::map<std::string, uint64_t> counted = {
      {"shared.read", c.shared_load.bytes + c.shared_product.bytes},
      {"shared.write", c.shared_store.bytes + c.shared_copy.bytes},
      {"shared.read.wavefronts", c.shared_load.wavefronts},
      {"shared.write.wavefronts", c.shared_store.wavefronts},
      {"shared.write.copy_wavefronts", c.shared_copy.wavefronts},
      {"shared.wavefronts", c.shared_load.wavefronts + c.shared_store.wavefronts},
      {"l1.read", c.global_load.bytes},
      {"l1.write", c.global_store.bytes},
      {"l1.sectors", c.global_load.sectors + c.global_store.sectors}};
  for (const Formula& f : traffic_formulas(a)) {
    const auto at = counted.find(f.key);
    if (at != counted.end()) expect_as_marked(f.value, f.exact, at->second, f.key);
  }
  const Traffic& t = a.traffic;
  expect_as_marked(t.shared.read, t.shared.exact, counted.at("shared.read"), "shared, read");
  expect_as_marked(t.shared.write, t.shared.exact, counted.at("shared.write"), "shared, written");
  expect_as_marked(t.l1.read, t.l1.exact, counted.at("l1.read"), "L1, read");
  expect_as_marked(t.l1.write, t.l1.exact, counted.at("l1.write"), "L1, written");
}

}  // namespace

std::vector<EmulatedCase> random_emulated_cases(const KernelEntry& kernel, int tiles,
                                                unsigned seed) {
  std::vector<EmulatedCase> cases;
  const Problem any = default_problem(kernel.info);
  std::mt19937 random(seed);
  for (int i = 0; i < tiles; ++i) {
    const auto of_tile = static_cast<unsigned>(random());
    const TileConfig tile = worker::random_legal_tiles(kernel, any, 1, of_tile).at(0);
    const KernelPlan plan = kernel.plan(tile, any);
    // A kernel without slices takes k as it comes.
    const Extents extents{plan.block_m, plan.block_n, std::max(plan.block_k, 8)};
    for (int shape = 0; shape < kShapes; ++shape) {
      worker::KernelRequest request{kernel.info.id, tile, any, 1 + below(random, 6)};
      do {
        request.problem = random_problem(random, kernel, static_cast<Shape>(shape), extents);
      } while (!kernel.validate(tile, request.problem, DeviceLimits{}).legal());
      cases.push_back({request, "seed " + std::to_string(seed) + ", tile " + std::to_string(i) +
                                    ", shape " + std::to_string(shape)});
    }
  }
  return cases;
}

void expect_model_equals_emulator(const EmulatedCase& one, worker::Compiler& compiler) {
  const worker::KernelRequest& request = one.request;
  const Problem& p = request.problem;
  SCOPED_TRACE(worker::describe_case(request) + ", " + std::to_string(request.sms) + " SMs" +
               (one.drawn.empty() ? "" : " (" + one.drawn + ")"));
  const KernelEntry& kernel = *find_kernel(request.kernel.c_str());
  const KernelPlan plan = kernel.plan(request.tile, p, request.sms);
  const Analysis analysis = analyse(plan, p, launch_of(plan), device_table()[0]);
  const Counts& model = analysis.traffic.counts;
  Emulated emulated;
  try {
    emulated = emulate_all(request, kernel, compiler);
  } catch (const worker::RpcError& error) {
    if (error.exit_code == 3) GTEST_SKIP() << error.message;
    FAIL() << error.message;
  }
  const emulator::Counts& counted = emulated.counts;
  EXPECT_EQ(model.ctas, counted.ctas);
  EXPECT_EQ(model.mma, counted.mma);
  // beta · C or the bias, added on the way out.
  const uint64_t of_c = p.beta != 0 || p.bias ? 1ull * p.m * p.n : 0;
  EXPECT_EQ(model.fma + of_c, emulated.fma);
  expect_same(model.global_load(), counted.global_load, "global loads");
  expect_same(model.global_store(), counted.global_store, "global stores");
  expect_same(model.bulk_load(), counted.bulk_load, "bulk loads");
  expect_same(model.bulk_store(), counted.bulk_store, "bulk stores");
  expect_same(model.shared_load, counted.shared_load, "shared loads");
  expect_same(model.shared_store, counted.shared_store, "shared stores");
  expect_same(model.shared_copy, counted.shared_copy, "copies to shared");
  expect_same(model.shared_product, counted.shared_product, "read by products");
  expect_marks_hold(analysis, counted);
}

}  // namespace tilescope::model

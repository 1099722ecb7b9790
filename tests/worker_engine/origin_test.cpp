// Where a value came from, in rows and columns: of right kernels, and of wrong ones, whose wrong
// index must be named.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/layout/kernel_plan.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "tests/sampled.h"
#include "worker/engine/emulate/check.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/emulate/origin.h"
#include "worker/engine/parallel.h"
#include "worker/engine/trace/trace.h"
#include "worker/messages/findings.h"
#include "worker/service.h"

namespace tilescope::worker {
namespace {

const KernelEntry& entry_of(const KernelRequest& request) {
  return *find_kernel(request.kernel.c_str());
}

std::string ptx_compiled(const KernelRequest& request, const std::string& kernel_dir = {}) {
  return test_compiler().compile(request, "sm_90", kernel_dir)->result.ptx;
}
OriginResult ask(const KernelRequest& request, const OriginQuestion& question,
                 const std::string& ptx) {
  return origin_of(request, entry_of(request), ptx, question, nullptr);
}
OriginQuestion element(const KernelRequest& request, Coord at) {
  const KernelPlan plan = entry_of(request).plan(request.tile, request.problem);
  OriginQuestion q;
  q.element = at;
  const Coord tile{at.row / plan.block_m, at.col / plan.block_n};
  const BlockIndex cta = block_index(launch_of(plan), first_worker(plan.work, tile).cta);
  q.cta = cta;
  return q;
}

class EveryKernelsOrigin : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelsOrigin, every_kernel(), kernel_name);

void expect_row_times_column(const KernelRequest& request) {
  const std::string ptx = ptx_compiled(request);
  const int k = request.problem.k;
  const int products = entry_of(request).plan(request.tile, request.problem).split.products() * k;
  const std::string last = std::to_string(k - 1);
  for (const Coord at : {Coord{0, 0}, {17, 130}, {139, 135}, {128, 1}}) {
    const OriginResult r = ask(request, element(request, at), ptx);
    EXPECT_EQ(r.wrong, "") << r.text;
    EXPECT_EQ(r.terms, static_cast<uint64_t>(products)) << r.text;
    EXPECT_EQ(r.of, "C[" + std::to_string(at.row) + ", " + std::to_string(at.col) + "]");
    const std::string a = "A[" + std::to_string(at.row) + ", 0…" + last + "]";
    const std::string b = "B[0…" + last + ", " + std::to_string(at.col) + "]";
    const std::string parts =
        products == k ? "" : " + a part of " + a + " · " + b + " + " + a + " · a part of " + b;
    EXPECT_NE(r.text.find(a + " · " + b + parts + ", " + std::to_string(products) + " products"),
              std::string::npos)
        << r.text;
    ASSERT_GE(r.ways.size(), 2u);
    EXPECT_EQ(r.ways[0].of, "A");
    EXPECT_GT(r.ways[0].steps.front().line, 0);
    EXPECT_NE(std::find(r.boxes.begin(), r.boxes.end(), TouchedBox{0, at.row, 0, 1, k}),
              r.boxes.end());
    EXPECT_NE(std::find(r.boxes.begin(), r.boxes.end(), TouchedBox{1, 0, at.col, k, 1}),
              r.boxes.end());
  }
}

TEST_P(EveryKernelsOrigin, AnElementOfCIsItsRowTimesItsColumn) {
  expect_row_times_column(default_request(GetParam(), 140, 136, 72));
}

// Zeros around packed operands are multiplied too, and are no products of elements.
TEST_P(EveryKernelsOrigin, AnElementOfARaggedCIsItsRowTimesItsColumn) {
  std::vector<int> layouts = {kNN, kNT, kTN, kTT};
  std::erase_if(layouts,
                [](int one) { return (find_kernel(GetParam())->info.layouts & one) == 0; });
  for (const int layout : sampled(layouts, 2, seed_of(GetParam()))) {
    KernelRequest request = default_request(GetParam(), 141, 137, 71);
    set_layout(request.problem, layout);
    expect_row_times_column(request);
  }
}

// A kernel that is told less of k still finds the lines of the same matrices.
TEST_P(EveryKernelsOrigin, OfAShorterKIsOfTheSameRowAndColumn) {
  for (const int k : {520, 517}) {  // 517: lines that are packed
    const KernelRequest request = default_request(GetParam(), 140, 136, k);
    const KernelPlan plan = entry_of(request).plan(request.tile, request.problem);
    OriginQuestion q = element(request, {17, 130});
    q.k = k_with_slices(plan, request.problem, 1);
    // Bytes are followed in pairs: an odd one alone is not.
    const bool half_pair = element_bytes(request.problem.type_a) == 1 && q.k % 2 == 1;
    if (q.k >= k || half_pair) continue;
    const OriginResult r = ask(request, q, ptx_compiled(request));
    EXPECT_EQ(r.wrong, "") << r.text;
    EXPECT_EQ(r.followed_k, q.k);
    EXPECT_EQ(r.terms, static_cast<uint64_t>(q.k * plan.split.products())) << r.text;
    EXPECT_NE(r.text.find("A[17, 0…" + std::to_string(q.k - 1) + "]"), std::string::npos) << r.text;
  }
}

TEST_P(EveryKernelsOrigin, ScalingAndTheOldCDoNotHideTheSum) {
  KernelRequest request = default_request(GetParam(), 64, 64, 40);
  request.problem.alpha = 0.5f, request.problem.beta = 2.0f;
  const OriginResult r = ask(request, element(request, {3, 9}), ptx_compiled(request));
  EXPECT_EQ(r.wrong, "") << r.text;
  const KernelPlan plan = entry_of(request).plan(request.tile, request.problem);
  EXPECT_EQ(r.terms, 40u * static_cast<unsigned>(plan.split.products()));
  EXPECT_NE(r.text.find("C[3, 9]"), std::string::npos) << r.text;
}

// The registers of an mma hold what core/layout's fragments say, lane by lane and value by value;
// its accumulators are part of their row and column.
TEST(Origin, RegistersOfAnMmaHoldWhatTheLayoutSays) {
  const KernelRequest request = default_request("mma_multistage", 128, 128, 192);
  const std::string ptx = ptx_compiled(request);
  const KernelPlan plan = entry_of(request).plan(request.tile, request.problem);
  const TraceResult trace_result = trace(request, entry_of(request), ptx, {.k_step = 1});
  const int warp = 1, mi = 1, ni = 2, kk = 2;
  const RawAccess* raw = nullptr;
  for (const TraceEvent& e : trace_result.events) {
    if (e.kind != TraceEvent::Kind::mma || e.warp != warp || e.k_step != 1) continue;
    for (uint32_t i = 0; i < e.count; ++i) {
      const RawAccess& r = trace_result.raw[static_cast<size_t>(e.first_raw) + i];
      if (r.mma_m == mi && r.mma_n == ni && r.mma_k == kk) raw = &r;
    }
  }
  ASSERT_TRUE(raw);
  const Coord first = warp_origin(plan, warp);
  const int k = plan.block_k + kk * plan.atom.k;
  const Coord tile{first.row + mi * plan.atom.m, first.col + ni * plan.atom.n};
  EXPECT_EQ(raw->touched, (std::vector<TouchedBox>{{0, tile.row, k, 16, 16},
                                                   {1, k, tile.col, 16, 8},
                                                   {2, tile.row, tile.col, 16, 8}}));
  OriginQuestion q;
  q.what = "register";
  q.warp = warp, q.step = raw->step, q.ptx_line = raw->ptx_line;
  for (const int lane : {0, 5, 17, 31}) {
    q.lane = lane;
    for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
      const FragmentLayout& f = o == Operand::a   ? plan.atom.a
                                : o == Operand::b ? plan.atom.b
                                                  : plan.atom.c;
      for (int v = 0; v < f.values(); ++v) {
        q.operand = (static_cast<int>(o) + 1) % 3;
        q.index = v / f.values_per_register;
        q.half = f.values_per_register == 2 ? v % 2 : -1;
        const OriginResult r = ask(request, q, ptx);
        const Coord at = fragment_coord(f, lane, v);
        EXPECT_EQ(r.wrong, "");
        if (o == Operand::c) {
          const int row = tile.row + at.row, col = tile.col + at.col;
          EXPECT_EQ(r.terms, static_cast<uint64_t>(k + plan.atom.k)) << r.text;
          EXPECT_EQ(r.boxes.front(), (TouchedBox{0, row, 0, 1, k + plan.atom.k}));
          EXPECT_EQ(r.boxes.back(), (TouchedBox{1, 0, col, k + plan.atom.k, 1}));
        } else {
          const Coord in_matrix = o == Operand::a ? Coord{tile.row + at.row, k + at.col}
                                                  : Coord{k + at.row, tile.col + at.col};
          EXPECT_EQ(r.kind, "element") << r.text;
          EXPECT_EQ(
              r.boxes,
              (std::vector<TouchedBox>{{static_cast<int>(o), in_matrix.row, in_matrix.col, 1, 1}}))
              << r.text;
          ASSERT_EQ(r.ways.size(), 1u);
          EXPECT_TRUE(r.ways[0].steps.front().opcode.starts_with("cp.async"));
          EXPECT_TRUE(r.ways[0].steps.back().opcode.starts_with("ldmatrix"));
        }
      }
    }
  }
  q.what = "shared";
  q.operand = 0, q.half = -1;
  q.offset = static_cast<uint64_t>(plan.stage_bytes() + shared_offset(plan.shared_a(), 7, 20));
  const OriginResult shared = ask(request, q, ptx);
  EXPECT_EQ(shared.boxes, (std::vector<TouchedBox>{{0, 7, plan.block_k + 20, 1, 1}}));
}

/// The kernels with one text of one file replaced.
std::string changed_kernels(const TemporaryFolder& folder, const std::string& file,
                            const std::string& text, const std::string& by) {
  namespace fs = std::filesystem;
  fs::copy(fs::path(TILESCOPE_SOURCE_DIR) / "kernels", folder.path(),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  std::string source = file_text(folder.path() + "/" + file);
  const size_t at = source.find(text);
  EXPECT_NE(at, source.npos) << text;
  if (at != source.npos) source.replace(at, text.size(), by);
  write_text(folder.path() + "/" + file, source);
  return folder.path();
}

struct WrongOrigin {
  const char *text, *by, *sentence;
};

TEST(Origin, NamesTheWrongIndexOfAWrongKernel) {
  const KernelRequest request = default_request("naive", 64, 64, 40);
  for (const WrongOrigin& m : {
           WrongOrigin{"args.ldb, k, col)", "args.ldb, k, col ^ 1)",
                       "Column 9 of B belongs here, and it is column 8."},
           WrongOrigin{"args.lda, row, k)", "args.lda, row ^ 2, k)",
                       "Row 3 of A belongs here, and it is row 1."},
           WrongOrigin{"args.ldb, k, col)", "args.ldb, (k + 1) % args.k, col)", "the two must be"},
           WrongOrigin{"k < args.k; ++k", "k < args.k - 1; ++k", "k = 39 is missing."},
           WrongOrigin{"int k = 0; k", "int k = 1; k", "k = 0 is missing."},
           WrongOrigin{"b[element_index(", "a[element_index(", "It multiplies A"},
       }) {
    const TemporaryFolder folder;
    const std::string kernels = changed_kernels(folder, "01_naive.cuh", m.text, m.by);
    const OriginResult r = ask(request, element(request, {3, 9}), ptx_compiled(request, kernels));
    EXPECT_NE(r.wrong.find(m.sentence), std::string::npos) << m.by << ": " << r.wrong << r.text;
  }
}

/// Rung 5 with B's fragments read at k ^ 1; the line of that.
constexpr WrongOrigin kSwappedK{"value_coord(P.atom.b, j).col, k)",
                                "value_coord(P.atom.b, j).col, k ^ 1)",
                                "Column 0 of A meets row 1 of B; the two must be the same k."};

int line_with(const std::string& file, const std::string& text) {
  const std::string source = file_text(file);
  const size_t at = source.find(text);
  EXPECT_NE(at, source.npos) << text;
  return 1 +
         static_cast<int>(std::count(source.begin(), source.begin() + static_cast<long>(at), '\n'));
}

// With a large K nothing is followed to its end that never goes on evenly.
TEST(Origin, AWrongIndexIsNamedWithALargeK) {
  const TemporaryFolder folder;
  const std::string kernels =
      changed_kernels(folder, "05_thread_tile_2d.cuh", kSwappedK.text, kSwappedK.by);
  const int line = line_with(kernels + "/05_thread_tile_2d.cuh", kSwappedK.by);
  const KernelRequest large = default_request("thread_tile_2d", 4096, 4096, 4096);
  const std::string ptx = ptx_compiled(large, kernels);
  EmulateOptions options;
  options.threads = host_threads();
  const EmulateResult result = emulate(large, entry_of(large), ptx, options);
  ASSERT_FALSE(result.verified->ok);
  EXPECT_EQ(result.verified->first_row, 0);
  EXPECT_EQ(result.verified->first_col, 0);
  const CodeFinding* finding = first_error(result.checks.findings);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->kind, "wrong_index");
  EXPECT_EQ(finding->line, line);
  EXPECT_NE(finding->message.find(std::string("C[0, 0] is wrong: ") + kSwappedK.sentence),
            std::string::npos)
      << finding->message;
  EXPECT_NE(finding->message.find(" Followed to k = "), std::string::npos) << finding->message;
  EXPECT_NE(finding->message.find(" of 4,096."), std::string::npos) << finding->message;

  const OriginResult asked = ask(large, element(large, {17, 33}), ptx);
  EXPECT_EQ(asked.wrong, kSwappedK.sentence) << asked.text;
  EXPECT_EQ(asked.wrong_line, line);
  EXPECT_GT(asked.followed_k, 0);
  EXPECT_LT(asked.followed_k, 4096);
  EXPECT_NE(asked.text.find(", followed to k = "), std::string::npos) << asked.text;
}

// Whoever leaves the order of k is named, on either side; else the last line that read it.
TEST(Origin, TheLineThatReadsWronglyIsNamed) {
  const KernelRequest request = default_request("thread_tile_2d", 128, 128, 64);
  const std::string file = "05_thread_tile_2d.cuh";
  const std::string read_a = "value_coord(P.atom.a, i).row, k",
                    read_b = "value_coord(P.atom.b, j).col, k";
  struct Wrong {
    std::string text, by, read, sentence;
  };
  for (const Wrong& w : {
           Wrong{read_b + ")", read_b + " ^ 1)", read_b, kSwappedK.sentence},
           Wrong{read_a + ")", read_a + " ^ 1)", read_a, kSwappedK.sentence},
           Wrong{"mine.col, 0)", "mine.col / 2 * 2, 0)", read_b,
                 "Column 9 of B belongs here, and it is column 8."},
           Wrong{"mine.row, 0)", "mine.row / 2 * 2, 0)", read_a,
                 "Row 3 of A belongs here, and it is row 2."},
       }) {
    const TemporaryFolder folder;
    const std::string kernels = changed_kernels(folder, file, w.text, w.by);
    const OriginResult r = ask(request, element(request, {3, 9}), ptx_compiled(request, kernels));
    EXPECT_EQ(r.wrong, w.sentence) << w.by << ": " << r.text;
    EXPECT_EQ(r.wrong_line, line_with(kernels + "/" + file, w.read)) << w.by << ": " << r.text;
    EXPECT_EQ(r.followed_k, 0) << "all of it";
  }
}

// A wrong kernel must not be drawn as a right one: B is lit where it was read.
TEST(Origin, TheTraceOfAWrongKernelShowsWhatItMultiplies) {
  const KernelRequest request = default_request("naive", 64, 64, 40);
  const TemporaryFolder folder;
  const std::string kernels = changed_kernels(folder, "01_naive.cuh", "args.ldb, k, col)",
                                              "args.ldb, (k + 1) % args.k, col)");
  const TraceResult result = trace(request, entry_of(request), ptx_compiled(request, kernels), {});
  int products = 0;
  for (const TraceEvent& e : result.events) {
    if (e.kind != TraceEvent::Kind::fma || e.first_raw < 0 || e.count != 1) continue;
    std::vector<int> k[2];
    for (const TouchedBox& box : result.raw[static_cast<size_t>(e.first_raw)].touched) {
      if (box.matrix == 0) k[0].push_back(box.col);
      if (box.matrix == 1) k[1].push_back(box.row);
    }
    ASSERT_FALSE(k[0].empty() || k[1].empty());
    EXPECT_EQ(k[1].front(), (k[0].front() + 1) % 40);
    ++products;
  }
  EXPECT_GT(products, 0);
}

// Neither may an mma: fragments whose chunks along k are exchanged are not one block of A.
TEST(Origin, TheTraceOfAWrongMmaShowsWhatItMultiplies) {
  const KernelRequest request = default_request("mma_multistage", 128, 128, 64);
  const auto depths = [&](const std::string& ptx) {
    std::set<int> found;
    const TraceResult result = trace(request, entry_of(request), ptx, {});
    for (const TraceEvent& e : result.events) {
      if (e.kind != TraceEvent::Kind::mma) continue;
      for (uint32_t i = 0; i < e.count; ++i) {
        const RawAccess& raw = result.raw[static_cast<size_t>(e.first_raw) + i];
        for (const TouchedBox& box : raw.touched) {
          if (box.matrix == 0) found.insert(box.cols);
        }
      }
    }
    return found;
  };
  EXPECT_EQ(depths(ptx_compiled(request)), std::set<int>{16});
  const TemporaryFolder folder;
  const std::string kernels = changed_kernels(folder, "10_mma_sync.cuh", "(sums[mi][ni], a[mi],",
                                              "(sums[mi][ni], exchanged(a[mi]).r,");
  std::string source = file_text(kernels + "/10_mma_sync.cuh");
  const size_t at = source.find("#ifdef __CUDACC__\n");
  ASSERT_NE(at, source.npos);
  source.insert(at + 18,
                "struct Four { unsigned r[4]; };\n__device__ inline Four exchanged(const unsigned "
                "(&a)[4]) { return {{a[2], a[3], a[0], a[1]}}; }\n");
  write_text(kernels + "/10_mma_sync.cuh", source);
  EXPECT_EQ(depths(ptx_compiled(request, kernels)), std::set<int>{8});
}

TEST(Origin, WhatIsNotThereIsRefusedInASentence) {
  const KernelRequest request = default_request("naive", 64, 64, 8);
  const std::string ptx = ptx_compiled(request);
  const auto refusal = [&](const OriginQuestion& q, const KernelRequest& r) {
    try {
      ask(r, q, ptx);
    } catch (const RpcError& error) {
      return error.message;
    }
    return std::string("accepted");
  };
  OriginQuestion q = element(request, {3, 9});
  q.element = {64, 0};
  EXPECT_EQ(refusal(q, request), "The row is 64; here are 0 to 63.");
  q = element(request, {3, 9});
  q.what = "colour";
  EXPECT_NE(refusal(q, request).find("known are register, shared, element"), std::string::npos);
  q.what = "register";
  q.ptx_line = 1;
  EXPECT_NE(refusal(q, request).find("PTX line 1 holds no instruction"), std::string::npos);
  q.ptx_line = 1, q.times = 3;
  EXPECT_NE(refusal(q, request).find("runs 3 times"), std::string::npos) << refusal(q, request);
  KernelRequest large = request;
  large.problem.m = large.problem.k = 40000;
  EXPECT_NE(refusal(q, large).find("choose a smaller problem"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::worker

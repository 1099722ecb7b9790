// Where values came from: by each kind of instruction, in whole kernels, and in a wrong one.
#include <algorithm>

#include "emulator/provenance.h"
#include "support.h"

namespace tilescope::emulator::test::provenance_file {
namespace {

using Kind = Value::Kind;

/// One warp of k(in, out) to its end; %rd6, %rd7 = in, out + 4 · thread, and `in` holds 1024 words.
Provenance follow(const std::string& body, uint32_t threads = 32,
                  std::optional<Provenance::Moment> until = {}) {
  auto program = parse(kernel(
      ".shared .align 16 .b8 s[4096];\nmov.u32 %r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r5, "
      "%r4;\nmul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd6, %rd0, %rd5;\nadd.s64 %rd7, %rd1, %rd5;\n" +
      body));
  Provenance::Options options;
  options.until = until;
  Provenance p(options);
  if (!program) return p;
  Memory memory;
  const uint64_t a = memory.allocate("in", 4096, true), b = memory.allocate("out", 4096);
  RunOptions run_options;
  run_options.provenance = &p;
  Launch launch{{1, 1, 1}, {threads, 1, 1}, 0, parameters(a, b)};
  const RunResult r = run(*program, "k", launch, memory, run_options);
  EXPECT_FALSE(r.fault) << r.fault->message;
  return p;
}
Value of(const Provenance& p, const char* name, uint32_t lane, int half = -1) {
  return p.of_register({0, 0, 0}, 0, lane, name, half);
}
void expect_element(const Value& v, uint64_t offset, int buffer = 0) {
  EXPECT_EQ(v.kind, Kind::element);
  EXPECT_EQ(v.origin, (Origin{buffer, offset}));
}

TEST(Provenance, LoadsMovesAndMemory) {
  const Provenance p = follow(
      "ld.global.f32 %f1, [%rd6];\nmov.f32 %f2, %f1;\nst.shared.f32 [%r5], %f2;\nbar.sync 0;\n"
      "xor.b32 %r6, %r5, 16;\nld.shared.f32 %f3, [%r6];\nst.global.f32 [%rd7], %f3;\n"
      "ld.global.v2.u32 {%r10, %r11}, [%rd0+8];\nmov.b64 %rd10, {%r10, %r11};\n"
      "mov.b64 {%r12, %r13}, %rd10;\nld.global.u16 %h1, [%rd0+6];\nmov.b32 %r14, {%h1, %h1};\n"
      "shr.u32 %r15, %r10, 16;\nmov.b32 {%h2, %h3}, %r10;\ncvt.f32.f16 %f4, %h3;\n"
      "shfl.sync.down.b32 %r16, %r10, 1, 31, 0xffffffff;\n"
      "shfl.sync.bfly.b32 %f5, %f1, 3, 31, 0xffffffff;\n"
      "setp.lt.u32 %p1, %r0, 4;\nselp.f32 %f6, %f1, %f3, %p1;\n@%p1 mov.f32 %f1, %f3;\n"
      "prmt.b32 %r17, %r10, %r11, 0x5432;\nadd.u32 %r18, %r0, 5;\n"
      "ld.global.f32 %f7, [%rd7];\n");
  for (uint32_t l = 0; l < 32; ++l) {
    expect_element(of(p, "%f2", l), 4 * l);
    const Value through = of(p, "%f3", l);
    expect_element(through, 4 * (l ^ 4));
    EXPECT_EQ(through.way.size(), 3u);  // ld.global, st.shared, ld.shared
    EXPECT_TRUE(std::is_sorted(through.way.begin(), through.way.end()));
    expect_element(p.of_shared({0, 0, 0}, 4 * l, 4), 4 * l);
    expect_element(p.of_global((uint64_t{2} << 40) + 4 * l, 4), 4 * (l ^ 4));
    expect_element(of(p, "%r12", l), 8);
    expect_element(of(p, "%r13", l), 12);
    expect_element(of(p, "%r14", l, 0), 6);
    expect_element(of(p, "%r14", l, 1), 6);
    expect_element(of(p, "%r15", l), 10);
    expect_element(of(p, "%f4", l), 10);
    expect_element(of(p, "%f5", l), 4 * (l ^ 3));
    expect_element(of(p, "%f6", l), l < 4 ? 4 * l : 4 * (l ^ 4));
    expect_element(of(p, "%f1", l), l < 4 ? 4 * (l ^ 4) : 4 * l);
    expect_element(of(p, "%r17", l, 0), 10);
    expect_element(of(p, "%r17", l, 1), 12);
    EXPECT_EQ(of(p, "%r18", l).kind, Kind::none);
    expect_element(of(p, "%f7", l), 4 * (l ^ 4));  // back from the output
  }
  EXPECT_EQ(of(p, "%f99", 0).kind, Kind::none);
  const std::vector<Stored> stored = p.stored();
  ASSERT_EQ(stored.size(), 8u);  // runs of four ascend together
  EXPECT_EQ(stored[0].first, (Origin{1, 0}));
  EXPECT_EQ(stored[0].count, 4u);
  EXPECT_EQ(stored[0].value.origin.offset, 16u);
  EXPECT_EQ(stored[0].moves, std::vector<int64_t>{4});
}

// Registers wider than the type: their low bits are the element.
TEST(Provenance, WiderRegisters) {
  const Provenance p = follow(
      "ld.global.v2.f32 {%rd10, %rd11}, [%rd0+8];\nst.shared.v2.b32 [%r4], {%rd11, %rd10};\n"
      "cvt.f64.f32 %fd1, %rd11;\nld.global.b16 %r10, [%rd0+6];\ncvt.f32.f16 %f1, %r10;\n"
      "ld.global.b16 %rd12, [%rd0+2];\ncvt.f32.f16 %f2, %rd12;\nmul.f32 %f3, %f1, %f2;\n"
      "ld.global.v2.s16 {%r11, %r12}, [%rd0+20];\ncvt.s64.s32 %rd13, %rd10;\n");
  for (uint32_t l = 0; l < 32; ++l) {
    expect_element(p.of_shared({0, 0, 0}, 0, 4), 12);
    expect_element(p.of_shared({0, 0, 0}, 4, 4), 8);
    expect_element(of(p, "%fd1", l), 12);
    expect_element(of(p, "%f1", l), 6);
    expect_element(of(p, "%f2", l), 2);
    const Value product = of(p, "%f3", l);
    ASSERT_EQ(product.products.size(), 1u);
    EXPECT_EQ(product.products[0].a, (Origin{0, 2}));
    EXPECT_EQ(product.products[0].b, (Origin{0, 6}));
    expect_element(of(p, "%r12", l), 22);
    expect_element(of(p, "%rd13", l), 8);
  }
}

TEST(Provenance, SumsAndExpressions) {
  const Provenance p = follow(
      "mov.f32 %f1, 0f00000000;\nmov.f32 %f9, 0f00000000;\nmov.u32 %r6, 0;\nmov.u64 %rd8, %rd6;\n"
      "LOOP:\nld.global.f32 %f2, [%rd8];\nld.global.f32 %f3, [%rd0+4];\n"
      "fma.rn.f32 %f1, %f2, %f3, %f1;\nadd.f32 %f9, %f9, %f2;\nadd.s64 %rd8, %rd8, 128;\n"
      "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 5;\n@%p1 bra LOOP;\n"
      "mov.f32 %f4, %f1;\nfma.rn.f32 %f5, %f2, %f2, %f1;\nfma.rn.f32 %f6, %f3, %f3, %f4;\n"
      "mul.f32 %f7, %f1, 0f40000000;\ncvt.rn.f16.f32 %h1, %f1;\n"
      "mul.f32 %f10, %f2, %f3;\nadd.f32 %f11, %f10, %f1;\n");
  const Value v = of(p, "%f4", 3);
  ASSERT_EQ(v.kind, Kind::sum);
  ASSERT_EQ(v.products.size(), 1u);
  EXPECT_EQ(v.terms(), 5u);
  const Products& q = v.products[0];
  EXPECT_EQ(q.a, (Origin{0, 4}));  // in one order whatever the kernel writes
  EXPECT_EQ(q.b, (Origin{0, 12}));
  EXPECT_EQ(q.a_step, 0);
  EXPECT_EQ(q.b_step, 128);
  // Two that went on from one sum: each has its own six, and the sum still has five.
  EXPECT_EQ(of(p, "%f5", 3).terms(), 6u);
  EXPECT_EQ(of(p, "%f6", 3).terms(), 6u);
  EXPECT_EQ(of(p, "%f1", 3).terms(), 5u);
  EXPECT_EQ(of(p, "%h1", 3).terms(), 5u);
  EXPECT_EQ(of(p, "%f11", 3).terms(), 6u);
  const Value sum = of(p, "%f9", 3);  // 0 + x is an expression, and the rest is added to it
  EXPECT_EQ(sum.kind, Kind::sum);
  EXPECT_EQ(sum.terms() + sum.parts.size(), 5u);
  const Value scaled = of(p, "%f7", 3);
  ASSERT_EQ(scaled.kind, Kind::expression);
  EXPECT_EQ(scaled.opcode, "mul.f32");
  ASSERT_EQ(scaled.parts.size(), 1u);
  EXPECT_EQ(scaled.parts[0].terms(), 5u);
}

// 32 sums that grow together, until some lanes add a product of their own.
TEST(Provenance, SumsOfAWarpGrowTogetherAndPart) {
  const Provenance p = follow(
      "mov.f32 %f1, 0f00000000;\nmov.u32 %r6, 0;\nmov.u64 %rd8, %rd6;\n"
      "LOOP:\nld.global.f32 %f2, [%rd8];\nld.global.f32 %f3, [%rd8+2048];\n"
      "fma.rn.f32 %f1, %f2, %f3, %f1;\nadd.s64 %rd8, %rd8, 128;\n"
      "add.u32 %r6, %r6, 1;\nsetp.eq.u32 %p2, %r6, 5;\n@%p2 mov.f32 %f4, %f1;\n"
      "setp.lt.u32 %p1, %r6, 9;\n@%p1 bra LOOP;\n"
      "mov.f32 %f5, %f1;\nmov.f32 %f8, %f2;\nsetp.lt.u32 %p3, %r0, 16;\n"
      "ld.global.f32 %f2, [%rd8];\nld.global.f32 %f3, [%rd8+2048];\n"
      "@%p3 fma.rn.f32 %f1, %f2, %f3, %f1;\nmov.f32 %f6, %f1;\n"
      "fma.rn.f32 %f1, %f2, %f3, %f1;\n"  // again: a step of nothing
      "ld.global.f32 %f2, [%rd8+128];\nld.global.f32 %f3, [%rd8+2176];\n"
      "fma.rn.f32 %f7, %f2, %f3, %f5;\nst.shared.f32 [%r5], %f7;\nld.shared.f32 %f9, [%r5];\n");
  for (uint32_t l = 0; l < 32; ++l) {
    EXPECT_EQ(of(p, "%f4", l).terms(), 5u) << l;
    const Value nine = of(p, "%f5", l);
    ASSERT_EQ(nine.products.size(), 1u) << l;
    EXPECT_EQ(nine.terms(), 9u);
    EXPECT_EQ(nine.products[0].a, (Origin{0, 4 * l}));
    EXPECT_EQ(nine.products[0].b, (Origin{0, 4 * l + 2048}));
    EXPECT_EQ(nine.products[0].a_step, 128);
    EXPECT_EQ(nine.products[0].b_step, 128);
    expect_element(of(p, "%f8", l), 4 * l + 8 * 128);
    EXPECT_EQ(of(p, "%f6", l).terms(), l < 16 ? 10u : 9u) << l;
    EXPECT_EQ(of(p, "%f1", l).terms(), l < 16 ? 11u : 10u) << l;
    for (const char* name : {"%f7", "%f9"}) {  // nine, and one that does not go on evenly
      const Value ten = of(p, name, l);
      EXPECT_EQ(ten.terms(), 10u) << l;
      ASSERT_EQ(ten.products.size(), 2u);
      EXPECT_EQ(ten.products[0].count, 9u);
      EXPECT_EQ(ten.products[1].a, (Origin{0, 4 * l + 10 * 128}));
    }
  }
}

TEST(Provenance, AsksAtAMoment) {
  const std::string body =
      "ld.global.f32 %f1, [%rd6];\nld.global.f32 %f1, [%rd6+128];\nld.global.f32 %f1, "
      "[%rd6+256];\n";
  // ld.param × 2, mov × 3, mad, and the seven instructions before the body.
  const uint64_t first = 6 + 5;
  for (uint64_t i = 0; i < 3; ++i) {
    const Provenance p = follow(body, 64, Provenance::Moment{{0, 0, 0}, 0, first + i + 1});
    expect_element(of(p, "%f1", 2), 8 + 128 * i);
  }
}

struct Gemm {
  Memory memory;
  uint64_t a = 0, b = 0, c = 0;
};

// Every element of C is the sum over all k of A[row, k] · B[k, column], once each.
void expect_gemm(const Provenance& p, const Gemm& g, uint32_t n, uint32_t k, uint32_t bytes,
                 bool b_by_column, uint32_t first_row, uint32_t first_col, uint32_t rows,
                 uint32_t cols) {
  for (uint32_t i = first_row; i < first_row + rows; i += 5) {
    for (uint32_t j = first_col; j < first_col + cols; j += 3) {
      const Value v = p.of_global(g.c + (uint64_t{i} * n + j) * 4, 4);
      ASSERT_EQ(v.kind, Kind::sum) << i << ", " << j;
      ASSERT_EQ(v.products.size(), 1u) << to_text(v, g.memory);
      const Products& q = v.products[0];
      EXPECT_EQ(q.count, k);
      EXPECT_EQ(q.a, (Origin{0, uint64_t{i} * k * bytes}));
      EXPECT_EQ(q.a_step, bytes);
      EXPECT_EQ(q.b, (Origin{1, uint64_t{j} * (b_by_column ? k : 1) * bytes}));
      EXPECT_EQ(q.b_step, b_by_column ? bytes : n * bytes);
      EXPECT_GE(q.a_way.size(), 2u);  // through shared memory
      EXPECT_TRUE(v.parts.empty());
    }
  }
}

RunResult run_gemm(Gemm& g, const char* file, const char* entry, uint32_t size, uint32_t bytes,
                   Launch launch, RunOptions options, bool whole_size = true) {
  auto program = parse(read_kernel(file));
  g.a = g.memory.allocate("A", uint64_t{size} * size * bytes, true);
  g.b = g.memory.allocate("B", uint64_t{size} * size * bytes, true);
  g.c = g.memory.allocate("C", uint64_t{size} * size * 4);
  launch.parameters = whole_size ? parameters(g.a, g.b, g.c, size, size, size)
                                 : parameters(g.a, g.b, g.c, size, size);
  RunResult r = run(*program, entry, launch, g.memory, options);
  EXPECT_FALSE(r.fault) << r.fault->message;
  return r;
}

TEST(Provenance, WholeKernels) {
  for (const bool half : {false, true}) {
    Gemm g;
    Provenance::Options options;
    options.ctas = {{1, 0, 0}};
    Provenance p(options);
    RunOptions run_options;
    run_options.provenance = &p;
    run_options.check = true;
    if (half) {
      run_gemm(g, "hgemm_mma.ptx", "hgemm_mma", 256, 2, {{2, 2, 1}, {256, 1, 1}, 98304, {}},
               run_options);
    } else {
      run_gemm(g, "sgemm_tiled.ptx", "sgemm_tiled", 256, 4, {{2, 2, 1}, {256, 1, 1}, 0, {}},
               run_options);
    }
    ASSERT_EQ(p.ctas().size(), 1u);
    expect_gemm(p, g, 256, 256, half ? 2 : 4, half, 0, 128, 128, 128);
    const std::vector<Stored> stored = p.stored();  // one per row of the tile
    ASSERT_EQ(stored.size(), 128u);
    EXPECT_EQ(stored[3].count, 128u);
    EXPECT_EQ(stored[3].moves, (std::vector<int64_t>{0, half ? 512 : 4}));
  }
}

// What a picture of the tiles needs of each event, without knowing of tiles.
TEST(Provenance, TellsWhatEachEventMoved) {
  Gemm g;
  Provenance::Options options;
  options.ctas = {{1, 0, 0}};
  options.moved = true;
  Provenance p(options);
  RunOptions run_options;
  run_options.provenance = &p;
  run_options.trace = TraceOptions{};
  run_options.trace->cta = {1, 0, 0};
  const RunResult r = run_gemm(g, "hgemm_mma.ptx", "hgemm_mma", 256, 2,
                               {{2, 2, 1}, {256, 1, 1}, 98304, {}}, run_options);
  ASSERT_TRUE(r.trace);
  uint64_t copies = 0, loads = 0, products = 0;
  for (const Event& e : r.trace->events) {
    const auto moved = p.moved({1, 0, 0}, e.warp, e.step);
    if (e.kind == EventKind::copy) {
      ASSERT_TRUE(moved);
      const auto at = g.memory.locate(r.trace->addresses[static_cast<size_t>(e.address_slot)][7]);
      EXPECT_EQ(moved->a[7], (Origin{at.buffer, at.offset}));
      ++copies;
    } else if (e.kind == EventKind::load_shared) {
      ASSERT_TRUE(moved);
      EXPECT_TRUE(moved->a[31]);
      ++loads;
    } else if (e.kind == EventKind::mma) {
      ASSERT_TRUE(moved);
      const uint64_t k = moved->a[0].offset / 2 % 256;
      for (size_t i = 0; i < 16; ++i) {  // rows of A and columns of B, all from the same k on
        EXPECT_EQ(moved->a[i].buffer, 0);
        EXPECT_EQ(moved->a[i].offset, moved->a[0].offset + i * 512);
        if (i >= 8) continue;
        EXPECT_EQ(moved->b[i].buffer, 1);
        EXPECT_EQ(moved->b[i].offset / 2 % 256, k);
      }
      ++products;
    }
  }
  EXPECT_GT(copies, 0u);
  EXPECT_GT(loads, 0u);
  EXPECT_EQ(products, 8u * 4 * 64);
}

// The mistake is found by asking the registers of one fma where their values came from.
TEST(Provenance, FindsTheWrongIndexOfAGemm) {
  constexpr uint32_t kSize = 64;
  Gemm traced;
  RunOptions options;
  options.ctas = {{1, 2, 0}};
  options.trace = TraceOptions{};
  options.trace->cta = {1, 2, 0};
  options.trace->fma = true;
  const Launch launch{{4, 4, 1}, {16, 16, 1}, 0, {}};
  const RunResult r = run_gemm(traced, "gemm_wrong_chunk.ptx", "gemm_wrong_chunk", kSize, 4, launch,
                               options, false);
  ASSERT_TRUE(r.trace);
  std::vector<Event> fmas;
  for (const Event& e : r.trace->events) {
    if (e.kind == EventKind::fma && e.warp == 3) fmas.push_back(e);
  }
  ASSERT_EQ(fmas.size(), kSize);
  const Event& asked = fmas[21];  // some moment in the middle

  Gemm g;
  Provenance::Options follow;
  follow.until = Provenance::Moment{{1, 2, 0}, asked.warp, asked.step};
  Provenance p(follow);
  options.trace.reset();
  options.provenance = &p;
  run_gemm(g, "gemm_wrong_chunk.ptx", "gemm_wrong_chunk", kSize, 4, launch, options, false);
  const uint32_t lane = 18;  // thread (2, 7): row 2 · 16 + 7, column 16 + 2
  const Value a = p.of_register({1, 2, 0}, 3, lane, "%f4"),
              b = p.of_register({1, 2, 0}, 3, lane, "%f5");
  ASSERT_EQ(a.kind, Kind::element);
  ASSERT_EQ(b.kind, Kind::element);
  const uint64_t ea = a.origin.offset / 4, eb = b.origin.offset / 4;
  EXPECT_EQ(ea / kSize, 39u);
  EXPECT_EQ(eb % kSize, 18u);
  EXPECT_EQ(ea % kSize, 21u);        // A[39, 21] …
  EXPECT_EQ(eb / kSize, 21u + 16u);  // … meets B[37, 18]: one chunk too far along k
  ASSERT_EQ(b.way.size(), 3u);       // and this load brought it
  auto program = parse(read_kernel("gemm_wrong_chunk.ptx"));
  EXPECT_EQ(program->source_line(b.way[0]).line, 19);
  // The sum so far says the same of all its products.
  const Value sum = p.of_register({1, 2, 0}, 3, lane, "%f1");
  EXPECT_EQ(sum.terms(), 22u);
  EXPECT_EQ(sum.products[0].a.offset / 4 % kSize, 0u);
  EXPECT_EQ(sum.products[0].b.offset / 4 / kSize, 16u);
}

}  // namespace
}  // namespace tilescope::emulator::test::provenance_file

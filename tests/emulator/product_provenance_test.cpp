// Provenance of matrix products in all their shapes: each element of D sums the row of A and the
// column of B that it should, once, and C's element.
#include "emulator/provenance.h"
#include "support.h"

namespace tilescope::emulator::test::product_provenance_file {
namespace {

using Kind = Value::Kind;

struct Form {
  uint32_t m, n, k;
  const char *inputs, *d, *c;  // types, as in the load, the store and the load of C
  uint32_t a_registers, b_registers;
  char letter;  // of the registers of A and B
  uint32_t bytes, sum_bytes_d, sum_bytes_c;
};

std::string list(const std::string& name, uint32_t first, uint32_t count) {
  std::string text = "{";
  for (uint32_t i = 0; i < count; ++i) {
    text += (i ? ", " : "") + name + std::to_string(first + i);
  }
  return text + "}";
}
// Sums: f16 in %r, others in registers of their own kind.
std::string sums(const std::string& type, uint32_t first, uint32_t elements) {
  if (type == "f16") return list("%r", first, elements / 2);
  return list(type == "f32" ? "%f" : type == "f64" ? "%fd" : "%r", first, elements);
}

struct Followed {
  Memory memory;
  uint64_t a = 0, b = 0, c = 0, d = 0;
  Provenance provenance;
  RunResult result;
};
void follow(Followed& run_of, const std::string& body) {
  const auto program = parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 "
      "b, .param .u64 c, .param .u64 d)\n{\n.reg .b32 %r<80>;\n.reg .f32 %f<40>;\n.reg .f64 "
      "%fd<20>;\n.reg .b64 %rd<20>;\nld.param.u64 %rd0, [a];\nld.param.u64 %rd1, "
      "[b];\nld.param.u64 %rd2, [c];\nld.param.u64 %rd3, [d];\nmov.u32 %r0, %laneid;\n" +
      body + "ret;\n}\n");
  ASSERT_TRUE(program) << body;
  run_of.a = run_of.memory.allocate("A", 4096, true);
  run_of.b = run_of.memory.allocate("B", 4096, true);
  run_of.c = run_of.memory.allocate("C", 4096, true);
  run_of.d = run_of.memory.allocate("D", 4096);
  RunOptions options;
  options.provenance = &run_of.provenance;
  const Launch launch{{1, 1, 1}, {32, 1, 1}, 0, parameters(run_of.a, run_of.b, run_of.c, run_of.d)};
  run_of.result = run(*program, "k", launch, run_of.memory, options);
  ASSERT_FALSE(run_of.result.fault) << run_of.result.fault->message;
}

struct Expected {
  uint64_t a, b, c;  // offsets
  int64_t a_step, b_step;
  uint64_t count;
};
void expect_product(const Followed& r, const Value& v, const Expected& e, const std::string& what) {
  ASSERT_EQ(v.kind, Kind::sum) << what << to_text(v, r.memory);
  ASSERT_EQ(v.products.size(), 1u) << what << to_text(v, r.memory);
  const Products& p = v.products[0];
  EXPECT_EQ(p.count, e.count) << what;
  EXPECT_EQ(p.a, (Origin{0, e.a})) << what << to_text(v, r.memory);
  EXPECT_EQ(p.b, (Origin{1, e.b})) << what << to_text(v, r.memory);
  EXPECT_EQ(p.a_step, e.a_step) << what;
  EXPECT_EQ(p.b_step, e.b_step) << what;
  ASSERT_EQ(v.parts.size(), 1u) << what << to_text(v, r.memory);
  EXPECT_EQ(v.parts[0].kind, Kind::element) << what;
  EXPECT_EQ(v.parts[0].origin, (Origin{2, e.c})) << what;
}

void check_wmma(const Form& f, bool a_rows, bool b_rows) {
  const std::string shape =
      "m" + std::to_string(f.m) + "n" + std::to_string(f.n) + "k" + std::to_string(f.k);
  const std::string la = a_rows ? "row" : "col", lb = b_rows ? "row" : "col", type = f.inputs;
  const uint32_t elements = f.m * f.n / 32;
  const std::string prefix(1, f.letter);
  const std::string name = f.letter == 'd' ? "%fd" : "%r";
  const std::string a = list(name, 4, f.a_registers), b = list(name, 12, f.b_registers);
  const std::string c = sums(f.c, f.letter == 'd' ? 16 : 30, elements),
                    d = sums(f.d, f.letter == 'd' ? 18 : 20, elements);
  const std::string load = "wmma.load.", sync = ".sync.aligned.";
  std::string types = std::string(f.d) + "." + type + "." + type + "." + f.c;
  if (type == "f16") types = std::string(f.d) + "." + f.c;
  if (type == "f64") types = "rn.f64.f64.f64.f64";
  Followed r;
  follow(r, load + "a" + sync + la + "." + shape + ".global." + type + " " + a + ", [%rd0];\n" +
                load + "b" + sync + lb + "." + shape + ".global." + type + " " + b + ", [%rd1];\n" +
                load + "c" + sync + "row." + shape + ".global." + f.c + " " + c +
                ", [%rd2];\nwmma.mma.sync.aligned." + la + "." + lb + "." + shape + "." + types +
                " " + d + ", " + a + ", " + b + ", " + c + ";\nwmma.store.d" + sync + "row." +
                shape + ".global." + f.d + " [%rd3], " + d + ";\n");
  if (testing::Test::HasFatalFailure()) return;
  const uint32_t group = f.bytes == 1 ? 2 : 1;  // elements of a tag
  const int64_t size = f.bytes;
  for (uint32_t row = 0; row < f.m; ++row) {
    for (uint32_t col = 0; col < f.n; ++col) {
      const std::string what = shape + " " + types + " " + la + " " + lb + " [" +
                               std::to_string(row) + ", " + std::to_string(col) + "] ";
      const Value v =
          r.provenance.of_global(r.d + (row * f.n + col) * f.sum_bytes_d, f.sum_bytes_d);
      const Expected e{(a_rows ? row * f.k : row) * f.bytes, (b_rows ? col : col * f.k) * f.bytes,
                       (row * f.n + col) * f.sum_bytes_c,    (a_rows ? 1 : f.m) * size * group,
                       (b_rows ? f.n : 1) * size * group,    f.k / group};
      expect_product(r, v, e, what);
      if (testing::Test::HasFailure()) return;
    }
  }
  for (const Stored& s : r.provenance.stored()) EXPECT_EQ(s.bytes, f.sum_bytes_d) << shape;
}

TEST(ProductProvenance, Wmma) {
  for (const bool a_rows : {true, false}) {
    for (const bool b_rows : {true, false}) {
      for (const auto& [m, n] : {std::pair(16u, 16u), std::pair(32u, 8u), std::pair(8u, 32u)}) {
        for (const char* d : {"f16", "f32"}) {
          for (const char* c : {"f16", "f32"}) {
            check_wmma({.m = m,
                        .n = n,
                        .k = 16,
                        .inputs = "f16",
                        .d = d,
                        .c = c,
                        .a_registers = 8,
                        .b_registers = 8,
                        .letter = 'r',
                        .bytes = 2,
                        .sum_bytes_d = d[1] == '1' ? 2u : 4u,
                        .sum_bytes_c = c[1] == '1' ? 2u : 4u},
                       a_rows, b_rows);
          }
        }
        check_wmma({.m = m,
                    .n = n,
                    .k = 16,
                    .inputs = "bf16",
                    .d = "f32",
                    .c = "f32",
                    .a_registers = m / 4,
                    .b_registers = n / 4,
                    .letter = 'r',
                    .bytes = 2,
                    .sum_bytes_d = 4,
                    .sum_bytes_c = 4},
                   a_rows, b_rows);
      }
      check_wmma({.m = 16,
                  .n = 16,
                  .k = 8,
                  .inputs = "tf32",
                  .d = "f32",
                  .c = "f32",
                  .a_registers = 4,
                  .b_registers = 4,
                  .letter = 'r',
                  .bytes = 4,
                  .sum_bytes_d = 4,
                  .sum_bytes_c = 4},
                 a_rows, b_rows);
      check_wmma({.m = 8,
                  .n = 8,
                  .k = 4,
                  .inputs = "f64",
                  .d = "f64",
                  .c = "f64",
                  .a_registers = 1,
                  .b_registers = 1,
                  .letter = 'd',
                  .bytes = 8,
                  .sum_bytes_d = 8,
                  .sum_bytes_c = 8},
                 a_rows, b_rows);
    }
  }
  // Bytes along k lie side by side: two share a tag.
  for (const auto& [m, n] : {std::pair(16u, 16u), std::pair(32u, 8u), std::pair(8u, 32u)}) {
    check_wmma({.m = m,
                .n = n,
                .k = 16,
                .inputs = "s8",
                .d = "s32",
                .c = "s32",
                .a_registers = m / 8,
                .b_registers = n / 8,
                .letter = 'r',
                .bytes = 1,
                .sum_bytes_d = 4,
                .sum_bytes_c = 4},
               true, false);
    check_wmma({.m = m,
                .n = n,
                .k = 16,
                .inputs = "u8",
                .d = "s32",
                .c = "s32",
                .a_registers = m / 8,
                .b_registers = n / 8,
                .letter = 'r',
                .bytes = 1,
                .sum_bytes_d = 4,
                .sum_bytes_c = 4},
               true, false);
  }
}

// Where two bytes that follow each other along k lie apart, no tag claims that they are one place.
TEST(ProductProvenance, BytesThatLieApartAreAnExpression) {
  Followed r;
  follow(r,
         "wmma.load.a.sync.aligned.col.m16n16k16.global.s8 {%r4, %r5}, [%rd0];\n"
         "wmma.load.b.sync.aligned.row.m16n16k16.global.s8 {%r6, %r7}, [%rd1];\n");
  const Value v = r.provenance.of_register({0, 0, 0}, 0, 0, "%r4", 0);
  EXPECT_EQ(v.kind, Kind::expression);
  ASSERT_EQ(v.parts.size(), 2u);
  EXPECT_EQ(v.parts[0].origin, (Origin{0, 0}));
  EXPECT_EQ(v.parts[1].origin, (Origin{0, 16}));
}

// m8n8k4 of f16: lanes 4p … 4p + 3 and 16 + 4p … of product p, four elements of each, in the ISA's
// words. Each lane loads its elements from its product's own matrices, then stores its sums.
void check_quads(bool a_rows, bool b_rows, bool half_d, bool half_c) {
  std::string body;
  // %r1 = product, %r2 = lane % 4, %r3 = 4 in the upper half of the warp, %r4 = line of a row-major
  // A.
  body +=
      "shr.u32 %r1, %r0, 2;\nand.b32 %r1, %r1, 3;\nand.b32 %r2, %r0, 3;\nshr.u32 %r3, %r0, "
      "4;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r4, %r2, %r3;\nshl.b32 %r5, %r1, 6;\n";
  auto load = [&](const char* base, bool by_line, int first) {
    // Lines of four elements side by side, 8 bytes; or elements of four lines.
    for (int i = 0; i < 4; ++i) {
      const std::string line = by_line ? "%r4" : "%r6";
      body += "add.u32 %r6, %r3, " + std::to_string(i) + ";\n";
      body += "mad.lo.s32 %r7, " + line + ", 8, %r5;\n";
      body += by_line ? "add.u32 %r7, %r7, " + std::to_string(2 * i) + ";\n"
                      : "mad.lo.s32 %r7, %r2, 2, %r7;\n";
      body += "cvt.u64.u32 %rd5, %r7;\nadd.s64 %rd5, %rd5, " + std::string(base) +
              ";\nld.global.u16 %r" + std::to_string(first + i) + ", [%rd5];\n";
    }
  };
  load("%rd0", a_rows, 10);
  load("%rd1", !b_rows, 14);
  for (int i = 0; i < 4; ++i) {
    const std::string low = std::to_string(10 + 2 * i), high = std::to_string(11 + 2 * i);
    body += "prmt.b32 %r" + std::to_string(20 + i) + ", %r" + low + ", %r" + high + ", 0x5410;\n";
  }
  // C: eight sums per lane, at 32 · lane + 4 · i (f32), or 16 · lane + 2 · i.
  body += "mul.wide.u32 %rd6, %r0, 32;\nmul.wide.u32 %rd7, %r0, 16;\nadd.s64 %rd8, %rd2, " +
          std::string(half_c ? "%rd7" : "%rd6") + ";\nadd.s64 %rd9, %rd3, " +
          (half_d ? "%rd7" : "%rd6") + ";\n";
  const std::string c = half_c ? list("%r", 30, 4) : list("%f", 0, 8),
                    d = half_d ? list("%r", 40, 4) : list("%f", 10, 8);
  for (int i = 0; i < (half_c ? 4 : 8); ++i) {
    body += std::string("ld.global.") + (half_c ? "u32 %r" : "f32 %f") +
            std::to_string((half_c ? 30 : 0) + i) + ", [%rd8+" + std::to_string(4 * i) + "];\n";
  }
  body += std::string("mma.sync.aligned.m8n8k4.") + (a_rows ? "row." : "col.") +
          (b_rows ? "row." : "col.") + (half_d ? "f16" : "f32") + ".f16.f16." +
          (half_c ? "f16 " : "f32 ") + d + ", {%r20, %r21}, {%r22, %r23}, " + c + ";\n";
  Followed r;
  follow(r, body);
  if (testing::Test::HasFatalFailure()) return;
  const auto place = [](bool half, uint32_t lane, uint32_t i) {  // row and column in its product
    const uint32_t high = lane < 16 ? 0 : 4;
    return half ? std::pair(lane % 4 + high, i)
                : std::pair((lane & 1u) + (i & 2u) + high, (i & 4u) + (lane & 2u) + (i & 1u));
  };
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t p = lane % 16 / 4;
      const auto [row, col] = place(half_d, lane, i);
      uint64_t c_offset = 0;
      for (uint32_t l = 0; l < 32; ++l) {
        for (uint32_t j = 0; j < 8; ++j) {
          if (l % 16 / 4 == p && place(half_c, l, j) == std::pair(row, col)) {
            c_offset = half_c ? 16 * l + 2 * j : 32 * l + 4 * j;
          }
        }
      }
      const std::string reg =
          half_d ? "%r" + std::to_string(40 + i / 2) : "%f" + std::to_string(10 + i);
      const Value v =
          r.provenance.of_register({0, 0, 0}, 0, lane, reg, half_d ? static_cast<int>(i % 2) : -1);
      expect_product(r, v, {64 * p + 8 * row, 64 * p + 8 * col, c_offset, 2, 2, 4},
                     "lane " + std::to_string(lane) + " element " + std::to_string(i) + ": ");
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(ProductProvenance, ProductsOfQuads) {
  for (unsigned bits = 0; bits < 16; ++bits) {
    const bool half_d = bits & 4, half_c = bits & 8;
    if (half_d && !half_c) continue;  // there is none
    check_quads(bits & 1, bits & 2, half_d, half_c);
  }
}

// C and D in the same registers in another order: no sum is read after it was replaced.
TEST(ProductProvenance, SumsInExchangedRegisters) {
  Followed r;
  follow(r,
         "mul.wide.u32 %rd6, %r0, 16;\nadd.s64 %rd7, %rd2, %rd6;\nadd.s64 %rd8, %rd0, %rd6;\n"
         "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd7];\nld.global.v4.u32 {%r10, %r11, %r12, "
         "%r13}, [%rd8];\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f0, %f3, %f2}, "
         "{%r10, %r11, %r12, %r13}, {%r10, %r11}, {%f0, %f1, %f2, %f3};\n");
  for (uint32_t i = 0; i < 4; ++i) {
    const Value v = r.provenance.of_register({0, 0, 0}, 0, 3, "%f" + std::to_string(i ^ 1));
    ASSERT_EQ(v.parts.size(), 1u) << to_text(v, r.memory);
    EXPECT_EQ(v.parts[0].origin, (Origin{2, 48 + 4 * uint64_t{i}}));
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::product_provenance_file

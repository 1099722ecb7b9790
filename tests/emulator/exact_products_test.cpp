// Products of tensor cores in the arithmetic of architectures, bit for bit: random and adversarial
// operands of every form of mma.sync and of every type of wgmma against a plain reference. That the
// rule is a card's is shown by bench/exact_products.
#include "card_sum_reference.h"
#include "emulator/arithmetic.h"
#include "matrix_support.h"

namespace tilescope::emulator::test::exact_products_file {
namespace {

enum class Kind { any, finite, near_one, cancelling, small, zeros, largest, wide, count };

struct Layout {
  int bits, fraction;
};
Layout layout_of(const std::string& type) {
  if (type == "f16") return {16, 10};
  if (type == "bf16") return {16, 7};
  if (type == "e4m3") return {8, 3};
  if (type == "e5m2") return {8, 2};
  return {32, 23};
}

uint32_t draw(const std::string& type, Kind kind, bool is_c, std::mt19937& random) {
  const Layout l = layout_of(type);
  const uint32_t top = (1u << (l.bits - 1 - l.fraction)) - 1, bias = top / 2;
  const auto r = static_cast<uint32_t>(random());
  const uint32_t sign = (r & 1u) << (l.bits - 1);
  const uint32_t fraction = (static_cast<uint32_t>(random()) >> 1) & ((1u << l.fraction) - 1);
  const auto at = [&](uint32_t field) { return sign | field << l.fraction | fraction; };
  const uint32_t some = r >> 8;
  switch (kind) {
    case Kind::any:
      return at(some % 8 == 0 ? top : bias - 2 + some % 4);
    case Kind::finite:
      return at(some % top);
    case Kind::near_one:
      return at(bias - 3 + some % 6);
    case Kind::cancelling:  // few large values, and small ones that show when those have gone
      if (some % 3 != 0) return sign | (bias + (is_c ? 2 : 1)) << l.fraction;
      return at(bias - std::min(bias, 3 + some % 30));
    case Kind::small:
      return at(some % 3);
    case Kind::zeros:
      return some % 2 ? sign : at(some / 2 % top);
    case Kind::largest:  // sums that no 32 bits hold
      return (some % 64 == 0 ? sign : 0) | (bias + is_c) << l.fraction | ((1u << l.fraction) - 1);
    case Kind::wide:
    case Kind::count:
      break;
  }
  const uint32_t half = top / 4;  // so that products and C have about the same range
  return at(is_c ? some % top : bias - half + some % (2 * half));
}

struct Form {
  std::string instruction;
  Operand operands[4];  // d, a, b, c
  char family;          // '6' 16 bits, 'q' m8n8k4, 't' tf32, '8' 8 bits
  int k;
};

Form form_of(int k, const std::string& sums, const std::string& a, const std::string& b,
             isa::Map map_a, isa::Map map_b, char family) {
  return {"mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col." + sums + "." + a + "." + b +
              "." + sums,
          {{sums, 4, isa::c_m16n8}, {a, k / 2, map_a}, {b, k / 4, map_b}, {sums, 4, isa::c_m16n8}},
          family,
          k};
}

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const char* sums : {"f32", "f16"}) {
    all.push_back(form_of(8, sums, "f16", "f16", isa::m16n8k8_f16::a, isa::m16n8k8_f16::b, '6'));
    all.push_back(form_of(16, sums, "f16", "f16", isa::m16n8k16_f16::a, isa::m16n8k16_f16::b, '6'));
    for (const char* a : {"e4m3", "e5m2"}) {
      for (const char* b : {"e4m3", "e5m2"}) {
        all.push_back(form_of(16, sums, a, b, isa::m16n8k16_s8::a, isa::m16n8k16_s8::b, '8'));
        all.push_back(form_of(32, sums, a, b, isa::m16n8k32_s8::a, isa::m16n8k32_s8::b, '8'));
      }
    }
    namespace q = isa::m8n8k4_f16;
    const isa::Map c = sums == std::string("f16") ? isa::Map(q::c_f16) : isa::Map(q::c_f32);
    all.push_back({std::string("mma.sync.aligned.m8n8k4.row.col.") + sums + ".f16.f16." + sums,
                   {{sums, 8, c}, {"f16", 4, q::a_row}, {"f16", 4, q::b_col}, {sums, 8, c}},
                   'q',
                   4});
  }
  all.push_back(form_of(8, "f32", "bf16", "bf16", isa::m16n8k8_f16::a, isa::m16n8k8_f16::b, '6'));
  all.push_back(
      form_of(16, "f32", "bf16", "bf16", isa::m16n8k16_f16::a, isa::m16n8k16_f16::b, '6'));
  all.push_back(form_of(4, "f32", "tf32", "tf32", isa::m16n8k4::a, isa::m16n8k4::b, 't'));
  all.push_back(form_of(8, "f32", "tf32", "tf32", isa::m16n8k8_tf32::a, isa::m16n8k8_tf32::b, 't'));
  return all;
}

struct Expected {
  int from, to;
  char family;
  CardSums rule;
};
const Expected kExpected[] = {
    {70, 72, '6', {.fraction = 23, .at_once = 4}},
    {70, 72, 'q', {.fraction = 23}},
    {75, 75, '6', {.fraction = 24, .at_once = 8}},
    {75, 75, 'q', {.fraction = 24}},
    {80, 89, '6', {.fraction = 24, .at_once = 8}},
    {80, 121, 'q', {.without_cores = true}},
    {80, 89, 't', {.fraction = 24, .at_once = 4}},
    {89, 89, '8', {.fraction = 13, .kept = 13, .at_once = 16}},
    {90, 121, '6', {}},
    {90, 121, 't', {}},
    {90, 110, '8', {.by_halves = true}},
    {120, 121, '8', {}},
};

TEST(ExactProducts, MmaOfEveryArchitectureIsTheReferencesInEveryBit) {
  std::mt19937 random(29);
  for (const Form& form : forms()) {
    for (const int architecture : {70, 75, 80, 86, 89, 90, 100, 120, 121}) {
      const auto* expected = std::ranges::find_if(kExpected, [&](const Expected& e) {
        return e.family == form.family && architecture >= e.from && architecture <= e.to;
      });
      if (expected == std::end(kExpected)) continue;
      std::vector<std::array<Fragment, 3>> inputs;
      const int tiles = architecture == 90 ? 12 : 2;
      for (int i = 0; i < tiles * static_cast<int>(Kind::count); ++i) {
        const auto kind = static_cast<Kind>(i % static_cast<int>(Kind::count));
        auto& in = inputs.emplace_back();
        for (size_t o = 0; o < 3; ++o) {
          const Operand& operand = form.operands[o + 1];
          for (int lane = 0; lane < 32; ++lane) {
            for (int e = 0; e < operand.elements; ++e) {
              in[o].set(lane, e, bits_of(operand.type), draw(operand.type, kind, o == 2, random));
            }
          }
        }
      }
      const auto results = run_product(form.instruction, form.operands, inputs, architecture);
      ASSERT_FALSE(::testing::Test::HasFailure());
      const bool half = form.operands[0].type == "f16";
      for (size_t i = 0; i < inputs.size(); ++i) {
        const Dense a = dense_of(form.operands[1], inputs[i][0]);
        const Dense b = dense_of(form.operands[2], inputs[i][1]);
        const Dense c = dense_of(form.operands[3], inputs[i][2]);
        for (const auto& [place, found] : dense_of(form.operands[0], results[i])) {
          const auto [product, row, col] = place;
          std::vector<CardNumber> x, y;
          for (int k = 0; k < form.k; ++k) {
            x.push_back(card_number(form.operands[1].type, a.at({product, row, k})));
            y.push_back(card_number(form.operands[2].type, b.at({product, k, col})));
          }
          const uint32_t right = card_reference(
              expected->rule, x, y, card_number(form.operands[3].type, c.at(place)), half);
          ASSERT_EQ(found, right) << form.instruction << " on sm_" << architecture << ", kind "
                                  << i % static_cast<size_t>(Kind::count) << ", " << row << ", "
                                  << col;
        }
      }
    }
  }
}

struct WarpgroupForm {
  const char *d, *a, *b;
  int k;
};

/// A, B and C as shared memory and registers have them, one m64n16 after another.
TEST(ExactProducts, WgmmaIsTheReferencesInEveryBit) {
  std::vector<WarpgroupForm> all = {{"f32", "f16", "f16", 16},
                                    {"f16", "f16", "f16", 16},
                                    {"f32", "bf16", "bf16", 16},
                                    {"f32", "tf32", "tf32", 8}};
  for (const char* d : {"f32", "f16"}) {
    for (const char* a : {"e4m3", "e5m2"}) {
      for (const char* b : {"e4m3", "e5m2"}) all.push_back({d, a, b, 32});
    }
  }
  constexpr uint32_t kA = 512, kB = 128;  // words
  std::mt19937 random(30);
  for (const WarpgroupForm& form : all) {
    const bool half = form.d == std::string("f16");
    const uint32_t sums = half ? 4 : 8, tile = kA + kB + 128 * sums;
    std::string
        list = "{",
        body = "mul.wide.u32 %rd2, %r2, " + std::to_string(4 * tile) +
               ";\nadd.u64 %rd2, %rd2, %rd0;\n"
               "mul.wide.u32 %rd3, %r0, 4;\nadd.u64 %rd3, %rd3, %rd2;\nmul.lo.u32 %r4, %r0, 4;\n";
    for (uint32_t i = 0; i < (kA + kB) / 128; ++i) {
      body += "ld.global.u32 %r5, [%rd3+" + std::to_string(512 * i) + "];\nst.shared.u32 [%r4+" +
              std::to_string(512 * i) + "], %r5;\n";
    }
    std::string store;
    for (uint32_t i = 0; i < sums; ++i) {
      const std::string name = (half ? "%r" : "%f") + std::to_string(30 + i);
      list += (i ? "," : "") + name;
      body += std::string("ld.global.") + (half ? "u32 " : "f32 ") + name + ", [%rd3+" +
              std::to_string(4 * (kA + kB) + 512 * i) + "];\n";
      store += std::string("st.global.") + (half ? "u32" : "f32") + " [%rd4+" +
               std::to_string(512 * i) + "], " + name + ";\n";
    }
    const uint64_t at_a = 64ull << 16 | 8ull << 32;              // 1024 and 128 bytes
    const uint64_t at_b = 2048 / 16 | 16ull << 16 | 8ull << 32;  // 256 and 128
    body +=
        "fence.proxy.async.shared::cta;\nbar.sync 0;\nmov.u64 %rd5, " + std::to_string(at_a) +
        ";\nmov.u64 %rd6, " + std::to_string(at_b) +
        ";\nsetp.eq.u32 %p1, 0, 0;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n16k" +
        std::to_string(form.k) + "." + form.d + "." + form.a + "." + form.b + " " + list +
        "}, %rd5, %rd6, %p1, 1, 1" + (form.k == 16 ? ", 0, 0" : "") +
        ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
        "mul.wide.u32 %rd4, %r2, " +
        std::to_string(512 * sums) +
        ";\nadd.u64 %rd4, %rd4, %rd1;\nmul.wide.u32 %rd7, %r0, 4;\nadd.u64 %rd4, %rd4, %rd7;\n" +
        store;
    constexpr uint32_t kTiles = 4 * static_cast<uint32_t>(Kind::count);
    std::vector<uint32_t> in(kTiles * tile);
    for (uint32_t t = 0; t < kTiles; ++t) {
      const auto kind = static_cast<Kind>(t % static_cast<uint32_t>(Kind::count));
      for (uint32_t i = 0; i < tile; ++i) {
        const std::string type = i < kA ? form.a : i < kA + kB ? form.b : form.d;
        const int bits = bits_of(type);
        for (int at = 0; at < 32; at += bits) {
          in[t * tile + i] |= draw(type, kind, i >= kA + kB, random) << at;
        }
      }
    }
    RunOptions options;
    options.sums_of = 90;
    const Outcome out = run_kernel(kernel(body, ".extern .shared .align 1024 .b8 smem[];\n"), 128,
                                   kTiles * 128 * sums, in, options, kTiles, 4 * (kA + kB));
    ASSERT_FALSE(out.result.fault) << out.result.fault->message;
    const CardSums rule = form.k == 32 ? CardSums{.fraction = 13, .kept = 13} : CardSums{};
    const int bytes = 32 / form.k, bits = 8 * bytes;
    // Lines of 16 bytes, eight of them one behind the other; then the next eight lines.
    const auto element = [&](uint32_t from, uint32_t lines, uint32_t line, int k) {
      const auto byte = static_cast<uint32_t>(k * bytes);
      const uint32_t at = line % 8 * 16 + line / 8 * 128 + byte % 16 + byte / 16 * lines * 16;
      return in[from + at / 4] >> (8 * (at % 4)) & (bits == 32 ? ~0u : (1u << bits) - 1);
    };
    for (uint32_t t = 0; t < kTiles; ++t) {
      for (uint32_t thread = 0; thread < 128; ++thread) {
        for (uint32_t i = 0; i < (half ? 2 * sums : sums); ++i) {
          const uint32_t word = half ? i / 2 : i, shift = half ? 16 * (i % 2) : 0;
          const isa::Place p = isa::c_m16n8(static_cast<int>(thread % 32), static_cast<int>(i % 4));
          const uint32_t row = 16 * (thread / 32) + static_cast<uint32_t>(p.row);
          const uint32_t col = 8 * (i / 4) + static_cast<uint32_t>(p.col);
          std::vector<CardNumber> x, y;
          for (int k = 0; k < form.k; ++k) {
            x.push_back(card_number(form.a, element(t * tile, 64, row, k)));
            y.push_back(card_number(form.b, element(t * tile + kA, 16, col, k)));
          }
          const uint32_t mask = half ? 0xffffu : ~0u;
          const uint32_t c = in[t * tile + kA + kB + word * 128 + thread] >> shift & mask;
          const uint32_t found = out.out[(t * sums + word) * 128 + thread] >> shift & mask;
          ASSERT_EQ(found, card_reference(rule, x, y, card_number(form.d, c), half))
              << form.d << "." << form.a << "." << form.b << " tile " << t << " " << row << ", "
              << col;
        }
      }
    }
  }
}

std::shared_ptr<const Program> program_with(const std::string& instruction) {
  return parse(kernel(instruction));
}
const char* const kHalves =
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r1,%r2,%r3,%r4}, "
    "{%r5,%r6}, {%f0,%f1,%f2,%f3};\n";
const char* const kEights =
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0,%f1,%f2,%f3}, {%r1,%r2,%r3,%r4}, "
    "{%r5,%r6}, {%f0,%f1,%f2,%f3};\n";

std::string words(const std::string& body, int sums_of) {
  const auto program = program_with(body);
  return program ? words_of(product_sums(*program, program->entries()[0].name, sums_of)) : "";
}

TEST(ExactProducts, WordsSayWhichArithmeticItIs) {
  EXPECT_EQ(words("mov.u32 %r1, 0;\n", 90), "");
  EXPECT_EQ(words(kHalves, kSumsIeee), "products in IEEE f32");
  EXPECT_EQ(words(kHalves, 90), "products as sm_90 sums them");
  EXPECT_EQ(words(kHalves, 80), "products as sm_80 sums them, by a published rule");
  EXPECT_EQ(words(kEights, 86),
            "products as sm_86 sums them, but in IEEE f32 those whose sums there are not known: "
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32");
}

TEST(ExactProducts, TheTargetDecides) {
  std::string text = kernel(kHalves);
  const size_t at = text.find(".target sm_");
  ASSERT_NE(at, std::string::npos);
  for (const auto& [target, proven] : {std::pair{"sm_90a", true}, std::pair{"sm_80", false}}) {
    text.replace(at, text.find('\n', at) - at, std::string(".target ") + target);
    const auto program = parse(text);
    ASSERT_TRUE(program);
    const std::string entry = program->entries()[0].name;
    EXPECT_EQ(product_sums(*program, entry, kSumsOfTarget).architecture, proven ? 90 : 80);
    EXPECT_EQ(product_sums(*program, entry, kSumsWhereProven).architecture, proven ? 90 : 0);
    EXPECT_EQ(product_sums(*program, entry, kSumsOfTarget).proven, proven);
  }
}

TEST(ExactProducts, EachLineOfTheTableHasASource) {
  for (const SumSource& s : sum_sources()) {
    EXPECT_LE(s.from, s.to);
    EXPECT_FALSE(s.source.empty());
    EXPECT_FALSE(s.instructions.empty());
    for (const SumSource& other : sum_sources()) {  // no two say something of one thing
      if (&other == &s || s.instructions != other.instructions || s.from == other.from) continue;
      EXPECT_TRUE(s.to < other.from || other.to < s.from) << s.instructions;
    }
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::exact_products_file

// Every dense mma.sync against a plain product; fragments by the PTX ISA's text (isa_fragments.h).

#include "matrix_support.h"

namespace tilescope::emulator::test::mma_file {
namespace {

struct Form {
  std::string instruction;
  Operand operands[4];  // d, a, b, c
  ProductRules rules;
};

void check(const Form& form) {
  std::mt19937 random(20);
  std::vector<std::array<Fragment, 3>> inputs;
  const Data data[] = {Data::exact, Data::random, Data::special};
  for (Data d : data) {
    auto& in = inputs.emplace_back();
    for (size_t o = 0; o < 3; ++o) in[o] = random_fragment(form.operands[o + 1], d, random);
  }
  const auto results = run_product(form.instruction, form.operands, inputs);
  if (::testing::Test::HasFailure()) return;
  for (size_t i = 0; i < 3; ++i) {
    expect_product(form.instruction, form.operands, form.rules, data[i], inputs[i], results[i]);
  }
}

TEST(Mma, QuadsOfF16) {
  namespace q = isa::m8n8k4_f16;
  for (const bool a_col : {false, true}) {
    for (const bool b_col : {false, true}) {
      for (const char* types : {"f16 f16", "f32 f16", "f32 f32"}) {
        const std::string d(types, 3), c(types + 4, 3);
        check({std::string("mma.sync.aligned.m8n8k4.") + (a_col ? "col." : "row.") +
                   (b_col ? "col." : "row.") + d + ".f16.f16." + c,
               {{d, 8, d == "f16" ? q::c_f16 : q::c_f32},
                {"f16", 4, a_col ? q::a_col : q::a_row},
                {"f16", 4, b_col ? q::b_col : q::b_row},
                {c, 8, c == "f16" ? q::c_f16 : q::c_f32}},
               {.k = 4}});
      }
    }
  }
}

// A and B of `a` and `b`, D and C of `sums`.
Form form_m16(int k, const std::string& sums, const std::string& a, const std::string& b,
              isa::Map map_a, isa::Map map_b) {
  return {"mma.sync.aligned.m16n8k" + std::to_string(k) + ".row.col." + sums + "." + a + "." + b +
              "." + sums,
          {{sums, 4, isa::c_m16n8}, {a, k / 2, map_a}, {b, k / 4, map_b}, {sums, 4, isa::c_m16n8}},
          {.k = k}};
}

TEST(Mma, Halves) {
  for (const char* sums : {"f16", "f32"}) {
    check(form_m16(8, sums, "f16", "f16", isa::m16n8k8_f16::a, isa::m16n8k8_f16::b));
    check(form_m16(16, sums, "f16", "f16", isa::m16n8k16_f16::a, isa::m16n8k16_f16::b));
  }
  check(form_m16(8, "f32", "bf16", "bf16", isa::m16n8k8_f16::a, isa::m16n8k8_f16::b));
  check(form_m16(16, "f32", "bf16", "bf16", isa::m16n8k16_f16::a, isa::m16n8k16_f16::b));
}

TEST(Mma, Tf32) {
  check(form_m16(4, "f32", "tf32", "tf32", isa::m16n8k4::a, isa::m16n8k4::b));
  check(form_m16(8, "f32", "tf32", "tf32", isa::m16n8k8_tf32::a, isa::m16n8k8_tf32::b));
}

TEST(Mma, RealsOf8Bits) {
  for (const char* sums : {"f16", "f32"}) {
    for (const char* a : {"e4m3", "e5m2"}) {
      for (const char* b : {"e4m3", "e5m2"}) {
        check(form_m16(16, sums, a, b, isa::m16n8k16_s8::a, isa::m16n8k16_s8::b));
        check(form_m16(32, sums, a, b, isa::m16n8k32_s8::a, isa::m16n8k32_s8::b));
      }
    }
  }
}

TEST(Mma, Doubles) {
  for (const auto& [suffix, mode] : kRoundings) {
    Form forms[] = {
        form_m16(4, "f64", "f64", "f64", isa::m16n8k4::a, isa::m16n8k4::b),
        form_m16(8, "f64", "f64", "f64", isa::m16n8k8_tf32::a, isa::m16n8k8_tf32::b),
        form_m16(16, "f64", "f64", "f64", isa::m16n8k16_f64::a, isa::m16n8k16_f64::b),
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
         {{"f64", 2, isa::c_m8n8},
          {"f64", 1, isa::m8n8k4_f64::a},
          {"f64", 1, isa::m8n8k4_f64::b},
          {"f64", 2, isa::c_m8n8}},
         {.k = 4}},
    };
    for (Form& form : forms) {
      form.rules.rounding = mode;
      const std::string plain = form.instruction;
      form.instruction = plain + suffix;
      check(form);
      form.instruction = plain;  // the modifier may stand before the types, too
      form.instruction.insert(plain.find(".f64"), suffix);
      check(form);
    }
  }
}

struct IntegerShape {
  int m, k;
  const char *s, *u;
  isa::Map a, b;
};

TEST(Mma, Integers) {
  for (const IntegerShape& shape :
       {IntegerShape{8, 16, "s8", "u8", isa::m8n8k16::a, isa::m8n8k16::b},
        IntegerShape{16, 16, "s8", "u8", isa::m16n8k16_s8::a, isa::m16n8k16_s8::b},
        IntegerShape{16, 32, "s8", "u8", isa::m16n8k32_s8::a, isa::m16n8k32_s8::b},
        IntegerShape{8, 32, "s4", "u4", isa::m8n8k32::a, isa::m8n8k32::b},
        IntegerShape{16, 32, "s4", "u4", isa::m16n8k32_s4::a, isa::m16n8k32_s4::b},
        IntegerShape{16, 64, "s4", "u4", isa::m16n8k64::a, isa::m16n8k64::b}}) {
    const isa::Map sums = shape.m == 8 ? isa::c_m8n8 : isa::c_m16n8;
    for (const char* a : {shape.s, shape.u}) {
      for (const char* b : {shape.s, shape.u}) {
        for (const bool saturate : {false, true}) {
          check({"mma.sync.aligned.m" + std::to_string(shape.m) + "n8k" + std::to_string(shape.k) +
                     ".row.col." + (saturate ? "satfinite." : "") + "s32." + a + "." + b + ".s32",
                 {{"s32", shape.m / 4, sums},
                  {a, shape.m * shape.k / 32, shape.a},
                  {b, shape.k / 4, shape.b},
                  {"s32", shape.m / 4, sums}},
                 {.k = shape.k, .saturate = saturate}});
        }
      }
    }
  }
}

TEST(Mma, Bits) {
  for (const IntegerShape& shape :
       {IntegerShape{8, 128, "", "", isa::m8n8k128::a, isa::m8n8k128::b},
        IntegerShape{16, 128, "", "", isa::m16n8k128::a, isa::m16n8k128::b},
        IntegerShape{16, 256, "", "", isa::m16n8k256::a, isa::m16n8k256::b}}) {
    const isa::Map sums = shape.m == 8 ? isa::c_m8n8 : isa::c_m16n8;
    for (const std::string operation : {"xor", "and"}) {
      check({"mma.sync.aligned.m" + std::to_string(shape.m) + "n8k" + std::to_string(shape.k) +
                 ".row.col.s32.b1.b1.s32." + operation + ".popc",
             {{"s32", shape.m / 4, sums},
              {"b1", shape.m * shape.k / 32, shape.a},
              {"b1", shape.k / 4, shape.b},
              {"s32", shape.m / 4, sums}},
             {.k = shape.k, .bit_operation = operation[0]}});
    }
  }
}

TEST(Mma, SumsOfRealsThatNoFormHasAreRefused) {
  for (const char* text :
       {"m16n8k16.row.col.f32.f16.f16.f16", "m16n8k8.row.row.f32.f16.f16.f32",
        "m16n8k32.row.col.f16.e4m3.e4m3.f32", "m8n8k4.row.col.f16.f16.f16.f32"}) {
    const auto errors = errors_of(kernel(std::string("mma.sync.aligned.") + text +
                                         " {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1}, {%r1,%r2};\n"));
    EXPECT_FALSE(errors.empty()) << text;
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::mma_file

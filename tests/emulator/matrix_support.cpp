#include "matrix_support.h"

#include <cmath>
#include <limits>

namespace tilescope::emulator::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Sign, `e` exponent bits, `m` fraction bits, as IEEE 754 has them.
double ieee_value(uint64_t bits, int e, int m, bool infinities = true) {
  const double sign = (bits >> (e + m)) & 1 ? -1 : 1;
  const uint64_t exponent = (bits >> m) & ((1u << e) - 1), fraction = bits & ((1ull << m) - 1);
  const int bias = (1 << (e - 1)) - 1;
  if (infinities && exponent == (1u << e) - 1) return fraction ? kNaN : sign * kInfinity;
  if (!infinities && (bits & ((1u << (e + m)) - 1)) == (1u << (e + m)) - 1) return kNaN;
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(fraction), 1 - bias - m);
  return sign * std::ldexp(static_cast<double>(fraction | 1ull << m),
                           static_cast<int>(exponent) - bias - m);
}

uint64_t bits_of_value(const std::string& type, double v) {
  if (type == "f64") return bits(v);
  const uint64_t f = bits(static_cast<float>(v));
  if (type == "f32" || type == "tf32") return f;
  if (type == "bf16") return f >> 16;  // exact for what the tests make
  if (type == "f16") {
    if (std::isfinite(v)) return half_of(static_cast<int>(v * 512));
    return std::isnan(v) ? 0x7e00 : v < 0 ? 0xfc00 : 0x7c00;
  }
  for (uint64_t b = 0; b < 256; ++b) {
    const double x = value_of(type, b);
    if (x == v || (x != x && v != v)) return b;
  }
  return type == "e4m3" ? 0x7f : 0;  // has no infinity
}

bool is_integer(const std::string& t) { return t[0] == 's' || t[0] == 'u' || t == "b1"; }

int64_t integer_product(const ProductRules& rules, int64_t a, int64_t b) {
  return rules.bit_operation == 'x' ? a ^ b : rules.bit_operation == 'a' ? a & b : a * b;
}

}  // namespace

int bits_of(const std::string& type) {
  if (type == "e4m3" || type == "e5m2") return 8;
  return std::stoi(type.substr(type.find_first_of("123468")));
}

double value_of(const std::string& type, uint64_t b) {
  if (type == "f64") return as_double(b);
  if (type == "f32") return ieee_value(b, 8, 23);
  if (type == "tf32") return ieee_value(b & ~0x1fffull, 8, 23);
  if (type == "f16") return ieee_value(b, 5, 10);
  if (type == "bf16") return ieee_value(b, 8, 7);
  if (type == "e4m3") return ieee_value(b, 4, 3, false);
  if (type == "e5m2") return ieee_value(b, 5, 2);
  const int n = bits_of(type);
  const int64_t v = static_cast<int64_t>(b & ((1ull << n) - 1));
  return static_cast<double>(type[0] == 's' && (v >> (n - 1)) ? v - (1ll << n) : v);
}

uint64_t random_element(const std::string& type, Data data, std::mt19937& random) {
  if (type == "s32") {
    const uint32_t r = static_cast<uint32_t>(random());
    if (data != Data::special) return data == Data::exact ? r & 0xfffu : r;
    return r & 1 ? 0x7fffffffu - (r >> 24) : 0x80000000u + (r >> 24);
  }
  if (is_integer(type)) return random() & ((1ull << bits_of(type)) - 1);
  if (data == Data::random) {
    if (bits_of(type) == 8) return random() & 0xbf;  // not the largest, so that sums stay finite
    const double v = std::uniform_real_distribution<double>(-1, 1)(random);
    if (type == "f16") return half_of(static_cast<int>(v * 2047));
    return type == "f64" ? bits(v) : bits(static_cast<float>(v)) >> (type == "bf16" ? 16 : 0);
  }
  const uint32_t r = static_cast<uint32_t>(random());
  double v = static_cast<int>(r % 9) - 4;
  if (data == Data::special && (r >> 8) % 32 == 0) {
    const double values[] = {kInfinity, -kInfinity, kNaN, 0.0};
    v = values[(r >> 16) % 4];
  }
  return bits_of_value(type, v);
}

uint64_t Fragment::get(int lane, int i, int bits) const {
  const int at = i * bits;
  uint64_t word;
  std::memcpy(&word, bytes.data() + lane * 64 + at / 64 * 8, 8);
  return bits == 64 ? word : (word >> (at % 64)) & ((1ull << bits) - 1);
}
void Fragment::set(int lane, int i, int bits, uint64_t value) {
  const int at = i * bits;
  uint64_t word;
  std::memcpy(&word, bytes.data() + lane * 64 + at / 64 * 8, 8);
  const uint64_t mask = bits == 64 ? ~0ull : ((1ull << bits) - 1) << (at % 64);
  word = (word & ~mask) | (value << (at % 64) & mask);
  std::memcpy(bytes.data() + lane * 64 + at / 64 * 8, &word, 8);
}

Fragment random_fragment(const Operand& o, Data data, std::mt19937& random) {
  Fragment f;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < o.elements; ++i) {
      f.set(lane, i, bits_of(o.type), random_element(o.type, data, random));
    }
  }
  return f;
}

std::vector<Fragment> run_product(const std::string& instruction, const Operand (&operands)[4],
                                  const std::vector<std::array<Fragment, 3>>& inputs, int sums_of) {
  std::string body = "mul.wide.u32 %rd5, %r1, 192;\nadd.s64 %rd5, %rd0, %rd5;\n", store;
  std::vector<std::string> lists;
  for (size_t o = 0; o < 4; ++o) {  // d, a, b, c
    const std::string& type = operands[o].type;
    const std::string kind = type == "f64" ? "f64" : type == "f32" ? "f32" : "b32";
    const std::string name = type == "f64" ? "%fd" : type == "f32" ? "%f" : "%r";
    const size_t step = type == "f64" ? 8 : 4, first = type == "f64" ? 10 * o : 20 * o + 10;
    std::string list = "{";
    for (size_t i = 0; i < static_cast<size_t>(operands[o].registers()); ++i) {
      const std::string reg = name + std::to_string(first + i);
      list += (i ? ", " : "") + reg;
      if (o == 0) {
        store += "st.global." + kind + " [%rd6+" + std::to_string(step * i) + "], " + reg + ";\n";
      } else {
        body += "ld.global." + kind + " " + reg + ", [%rd5+" +
                std::to_string(64 * (o - 1) + step * i) + "];\n";
      }
    }
    lists.push_back(list + "}");
  }
  body += instruction + " " + lists[0] + ", " + lists[1] + ", " + lists[2] + ", " + lists[3] +
          ";\nmul.wide.u32 %rd6, %r1, 64;\nadd.s64 %rd6, %rd1, %rd6;\n" + store;
  std::vector<uint32_t> in(inputs.size() * 32 * 48);
  for (size_t w = 0; w < inputs.size(); ++w) {
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t o = 0; o < 3; ++o) {
        std::memcpy(in.data() + (w * 32 + lane) * 48 + o * 16,
                    inputs[w][o].bytes.data() + lane * 64, 64);
      }
    }
  }
  const uint32_t warps = static_cast<uint32_t>(inputs.size());
  RunOptions options;
  options.sums_of = sums_of;
  const Outcome out = run_kernel(kernel(body), 32, warps * 32 * 16, in, options, warps);
  std::vector<Fragment> result(inputs.size());
  EXPECT_FALSE(out.result.fault) << instruction << ": " << out.result.fault->message;
  if (out.out.size() != warps * 32 * 16) return result;
  for (size_t w = 0; w < warps; ++w) {
    std::memcpy(result[w].bytes.data(), out.out.data() + w * 32 * 16, 32 * 64);
  }
  return result;
}

Dense dense_of(const Operand& o, const Fragment& f) {
  Dense dense;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < o.elements; ++i) {
      const isa::Place p = o.map(lane, i);
      dense.try_emplace({p.product, p.row, p.col}, f.get(lane, i, bits_of(o.type)));
    }
  }
  return dense;
}

void expect_product(const std::string& what, const Operand (&operands)[4],
                    const ProductRules& rules, Data data, const std::array<Fragment, 3>& inputs,
                    const Fragment& result) {
  const std::string &td = operands[0].type, &ta = operands[1].type, &tb = operands[2].type,
                    &tc = operands[3].type;
  Dense a = dense_of(operands[1], inputs[0]), b = dense_of(operands[2], inputs[1]),
        c = dense_of(operands[3], inputs[2]);
  const Dense d = dense_of(operands[0], result);
  ASSERT_EQ(d.size(), c.size()) << what;
  for (const auto& [at, got] : d) {
    const auto [product, row, col] = at;
    double sum = value_of(tc, c[at]), size = std::fabs(sum);
    int64_t whole = static_cast<int32_t>(c[at]);
    for (int k = 0; k < rules.k; ++k) {
      ASSERT_TRUE(a.contains({product, row, k}) && b.contains({product, k, col})) << what;
      const double x = value_of(ta, a[{product, row, k}]), y = value_of(tb, b[{product, k, col}]);
      if (td == "s32") {
        whole += integer_product(rules, static_cast<int64_t>(x), static_cast<int64_t>(y));
      } else {
        sum = td == "f64" ? directed_fma(x, y, sum, rules.rounding) : sum + x * y;
        size += std::fabs(x * y);
      }
    }
    const std::string where = what + " at " + std::to_string(row) + ", " + std::to_string(col);
    if (td == "s32") {
      if (rules.saturate) whole = std::clamp<int64_t>(whole, INT32_MIN, INT32_MAX);
      ASSERT_EQ(static_cast<int32_t>(got), static_cast<int32_t>(whole)) << where;
      continue;
    }
    const double value = value_of(td, got);
    if (sum != sum) {
      ASSERT_TRUE(value != value) << where << ": " << value;
    } else if (td == "f64" || data != Data::random) {
      ASSERT_EQ(value, sum) << where;
    } else {  // the order of sums is free: each rounds by half a unit of f32's last place
      const double slack = size * rules.k * 0x1p-24 + (td == "f16" ? std::fabs(sum) * 0x1p-10 : 0);
      ASSERT_NEAR(value, sum, slack) << where;
    }
  }
}

}  // namespace tilescope::emulator::test

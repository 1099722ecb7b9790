// f32 and f64 arithmetic in all rounding modes, with .ftz and .sat; f16, bf16 and their pairs.
#include "exact_reference.h"
#include "support.h"

namespace tilescope::emulator::test::rounding_file {
namespace {

const std::vector<float> kEdges = {
    0.0f,      -0.0f,       1.0f,        -1.0f,           1.5f,
    -2.75f,    0x1p-149f,   -0x1p-149f,  0x1p-130f,       0x1.8p-127f,
    0x1p-126f, -0x1p-126f,  3.14159f,    1.0f / 3,        1e-30f,
    -1e30f,    16777216.0f, 16777217.0f, 0x1.fffffep127f, -0x1.fffffep127f,
    HUGE_VALF, -HUGE_VALF,  NAN};

std::vector<uint64_t> floats() {
  std::vector<uint64_t> v;
  for (float f : kEdges) v.push_back(bits(f));
  for (uint32_t i = 1; i < 8; ++i) v.push_back(i * 2654435761u);
  return v;
}
std::vector<uint64_t> doubles() {
  std::vector<uint64_t> v = {bits(0x1p-1074), bits(0x1.fffffffffffffp1023), bits(0x1p-1022)};
  for (float f : kEdges) v.push_back(bits(static_cast<double>(f)));
  for (uint64_t i = 1; i < 8; ++i) v.push_back(i * 0x9e3779b97f4a7c15u);
  return v;
}

template <class T>
T value_of(uint64_t v) {
  if constexpr (sizeof(T) == 8) return as_double(v);
  return as_float(v);
}
template <class T>
T flush(T a, bool ftz) {
  return ftz && sizeof(T) == 4 && std::fabs(a) < 0x1p-126f ? std::copysign(T(0), a) : a;
}
template <class T>
T finish(T a, bool ftz, bool sat) {
  a = flush(a, ftz);
  if (sat) a = a > 0 ? std::min(a, T(1)) : T(0);
  return a;
}

// The results, by the sign of what is left between the exact value and the host's nearest.
template <class T>
T add(T a, T b, T, Mode m) {
  const T n = a + b;
  if (n == 0 && a == -b) return zero_of<T>(std::signbit(a), std::signbit(b), m);
  return std::isfinite(a) && std::isfinite(b)
             ? directed(n, std::isfinite(n) ? Exact::sum(a, b).sign_above(n) : (n > 0 ? -1 : 1), m)
             : n;
}
template <class T>
T sub(T a, T b, T c, Mode m) {
  const T r = add(a, -b, c, m);
  return r;
}
template <class T>
T mul(T a, T b, T, Mode m) {
  const T n = a * b;
  if (!std::isfinite(a) || !std::isfinite(b)) return n;
  return directed(n, std::isfinite(n) ? Exact{Wide(a) * b, 0}.sign_above(n) : (n > 0 ? -1 : 1), m);
}
template <class T>
T div(T a, T b, T, Mode m) {
  const T n = a / b;
  if (!std::isfinite(a) || !std::isfinite(b) || b == 0 || a == 0) return n;
  if (!std::isfinite(n)) return directed(n, n > 0 ? -1 : 1, m);
  const Exact rest = Exact::sum(a, -Wide(n) * b);  // a − n·b has the sign of b·(a/b − n)
  return directed(n, rest.sign_above(0) * (b > 0 ? 1 : -1), m);
}
template <class T>
T rcp(T a, T, T, Mode m) {
  return div(T(1), a, T(0), m);
}
template <class T>
T sqrt(T a, T, T, Mode m) {
  const T n = std::sqrt(a);
  if (!(a > 0) || !std::isfinite(a)) return n;
  return directed(n, Exact::sum(a, -Wide(n) * n).sign_above(0), m);
}

struct Operation {
  const char* name;
  int operands;
  float (*single)(float, float, float, Mode);
  double (*wide)(double, double, double, Mode);
  bool saturates;
};
const Operation kOperations[] = {{"add", 2, add<float>, add<double>, true},
                                 {"sub", 2, sub<float>, sub<double>, true},
                                 {"mul", 2, mul<float>, mul<double>, true},
                                 {"fma", 3, directed_fma<float>, directed_fma<double>, true},
                                 {"div", 2, div<float>, div<double>, false},
                                 {"rcp", 1, rcp<float>, rcp<double>, false},
                                 {"sqrt", 1, sqrt<float>, sqrt<double>, false}};
const std::pair<const char*, Mode> kModes[] = {
    {".rn", Mode::nearest}, {".rz", Mode::zero}, {".rm", Mode::down}, {".rp", Mode::up}};

std::vector<std::vector<uint64_t>> operands_of(int count, const std::vector<uint64_t>& values) {
  std::vector<std::vector<uint64_t>> lists(static_cast<size_t>(count), values);
  if (count == 3) {  // fewer of the third
    lists[2].clear();
    for (size_t i = 0; i < values.size(); i += 3) lists[2].push_back(values[i]);
  }
  return lists;
}
std::string text_of(const std::string& name, int operands) {
  return name + (operands == 1 ? " D, A;" : operands == 2 ? " D, A, B;" : " D, A, B, C;");
}

TEST(Rounding, SingleInAllModes) {
  for (const Operation& op : kOperations) {
    for (const auto& [suffix, mode] : kModes) {
      for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
          if (sat && !op.saturates) continue;
          const std::string name =
              std::string(op.name) + suffix + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + ".f32";
          sweep(text_of(name, op.operands),
                std::string("ffff").substr(0, 1 + static_cast<size_t>(op.operands)),
                operands_of(op.operands, floats()),
                [&, m = mode](uint64_t a, uint64_t b, uint64_t c) {
                  return bits(finish(op.single(flush(as_float(a), ftz), flush(as_float(b), ftz),
                                               flush(as_float(c), ftz), m),
                                     ftz, sat));
                });
        }
      }
    }
  }
}

TEST(Rounding, DoubleInAllModes) {
  for (const Operation& op : kOperations) {
    for (const auto& [suffix, mode] : kModes) {
      sweep(text_of(std::string(op.name) + suffix + ".f64", op.operands),
            std::string("dddd").substr(0, 1 + static_cast<size_t>(op.operands)),
            operands_of(op.operands, doubles()), [&, m = mode](uint64_t a, uint64_t b, uint64_t c) {
              return bits(op.wide(as_double(a), as_double(b), as_double(c), m));
            });
    }
  }
}

// 16-bit reals: exact in binary128, rounded by their table of values.
struct Half {
  const char* type;
  const SmallReal& real;
};
const std::vector<uint64_t> kHalves = {
    0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00, 0x3c01, 0x4248, 0x7bff, 0xfbff,
    0x7c00, 0xfc00, 0x7e00, 0x3555, 0x0080, 0x007f, 0x3f80, 0xbf81, 0x7f7f, 0xff7f, 0x7f80, 0x7fc0};

uint64_t to16(const SmallReal& real, Exact e, uint64_t nan) {
  if (e.hi != e.hi) return nan;
  if (std::isinf(static_cast<double>(e.hi))) {
    return (&real == &f16() ? 0x7c00u : 0x7f80u) | (e.hi < 0 ? 0x8000u : 0u);
  }
  return real.round(e, Mode::nearest);
}
uint64_t half_op(const SmallReal& real, const std::string& op, const std::string& after, uint64_t a,
                 uint64_t b, uint64_t c) {
  const double x = real.value(static_cast<uint32_t>(a)), y = real.value(static_cast<uint32_t>(b));
  const double z = real.value(static_cast<uint32_t>(c));
  if (op == "min" || op == "max") {
    const bool nan = after.find(".NaN") != after.npos;
    if ((nan && (std::isnan(x) || std::isnan(y))) || (std::isnan(x) && std::isnan(y)))
      return 0x7fff;
    if (std::isnan(x)) return b;
    if (std::isnan(y)) return a;
    const bool less = x < y || (x == y && std::signbit(x));
    return less == (op == "min") ? a : b;
  }
  Exact e;
  if (!std::isfinite(x) || !std::isfinite(y) || (op == "fma" && !std::isfinite(z))) {
    e = {Wide(op == "add" ? x + y : op == "sub" ? x - y : op == "mul" ? x * y : x * y + z), 0};
  } else {
    e = op == "add"   ? Exact::sum(x, y)
        : op == "sub" ? Exact::sum(x, -y)
        : op == "mul" ? Exact{Wide(x) * y, 0}
                      : Exact::sum(Wide(x) * y, z);
  }
  uint64_t r = to16(real, e, 0x7fff);
  const double v = real.value(static_cast<uint32_t>(r));
  const uint64_t one = to16(real, {1, 0}, 0);
  if (after == ".sat") r = std::isnan(v) || v <= 0 ? 0 : v > 1 ? one : r;
  if (after == ".relu") r = v < 0 || r == 0x8000 ? 0 : r;
  return r;
}

TEST(Rounding, HalvesAndPairs) {
  const Half types[] = {{"f16", f16()}, {"bf16", bf16()}};
  const std::pair<const char*, std::vector<const char*>> ops[] = {
      {"add", {"", ".rn", ".sat"}}, {"sub", {"", ".sat"}},
      {"mul", {"", ".sat"}},        {"fma", {".rn", ".rn.sat", ".rn.relu"}},
      {"min", {"", ".NaN"}},        {"max", {"", ".NaN"}}};
  for (const Half& type : types) {
    for (const auto& [op, suffixes] : ops) {
      for (const std::string suffix : suffixes) {
        const int count = std::string(op) == "fma" ? 3 : 2;
        const std::string after = suffix.find("sat") != suffix.npos    ? ".sat"
                                  : suffix.find("relu") != suffix.npos ? ".relu"
                                                                       : suffix;
        auto single = [&, name = std::string(op)](uint64_t a, uint64_t b, uint64_t c) {
          return half_op(type.real, name, after, a & 0xffff, b & 0xffff, c & 0xffff);
        };
        auto same_nan = [&](uint64_t r) {  // any NaN is as good
          return type.real.is_nan(static_cast<uint32_t>(r)) ? 0x7fffu : r;
        };
        const std::string name = op + suffix + "." + type.type;
        sweep(text_of(name, count), std::string("hhhh").substr(0, 1 + static_cast<size_t>(count)),
              operands_of(count, kHalves),
              [&](uint64_t a, uint64_t b, uint64_t c) { return same_nan(single(a, b, c)); });
        std::vector<uint64_t> pairs;
        for (size_t i = 0; i < kHalves.size(); ++i) {
          pairs.push_back(kHalves[i] | kHalves[(i * 7 + 3) % kHalves.size()] << 16);
        }
        sweep(text_of(name + "x2", count),
              std::string("rrrr").substr(0, 1 + static_cast<size_t>(count)),
              operands_of(count, pairs), [&](uint64_t a, uint64_t b, uint64_t c) {
                return same_nan(single(a, b, c)) | same_nan(single(a >> 16, b >> 16, c >> 16))
                                                       << 16;
              });
      }
    }
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::rounding_file

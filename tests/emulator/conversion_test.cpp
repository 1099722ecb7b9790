// cvt: between integers and reals in all rounding modes, and among reals down to 8 bits.
#include "exact_reference.h"
#include "support.h"

namespace tilescope::emulator::test::conversion_file {
namespace {

const std::pair<const char*, Mode> kModes[] = {
    {".rn", Mode::nearest}, {".rz", Mode::zero}, {".rm", Mode::down}, {".rp", Mode::up}};

const std::vector<uint64_t> kWords = {0,          1,          2,          127,        128,
                                      255,        256,        32767,      32768,      65535,
                                      65536,      16777217,   33554435,   0x7fffffff, 0x80000000,
                                      0x80000081, 0xffffff80, 0xfffffffe, 0xffffffff, 0xdeadbeef};
const std::vector<uint64_t> kLongs = {0,
                                      1,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000001,
                                      0x20000000000001,
                                      0x40000000000003,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x8000000000000401,
                                      0xfffffffffffffbff,
                                      0xffffffffffffffff,
                                      0xffff800000000000,
                                      0x123456789abcdef0};

struct Integer {
  const char* name;
  int bits;
  bool is_signed;
  // In binary128, which holds all of them.
  Wide of(uint64_t v) const {
    if (bits < 64) v &= (1ull << bits) - 1;
    if (is_signed && (v >> (bits - 1)) & 1u) return static_cast<Wide>(v) - power(bits);
    return static_cast<Wide>(v);
  }
  Wide lowest() const { return is_signed ? -power(bits - 1) : Wide(0); }
  Wide highest() const { return power(bits - (is_signed ? 1 : 0)) - 1; }
  static Wide power(int n) { return static_cast<Wide>(std::ldexp(1.0, n)); }
  char letter() const { return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h'; }
  static uint64_t stored(Wide v, int width) {
    const uint64_t u = v < 0 ? 0 - static_cast<uint64_t>(-v) : static_cast<uint64_t>(v);
    return width == 64 ? u : u & ((1ull << width) - 1);
  }
};
const Integer kIntegers[] = {{"u8", 8, false},   {"s8", 8, true},    {"u16", 16, false},
                             {"s16", 16, true},  {"u32", 32, false}, {"s32", 32, true},
                             {"u64", 64, false}, {"s64", 64, true}};
int width_of(char letter) { return letter == 'l' ? 64 : letter == 'r' ? 32 : 16; }

TEST(Convert, IntegersIntoEveryRegister) {
  for (const Integer& to : kIntegers) {
    for (const Integer& from : kIntegers) {
      for (const bool sat : {false, true}) {
        for (const char letter : {'h', 'r', 'l'}) {
          if (width_of(letter) < to.bits) continue;
          sweep(std::string("cvt.") + (sat ? "sat." : "") + to.name + "." + from.name + " D, A;",
                {letter, from.letter()}, {from.bits == 64 ? kLongs : kWords},
                [&](uint64_t a, uint64_t, uint64_t) {
                  Wide v = from.of(a);
                  v = sat ? std::clamp(v, to.lowest(), to.highest()) : to.of(to.stored(v, 64));
                  return to.stored(v, width_of(letter));
                });
        }
      }
    }
  }
}

TEST(Convert, IntegersToReals) {
  for (const Integer& from : kIntegers) {
    const auto& values = from.bits == 64 ? kLongs : kWords;
    for (const auto& [suffix, mode] : kModes) {
      const std::string start = std::string("cvt") + suffix + ".",
                        end = std::string(".") + from.name + " D, A;";
      sweep(start + "f32" + end, {'f', from.letter()}, {values},
            [&, m = mode](uint64_t a, uint64_t, uint64_t) {
              const Exact e{static_cast<Wide>(from.of(a)), 0};
              const float n = static_cast<float>(e.hi);
              return bits(directed(n, e.sign_above(n), m));
            });
      sweep(start + "f64" + end, {'d', from.letter()}, {values},
            [&, m = mode](uint64_t a, uint64_t, uint64_t) {
              const Exact e{static_cast<Wide>(from.of(a)), 0};
              const double n = static_cast<double>(e.hi);
              return bits(directed(n, e.sign_above(n), m));
            });
      sweep(start + "f16" + end, {'h', from.letter()}, {values},
            [&, m = mode](uint64_t a, uint64_t, uint64_t) {
              return uint64_t{f16().round({static_cast<Wide>(from.of(a)), 0}, m)};
            });
      sweep(start + "bf16" + end, {'h', from.letter()}, {values},
            [&, m = mode](uint64_t a, uint64_t, uint64_t) {
              return uint64_t{bf16().round({static_cast<Wide>(from.of(a)), 0}, m)};
            });
    }
  }
}

std::vector<uint64_t> reals() {
  std::vector<uint64_t> v;
  for (float f : {0.0f,
                  -0.0f,
                  0.25f,
                  0.5f,
                  -0.5f,
                  0.75f,
                  1.0f,
                  1.5f,
                  -1.5f,
                  2.5f,
                  3.5f,
                  -3.5f,
                  126.5f,
                  127.5f,
                  255.5f,
                  -128.5f,
                  448.0f,
                  463.9f,
                  464.0f,
                  465.0f,
                  57344.0f,
                  61440.0f,
                  65504.0f,
                  65519.0f,
                  65520.0f,
                  65535.5f,
                  2147483520.0f,
                  2147483648.0f,
                  -2147483648.0f,
                  4294967296.0f,
                  1e19f,
                  -1e19f,
                  1e30f,
                  1.0009765f,
                  1.00048828125f,
                  1.00146484375f,
                  0.001953125f,
                  0.0009765625f,
                  0.00146484375f,
                  6.1e-5f,
                  5.96e-8f,
                  2.98e-8f,
                  1e-10f,
                  0x1p-126f,
                  0x1p-130f,
                  0x1.fffffep127f,
                  0x1.fep127f,
                  0x1.ffp127f,
                  HUGE_VALF,
                  -HUGE_VALF,
                  NAN}) {
    v.push_back(bits(f));
  }
  for (uint32_t i = 1; i < 40; ++i) v.push_back(0x3f000000u + (i * 2654435761u >> 7));
  return v;
}
std::vector<uint64_t> doubles_of(const std::vector<uint64_t>& singles) {
  std::vector<uint64_t> v = {bits(1.0000000001), bits(65519.99999), bits(1e300), bits(-0x1p-1074)};
  for (uint64_t s : singles) v.push_back(bits(static_cast<double>(as_float(s))));
  return v;
}

TEST(Convert, RealsToIntegers) {
  const std::pair<const char*, double (*)(double)> modes[] = {
      {".rni", [](double a) { return std::nearbyint(a); }},
      {".rzi", [](double a) { return std::trunc(a); }},
      {".rmi", [](double a) { return std::floor(a); }},
      {".rpi", [](double a) { return std::ceil(a); }}};
  for (const Integer& to : kIntegers) {
    for (const auto& [suffix, whole] : modes) {
      auto expected = [&, w = whole](double a) {
        if (std::isnan(a)) return uint64_t{0};
        const double r = w(a);
        return to.stored(std::clamp(static_cast<Wide>(r), to.lowest(), to.highest()),
                         width_of(to.letter()));
      };
      const std::string name = std::string("cvt") + suffix + "." + to.name;
      sweep(name + ".f32 D, A;", {to.letter(), 'f'}, {reals()},
            [&](uint64_t a, uint64_t, uint64_t) { return expected(as_float(a)); });
      sweep(name + ".f64 D, A;", {to.letter(), 'd'}, {doubles_of(reals())},
            [&](uint64_t a, uint64_t, uint64_t) { return expected(as_double(a)); });
      sweep(name + ".f16 D, A;", {to.letter(), 'h'},
            {{0, 0x8000, 0x3e00, 0xbe00, 0x7bff, 0xfbff, 0x7c00, 0x7e00, 0x5c01}},
            [&](uint64_t a, uint64_t, uint64_t) {
              return expected(f16().value(static_cast<uint32_t>(a)));
            });
    }
  }
}

uint64_t narrow(const SmallReal& type, double a, Mode m, bool relu, bool finite, uint32_t nan) {
  if (std::isnan(a)) return nan;
  if (relu && (a < 0 || std::signbit(a))) a = 0;
  if (std::isinf(a)) {
    return type.round({Wide(std::copysign(1e300, a)), 0}, Mode::nearest, finite);
  }
  return type.round({Wide(a), 0}, m, finite);
}

TEST(Convert, RealsToNarrowerOnes) {
  struct To {
    const char* name;
    const SmallReal& type;
  };
  for (const To& to : {To{"f16", f16()}, To{"bf16", bf16()}}) {
    for (const auto& [suffix, mode] : kModes) {
      for (const bool relu : {false, true}) {
        for (const bool finite : {false, true}) {
          const std::string name = std::string("cvt") + suffix + (relu ? ".relu" : "") +
                                   (finite ? ".satfinite." : ".") + to.name;
          auto one = [&, m = mode](uint64_t a) {
            return narrow(to.type, as_float(a), m, relu, finite, 0x7fff);
          };
          sweep(name + ".f32 D, A;", "hf", {reals()},
                [&](uint64_t a, uint64_t, uint64_t) { return one(a); });
          if (mode != Mode::nearest && mode != Mode::zero) continue;
          sweep(name + "x2.f32 D, A, B;", "rff", {reals(), {bits(1.5f), bits(-0.1f)}},
                [&](uint64_t a, uint64_t b, uint64_t) { return one(a) << 16 | one(b); });
        }
      }
      sweep(std::string("cvt") + suffix + "." + to.name + ".f64 D, A;", "hd", {doubles_of(reals())},
            [&, m = mode](uint64_t a, uint64_t, uint64_t) {
              return narrow(to.type, as_double(a), m, false, false, 0x7fff);
            });
    }
  }
  for (const auto& [suffix, mode] : kModes) {
    sweep(std::string("cvt") + suffix + ".f32.f64 D, A;", "fd", {doubles_of(reals())},
          [&, m = mode](uint64_t a, uint64_t, uint64_t) {
            const double x = as_double(a);
            const float n = static_cast<float>(x);
            const int above = std::isinf(n) && std::isfinite(x) ? (n > 0 ? -1 : 1)
                              : x > n                           ? 1
                              : x < n                           ? -1
                                                                : 0;
            return bits(directed(n, above, m));
          });
  }
}

TEST(Convert, EightBitReals) {
  struct To {
    const char* name;
    const SmallReal& type;
  };
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < 256; ++i) all.push_back(i | (255 - i) << 8);
  std::vector<uint64_t> halves;
  for (uint64_t i = 0; i < 0x10000; i += 37) halves.push_back(i | (0xffff - i) << 16);
  for (const To& to : {To{"e4m3", e4m3()}, To{"e5m2", e5m2()}}) {
    for (const bool relu : {false, true}) {
      const std::string r = relu ? ".relu" : "";
      auto one = [&](double a) { return narrow(to.type, a, Mode::nearest, relu, true, 0x7f); };
      sweep("cvt.rn.satfinite" + r + "." + to.name + "x2.f32 D, A, B;", "hff",
            {reals(), {bits(0.3f), bits(-500.0f)}}, [&](uint64_t a, uint64_t b, uint64_t) {
              return one(as_float(a)) << 8 | one(as_float(b));
            });
      sweep("cvt.rn.satfinite" + r + "." + to.name + "x2.f16x2 D, A;", "hr", {halves},
            [&](uint64_t a, uint64_t, uint64_t) {
              return one(f16().value(static_cast<uint32_t>(a >> 16))) << 8 |
                     one(f16().value(static_cast<uint32_t>(a & 0xffff)));
            });
      sweep("cvt.rn" + r + ".f16x2." + to.name + "x2 D, A;", "rh", {all},
            [&](uint64_t a, uint64_t, uint64_t) {
              auto wide = [&](uint64_t x) {
                return narrow(f16(), to.type.value(static_cast<uint32_t>(x & 255)), Mode::nearest,
                              relu, false, 0x7fff);
              };
              return wide(a >> 8) << 16 | wide(a);
            });
    }
  }
}

TEST(Convert, Tf32AndPacking) {
  auto tf32 = [](uint64_t a, Mode m, bool away) {
    const float x = as_float(a);
    if (std::isnan(x)) return uint64_t{0x7fffffff};
    if (std::isinf(x)) return a;
    const uint32_t low = static_cast<uint32_t>(a) & 0xffffe000u,
                   rest = static_cast<uint32_t>(a) & 0x1fffu;
    const bool up =
        m == Mode::zero ? false : rest > 0x1000 || (rest == 0x1000 && (away || (low & 0x2000u)));
    return uint64_t{low + (up ? 0x2000u : 0u)};
  };
  sweep("cvt.rna.tf32.f32 D, A;", "rr", {reals()},
        [&](uint64_t a, uint64_t, uint64_t) { return tf32(a, Mode::nearest, true); });
  sweep("cvt.rn.tf32.f32 D, A;", "rr", {reals()},
        [&](uint64_t a, uint64_t, uint64_t) { return tf32(a, Mode::nearest, false); });
  sweep("cvt.rz.tf32.f32 D, A;", "rr", {reals()},
        [&](uint64_t a, uint64_t, uint64_t) { return tf32(a, Mode::zero, false); });
  const std::pair<const char*, std::pair<int, int>> packs[] = {
      {"u8", {0, 255}}, {"s8", {-128, 127}}, {"u4", {0, 15}},
      {"s4", {-8, 7}},  {"u2", {0, 3}},      {"s2", {-2, 1}}};
  for (const auto& [name, range] : packs) {
    const int n = name[1] - '0';
    sweep(std::string("cvt.pack.sat.") + name + ".s32.b32 D, A, B, C;", "rrrr",
          {kWords, kWords, {0, 0x12345678}}, [&, r = range](uint64_t a, uint64_t b, uint64_t c) {
            auto one = [&](uint64_t v) {
              return static_cast<uint32_t>(std::clamp(static_cast<int>(v), r.first, r.second)) &
                     ((1u << n) - 1u);
            };
            return uint64_t{static_cast<uint32_t>(c << (2 * n)) | one(a) << n | one(b)};
          });
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::conversion_file

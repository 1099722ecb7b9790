// Registers wider than an instruction's type: cvt, ld and st take them, as the PTX ISA's tables of
// operand sizes say. Of a source the low bits count; a result is extended as its type says.
#include <bit>

#include "exact_reference.h"
#include "ptxas.h"
#include "support.h"

namespace tilescope::emulator::test::width_file {
namespace {

struct Type {
  std::string name;
  int bits;
  char kind() const { return name[0]; }
};
const std::vector<Type> kIntegers = {{"u8", 8},   {"s8", 8},   {"u16", 16}, {"s16", 16},
                                     {"u32", 32}, {"s32", 32}, {"u64", 64}, {"s64", 64}};
const std::vector<Type> kReals = {{"f16", 16}, {"f32", 32}, {"f64", 64}};
struct Width {
  char letter;  // of sweep()
  const char* prefix;
  int bits;
};
const Width kWidths[] = {{'h', "%h", 16}, {'r', "%r", 32}, {'l', "%rd", 64}};
const std::vector<uint64_t> kLongs = {
    0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
    // What lies above the type's bits must not count.
    0x100000001, 0xffffffff00000000, 0xffffffffffffff80, 0x7fffffffffff8001, 0x123456789abcdef0,
    0xdeadbeef00c0ffee, 0x8000000000000000};

uint64_t low(uint64_t v, int bits) { return bits == 64 ? v : v & ((1ull << bits) - 1); }
uint64_t extended(const Type& t, uint64_t v, int width) {
  v = low(v, t.bits);
  const bool negative = t.kind() == 's' && v >> (t.bits - 1) & 1u;
  return low(negative ? v | ~low(~0ull, t.bits) : v, width);
}
bool fits(const Type& t, const Width& w) { return w.bits >= t.bits; }

TEST(Widths, IntegersOutOfWiderRegisters) {
  for (const Type& from : kIntegers) {
    for (const Type& to : kIntegers) {
      for (const Width& a : kWidths) {
        for (const Width& d : kWidths) {
          if (!fits(from, a) || !fits(to, d)) continue;
          sweep("cvt." + to.name + "." + from.name + " D, A;", {d.letter, a.letter}, {kLongs},
                [&](uint64_t v, uint64_t, uint64_t) {
                  return extended(to, extended(from, v, 64), d.bits);
                });
        }
      }
    }
  }
  sweep("cvt.sat.s8.s32 D, A;", "ll", {kLongs}, [](uint64_t v, uint64_t, uint64_t) {
    const auto n = static_cast<int32_t>(v);
    return static_cast<uint64_t>(int64_t{std::clamp(n, -128, 127)});
  });
}

TEST(Widths, RealsInBitRegisters) {
  const auto half = [](uint64_t v) { return f16().value(v & 0xffff); };
  const std::vector<uint64_t> halves = {0xffff00003c00, 0x1234567800008001, 0xfffffffffffffbff,
                                        0x7c00,         0xabcdef0135550123, 0xc500};
  const std::vector<uint64_t> singles = {bits(1.5f), bits(-65504.0f) | 0xffffffff00000000,
                                         bits(3.25e-5f) | 0x1234567800000000,
                                         bits(-0.0f) | 0x100000000, bits(1e30f)};
  for (const char a : {'r', 'l'}) {
    sweep("cvt.f32.f16 D, A;", {'l', a}, {halves},
          [&](uint64_t v, uint64_t, uint64_t) { return bits(static_cast<float>(half(v))); });
    sweep("cvt.f64.f16 D, A;", {'d', a}, {halves},
          [&](uint64_t v, uint64_t, uint64_t) { return bits(static_cast<double>(half(v))); });
    sweep("cvt.rni.s16.f16 D, A;", {'l', a}, {{0xdead3c00, 0xbeefc500}},
          [&](uint64_t v, uint64_t, uint64_t) { return static_cast<uint64_t>(llrintl(half(v))); });
    sweep("cvt.rn.f16.s8 D, A;", {a, a}, {kLongs}, [&](uint64_t v, uint64_t, uint64_t) {
      return uint64_t{f16().round({static_cast<Wide>(static_cast<int8_t>(v)), 0}, Mode::nearest)};
    });
  }
  sweep("cvt.f64.f32 D, A;", "dl", {singles},
        [](uint64_t v, uint64_t, uint64_t) { return bits(double{as_float(v)}); });
  sweep("cvt.rzi.s32.f32 D, A;", "ll", {{bits(-7.9f) | 0x500000000, bits(1e20f)}},
        [](uint64_t v, uint64_t, uint64_t) {
          return as_float(v) < 0 ? static_cast<uint64_t>(int64_t{-7}) : 0x7fffffffull;
        });
  sweep("cvt.rz.f32.f64 D, A;", "ld", {{bits(1.0), bits(-2.75)}},
        [](uint64_t v, uint64_t, uint64_t) { return bits(static_cast<float>(as_double(v))); });
  sweep("cvt.rn.f16x2.f32 D, A, B;", "lll", {{bits(1.0f) | 0x700000000}, {bits(-2.0f)}},
        [](uint64_t, uint64_t, uint64_t) { return 0x3c00c000ull; });
  sweep("cvt.pack.sat.s16.s32 D, A, B;", "lll", {{0x1ffff8000}, {0xffffffff00000005}},
        [](uint64_t, uint64_t, uint64_t) { return 0x80000005ull; });
}

// Every element of a vector, through every space.
TEST(Widths, VectorsOfMemory) {
  const std::string types[] = {"u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "f32"};
  for (const std::string& name : types) {
    const int size = std::stoi(name.substr(1));
    const Type type{name[0] == 'b' || name[0] == 'f' ? "u" + name.substr(1) : name, size};
    for (const Width& w : kWidths) {
      if (!fits(type, w) || (name[0] == 'f' && w.letter == 'h')) continue;
      for (const int n : {1, 2, 4}) {
        const std::string v = n == 1 ? "." : ".v" + std::to_string(n) + ".";
        std::string list, stores;
        for (int k = 0; k < n; ++k) {
          const std::string reg = w.prefix + std::to_string(20 + k);
          list += (k ? ", " : "") + reg;
          const std::string to = w.letter == 'h' ? "u16 " : w.letter == 'r' ? "u32 " : "u64 ";
          stores += "st.global." + to + "[%rd7+" + std::to_string(8 * k) + "], " + reg + ";\n";
        }
        if (n > 1) list = "{" + list + "}";
        const Outcome o = run_kernel(
            kernel(".shared .align 16 .b8 s[1024];\nmul.wide.u32 %rd5, %r0, 16;\n"
                   "mul.wide.u32 %rd6, %r0, 32;\nadd.s64 %rd7, %rd1, %rd6;\n"
                   "add.s64 %rd6, %rd0, %rd5;\nmov.u64 %rd8, s;\nadd.s64 %rd8, %rd8, %rd5;\n"
                   "ld.global" +
                   v + name + " " + list + ", [%rd6];\n" + stores + "st.shared" + v + name +
                   " [%rd8], " + list +
                   ";\n"
                   "ld.shared" +
                   v + name + " " + list +
                   ", [%rd8];\n"
                   "setp.lt.u32 %p1, %r0, 16;\n"  // half of the lanes
                   "@%p1 st.global" +
                   v + name + " [%rd7], " + list + ";\n"),
            32, 256, [] {
              std::vector<uint32_t> in(128);
              for (uint32_t i = 0; i < 128; ++i) in[i] = i * 0x9e3779b9u ^ 0x80808080u;
              return in;
            }());
        ASSERT_FALSE(o.result.fault) << name << " " << w.prefix << ": " << o.result.fault->message;
        const auto* out = reinterpret_cast<const std::byte*>(o.out.data());
        for (uint32_t lane = 0; lane < 32; ++lane) {
          for (int k = 0; k < n; ++k) {
            const size_t bytes = static_cast<size_t>(size) / 8;
            const uint32_t first = lane * 4;
            uint32_t words[4];
            for (uint32_t i = 0; i < 4; ++i) words[i] = (first + i) * 0x9e3779b9u ^ 0x80808080u;
            uint64_t value = 0, got = 0;
            std::memcpy(&value,
                        reinterpret_cast<const std::byte*>(words) + static_cast<size_t>(k) * bytes,
                        bytes);
            if (lane < 16) {  // what was stored as the type lies over what was stored whole
              std::memcpy(&got, out + 32 * lane + static_cast<size_t>(k) * bytes, bytes);
              EXPECT_EQ(got, value) << name << " " << w.prefix << " " << lane << " " << k;
              continue;
            }
            std::memcpy(&got, out + 32 * lane + 8 * static_cast<size_t>(k),
                        static_cast<size_t>(w.bits) / 8);
            EXPECT_EQ(got, extended(type, value, w.bits))
                << name << " " << w.prefix << " " << lane << " " << k;
          }
        }
      }
    }
  }
}

TEST(Widths, ConstantsAmongWiderRegisters) {
  const Outcome o = run_kernel(
      kernel("mov.u64 %rd5, 0x1234567840000000;\nst.global.v2.f32 [%rd1], {0f3F800000, %rd5};\n"
             "ld.global.v2.f32 {%rd6, _}, [%rd1];\nst.global.u64 [%rd1+8], %rd6;\n"
             "cvt.rn.f16.s32 %r5, -2;\nst.global.u32 [%rd1+16], %r5;\n"),
      1, 5);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  EXPECT_EQ(o.out, (std::vector<uint32_t>{0x3f800000, 0x40000000, 0x3f800000, 0, 0xc000}));
}

// All forms of cvt, ld and st on all widths of registers: known here if and only if ptxas takes
// them. The emulator knows a register's size and not its type, so bit-size ones are asked for.
TEST(Widths, AsPtxasTakesThem) {
  if (!has_ptxas()) GTEST_SKIP() << "there is no ptxas here";
  std::vector<std::string> lines;
  std::vector<Type> all = kIntegers;
  all.insert(all.end(), kReals.begin(), kReals.end());
  all.push_back({"bf16", 16});
  for (const Type& to : all) {
    for (const Type& from : all) {
      // Of these ptxas takes fewer, or without a rounding mode: that is not about registers.
      if ((to.kind() == 'b' || from.kind() == 'b') && to.bits + from.bits < 48) continue;
      const bool real = from.kind() == 'f' || from.kind() == 'b';
      const bool to_real = to.kind() == 'f' || to.kind() == 'b';
      const char* mode = to_real ? (!real || from.bits > to.bits ? ".rn" : "") : real ? ".rzi" : "";
      for (const Width& d : kWidths) {
        for (const Width& a : kWidths) {
          lines.push_back(std::string("cvt") + mode + "." + to.name + "." + from.name + " " +
                          d.prefix + "1, " + a.prefix + "2;");
        }
      }
    }
  }
  for (const std::string type : {"b8", "b16", "b32", "b64", "u8", "s8", "u16", "s16", "u32", "s32",
                                 "u64", "s64", "f32", "f64"}) {
    for (const Width& w : kWidths) {
      const std::string r = w.prefix, two = "{" + r + "1, " + r + "2}",
                        four = "{" + r + "1, " + r + "2, " + r + "3, " + r + "4}";
      for (const std::string space : {".global", ".shared", ".local", ""}) {
        const std::string at = space == ".local"    ? "[d]"
                               : space == ".shared" ? "[%r50]"
                                                    : "[%rd50]";
        lines.push_back("ld" + space + "." + type + " " + r + "1, " + at + ";");
        lines.push_back("st" + space + "." + type + " " + at + ", " + r + "1;");
        lines.push_back("ld" + space + ".v2." + type + " " + two + ", " + at + ";");
        lines.push_back("st" + space + ".v2." + type + " " + at + ", " + two + ";");
        if (type.substr(1) == "64") continue;  // v4 of 64 bits is a form of sm_100
        lines.push_back("ld" + space + ".v4." + type + " " + four + ", " + at + ";");
        lines.push_back("st" + space + ".v4." + type + " " + at + ", " + four + ";");
      }
    }
  }
  const std::vector<bool> good = ptxas_takes(lines, "sm_90a", "widths");
  int taken = 0, refused = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    (good[i] ? taken : refused)++;
    const bool known = errors_of(kernel(".local .align 16 .b8 d[64];\n" + lines[i])).empty();
    EXPECT_EQ(known, good[i]) << lines[i];
  }
  EXPECT_GT(taken, 900);
  EXPECT_GT(refused, 300);
}

// Words of wider registers that two warps store alike are a remark, no race.
TEST(Widths, ChecksAndStoresOfTheSameValue) {
  RunOptions options;
  options.check = true;
  const Outcome o =
      run_kernel(kernel("mov.u32 %r5, 7;\ncvt.u64.u32 %rd5, %r5;\nor.b64 %rd5, %rd5, 0x500000000;\n"
                        "st.global.v2.u32 [%rd1], {%rd5, %rd5};\n"),
                 64, 2, {}, options);
  EXPECT_FALSE(o.result.fault) << o.result.fault->message;
  EXPECT_EQ(o.out, (std::vector<uint32_t>{7, 7}));
  for (const Finding& f : o.result.findings) EXPECT_TRUE(f.remark) << f.fault.message;
}

}  // namespace
}  // namespace tilescope::emulator::test::width_file

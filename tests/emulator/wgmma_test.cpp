// wgmma of every type, n and layout of shared memory against a plain product. Layouts are those of
// CUTLASS' canonical forms (shape:stride in units of 16 bytes), fragments the PTX ISA's text.
#include "matrix_support.h"

namespace tilescope::emulator::test::wgmma_file {
namespace {

constexpr uint32_t kBytesA = 16384, kBytesB = 65536;

/// How one operand lies in shared memory: the byte of an element, and its descriptor.
struct Placement {
  uint32_t base = 0, span = 0;  // of a swizzled line; 0: none
  bool across = false;          // lines (m or n) one behind the other, not k
  uint32_t leading = 0, stride = 0;

  uint64_t descriptor() const {
    const uint64_t mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
    return (base >> 4) | uint64_t{leading >> 4} << 16 | uint64_t{stride >> 4} << 32 | mode << 62;
  }
  /// `line`, byte along k or, if across, byte along the lines and k.
  uint32_t byte_of(uint32_t line, uint32_t k, uint32_t bytes) const {
    const uint32_t t = 16 / bytes;  // elements of a chunk
    uint32_t at = 0;
    if (!across) {
      const uint32_t pitch = span == 0 ? 16 : span;
      at = line % 8 * pitch + line / 8 * stride;
      at += k % t * bytes + k / t * (span == 0 ? leading : 16);
    } else if (span == 0) {
      at = line % t * bytes + line / t * stride + k % 8 * 16 + k / 8 * leading;
    } else {
      const uint32_t wide = span / 16;
      at = line % t * bytes + line / t % wide * 16 + line / t / wide * leading;
      at += k % 8 * span + k / 8 * stride;
    }
    at += base;
    for (uint32_t bit = 0; bit < 3; ++bit) {  // Swizzle<1…3, 4, 3>
      if (span >= 32u << bit) at ^= (at >> (7 + bit) & 1u) << (4 + bit);
    }
    return at;
  }
};

struct Form {
  int n = 8, k = 16;
  std::string d = {}, a = {}, b = {}, more = {};  // types; "and.popc"
  bool clamp = false, from_registers = false, keep = true;
  int sign_a = 1, sign_b = 1;
  Placement at_a = {}, at_b = {};
  bool is_real() const { return a != "s8" && a != "u8" && a != "b1"; }
  bool is_16() const { return bits_of(a) == 16; }
};

isa::Map map_of_a(const std::string& type) {
  if (type == "tf32") return isa::m16n8k8_tf32::a;
  if (type == "b1") return isa::m16n8k256::a;
  return bits_of(type) == 16 ? isa::m16n8k16_f16::a : isa::Map(isa::m16n8k32_s8::a);
}

std::string text_of(const Form& f, int d_registers) {
  const auto list = [](const char* name, int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += (i ? "," : "") + (name + std::to_string(i));
    return text + "}";
  };
  const char* d = f.d == "f32" ? "%acc" : "%sum";
  std::string body =
      "mov.u32 %r10, %r0;\n"
      "copy:\nmul.wide.u32 %rd2, %r10, 4;\nadd.s64 %rd3, %rd0, %rd2;\nld.global.u32 %r11, [%rd3];\n"
      "shl.b32 %r12, %r10, 2;\nst.shared.u32 [%r12], %r11;\nadd.s32 %r10, %r10, 128;\n"
      "setp.lt.u32 %p0, %r10, " +
      std::to_string((kBytesA + kBytesB) / 4) + ";\n@%p0 bra copy;\nbar.sync 0;\n" +
      "mul.wide.u32 %rd4, %r0, 16;\nadd.s64 %rd4, %rd4, %rd0;\n"
      "ld.global.v4.u32 {%r20,%r21,%r22,%r23}, [%rd4+" +
      std::to_string(kBytesA + kBytesB) + "];\n" + "mul.wide.u32 %rd5, %r0, " +
      std::to_string(4 * d_registers) +
      ";\nadd.s64 %rd6, %rd5, %rd0;\nadd.s64 %rd7, %rd5, %rd1;\n" + "mov.u64 %rd8, " +
      std::to_string(f.at_a.descriptor()) + ";\nmov.u64 %rd9, " +
      std::to_string(f.at_b.descriptor()) + ";\n";
  for (int i = 0; i < d_registers; ++i) {
    body += std::string("ld.global.") + (f.d == "f32" ? "f32 " : "u32 ") + d + std::to_string(i) +
            ", [%rd6+" + std::to_string(kBytesA + kBytesB + 2048 + 4 * i) + "];\n";
  }
  body += "setp.ne.u32 %p1, " + std::to_string(f.keep) + ", 0;\n" +
          "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n" + std::to_string(f.n) +
          "k" + std::to_string(f.k) + (f.clamp ? ".satfinite." : ".") + f.d + "." + f.a + "." +
          f.b + f.more + " " + list(d, d_registers) + ", " +
          (f.from_registers ? "{%r20,%r21,%r22,%r23}" : "%rd8") + ", %rd9, %p1";
  if (f.is_real()) {
    body += ", " + std::to_string(f.sign_a) + ", " + std::to_string(f.sign_b);
    if (f.is_16()) {
      if (!f.from_registers) body += f.at_a.across ? ", 1" : ", 0";
      body += f.at_b.across ? ", 1" : ", 0";
    }
  }
  body += ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (int i = 0; i < d_registers; ++i) {
    body += std::string("st.global.") + (f.d == "f32" ? "f32 " : "u32 ") + "[%rd7+" +
            std::to_string(4 * i) + "], " + d + std::to_string(i) + ";\n";
  }
  return kernel(".reg .f32 %acc<128>;\n.reg .b32 %sum<128>;\n" + body,
                ".extern .shared .align 1024 .b8 smem[];\n");
}

void put_bits(std::vector<uint8_t>& bytes, uint64_t bit, int bits, uint64_t value) {
  for (int i = 0; i < bits; ++i) {
    if (((value >> i) & 1u) == 0) continue;
    bytes[(bit + static_cast<uint64_t>(i)) / 8] |=
        static_cast<uint8_t>(1u << ((bit + static_cast<uint64_t>(i)) % 8));
  }
}

void check(const Form& f, uint32_t seed) {
  std::mt19937 random(seed);
  const int bits = bits_of(f.a), d_registers = f.d == "f16" ? f.n / 4 : f.n / 2;
  const auto n = static_cast<uint32_t>(f.n), k = static_cast<uint32_t>(f.k);
  std::vector<uint8_t> in(kBytesA + kBytesB + 2048 + 128 * 4 * static_cast<size_t>(d_registers));
  std::vector<double> a(64 * k), b(n * k), c(64 * n);
  const auto element = [&](const std::string& type, double& value) {
    const uint64_t x = random_element(type, Data::exact, random);
    value = type == "b1" ? static_cast<double>(x) : value_of(type, x);
    return x;
  };
  const auto place = [&](const Placement& p, uint32_t line, uint32_t step) {
    if (bits < 8) {
      return uint64_t{p.byte_of(line, step / 8, 1)} * 8 + step % 8;
    }
    return uint64_t{p.byte_of(line, step, static_cast<uint32_t>(bits / 8))} * 8;
  };
  const uint64_t registers_a = uint64_t{kBytesA + kBytesB} * 8,
                 registers_d = registers_a + 2048 * 8;
  if (f.from_registers) {
    for (int thread = 0; thread < 128; ++thread) {
      for (int i = 0; i < 128 / bits; ++i) {
        const isa::Place at = map_of_a(f.a)(thread % 32, i);
        const auto row = static_cast<uint32_t>(at.row + 16 * (thread / 32));
        put_bits(in, registers_a + static_cast<uint64_t>(thread * 128 + i * bits), bits,
                 element(f.a, a[row * k + static_cast<uint32_t>(at.col)]));
      }
    }
  } else {
    for (uint32_t i = 0; i < 64 * k; ++i) {
      put_bits(in, place(f.at_a, i / k, i % k), bits, element(f.a, a[i]));
    }
  }
  for (uint32_t i = 0; i < n * k; ++i) {
    put_bits(in, place(f.at_b, i / k, i % k), bits, element(f.b, b[i]));
  }
  const int packed = f.d == "f16" ? 2 : 1;
  const auto index_of = [&](int thread, int i) {  // of D, by the ISA's figure
    const int row = 16 * (thread / 32) + thread % 32 / 4 + 8 * (i / 2 % 2);
    return static_cast<size_t>(row * f.n + 8 * (i / 4) + thread % 4 * 2 + i % 2);
  };
  for (int thread = 0; thread < 128; ++thread) {
    for (int i = 0; i < d_registers * packed; ++i) {
      put_bits(in,
               registers_d + (static_cast<uint64_t>(thread * d_registers * packed + i)) *
                                 static_cast<uint64_t>(32 / packed),
               32 / packed, element(f.d, c[index_of(thread, i)]));
    }
  }
  std::vector<uint32_t> words(in.size() / 4);
  std::memcpy(words.data(), in.data(), in.size());
  const Outcome o = run_kernel(text_of(f, d_registers), 128, 128 * static_cast<size_t>(d_registers),
                               words, {}, 1, kBytesA + kBytesB);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  for (int thread = 0; thread < 128; ++thread) {
    for (int i = 0; i < d_registers * packed; ++i) {
      const size_t at = index_of(thread, i), row = at / n, column = at % n;
      double sum = f.keep ? c[at] : 0;
      for (uint32_t step = 0; step < k; ++step) {
        sum += f.sign_a * f.sign_b * a[row * k + step] * b[column * k + step];
      }
      const uint32_t word = o.out[static_cast<size_t>(thread * d_registers + i / packed)];
      const uint64_t got = packed == 2 ? (word >> (16 * (i % 2))) & 0xffffu : word;
      ASSERT_EQ(value_of(f.d, got), sum)
          << "n " << f.n << " " << f.d << "." << f.a << "." << f.b << " thread " << thread
          << " register " << i << " span " << f.at_a.span << " and " << f.at_b.span
          << (f.at_a.across ? " A across" : "") << (f.at_b.across ? " B across" : "");
    }
  }
}

Placement placement(uint32_t base, uint32_t lines, uint32_t span, bool across) {
  Placement p{base, span, across, 0, 0};
  if (!across) {  // eight lines, then the next eight; the second half of k behind all of them
    p.stride = span == 0 ? 128 : 8 * span;
    p.leading = span == 0 ? lines * 16 : 16;
  } else if (span == 0) {
    p.leading = 128, p.stride = 256;
  } else {
    p.stride = 8 * span;  // eight of k, then the next eight, then further lines
    p.leading = 16 * span;
  }
  return p;
}

void check_layouts(Form f, std::initializer_list<int> columns) {
  uint32_t seed = 1;
  for (const int n : columns) {
    f.n = n;
    for (const uint32_t span : {0u, 32u, 64u, 128u}) {
      for (const int across : {0, 1, 2, 3}) {
        if (across != 0 && !f.is_16()) continue;
        for (const bool from_registers : {false, true}) {
          f.from_registers = from_registers;
          f.keep = seed % 3 != 0;
          f.sign_a = f.is_real() && seed % 5 == 0 ? -1 : 1;
          f.sign_b = f.is_real() && seed % 7 == 0 ? -1 : 1;
          f.at_a = placement(0, 64, span, across & 1);
          f.at_b = placement(kBytesA, static_cast<uint32_t>(n), seed % 2 ? span : 128, across & 2);
          // A step along k inside of a swizzled line.
          if (!f.at_b.across && f.at_b.span == 128 && seed % 4 == 1) f.at_b.base += 32;
          check(f, seed++);
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(Wgmma, Halves) {
  check_layouts({.k = 16, .d = "f32", .a = "f16", .b = "f16"}, {8, 24, 128, 256});
  check_layouts({.k = 16, .d = "f16", .a = "f16", .b = "f16"}, {8, 64, 136});
  check_layouts({.k = 16, .d = "f32", .a = "bf16", .b = "bf16"}, {16, 192});
}
TEST(Wgmma, Tf32) { check_layouts({.k = 8, .d = "f32", .a = "tf32", .b = "tf32"}, {8, 40, 256}); }
TEST(Wgmma, RealsOf8Bits) {
  for (const char* d : {"f32", "f16"}) {
    for (const char* a : {"e4m3", "e5m2"}) {
      for (const char* b : {"e4m3", "e5m2"}) {
        check_layouts({.k = 32, .d = d, .a = a, .b = b}, {8, 104});
      }
    }
  }
}
TEST(Wgmma, Integers) {
  for (const char* a : {"s8", "u8"}) {
    for (const char* b : {"s8", "u8"}) {
      for (const bool clamp : {false, true}) {
        check_layouts({.k = 32, .d = "s32", .a = a, .b = b, .clamp = clamp}, {8, 24, 208});
      }
    }
  }
}
TEST(Wgmma, Bits) {
  check_layouts({.k = 256, .d = "s32", .a = "b1", .b = "b1", .more = ".and.popc"}, {8, 32, 256});
}

}  // namespace
}  // namespace tilescope::emulator::test::wgmma_file

// Helpers of the emulator's tests: kernels from PTX text, launches, operand sweeps.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "emulator/emulator.h"

namespace tilescope::emulator::test {

inline std::string read_kernel(const std::string& name) {
  std::ifstream in(std::string(TILESCOPE_TEST_KERNELS) + "/" + name, std::ios::binary);
  EXPECT_TRUE(in.good()) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::shared_ptr<const Program> parse(const std::string& ptx) {
  auto parsed = Program::parse(ptx);
  if (auto* errors = std::get_if<1>(&parsed)) {
    for (const ParseError& e : *errors) ADD_FAILURE() << e.message;
    return nullptr;
  }
  return std::get<0>(parsed);
}

inline std::vector<ParseError> errors_of(const std::string& ptx) {
  auto parsed = Program::parse(ptx);
  if (auto* errors = std::get_if<1>(&parsed)) return *errors;
  return {};
}

/// As the device aligns it: a 32-bit host aligns 64-bit numbers to 4.
template <class T>
constexpr size_t device_alignment() {
  return std::is_scalar_v<T> ? sizeof(T) : alignof(T);
}
template <class T>
void append(std::vector<std::byte>& block, T v) {
  constexpr size_t kAlign = device_alignment<T>();
  const size_t at = (block.size() + kAlign - 1) / kAlign * kAlign;
  block.resize(at + sizeof(T));
  std::memcpy(block.data() + at, &v, sizeof(T));
}

template <class... T>
std::vector<std::byte> parameters(T... values) {
  std::vector<std::byte> block;
  (append(block, values), ...);
  return block;
}

template <class T>
T* data(Memory& memory, uint64_t address) {
  return reinterpret_cast<T*>(memory.bytes(address).data());
}

/// An entry `k(in, out)` with registers of all kinds: %rd0 = in, %rd1 = out, %r0 = %tid.x,
/// %r1 = %ctaid.x · %ntid.x + %tid.x. `module` stands before the entry.
inline std::string kernel(const std::string& body, const std::string& module = "") {
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + module +
         "\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
         ".reg .pred %p<20>;\n.reg .b16 %h<40>;\n.reg .b32 %r<100>;\n.reg .f32 %f<100>;\n"
         ".reg .b64 %rd<60>;\n.reg .f64 %fd<40>;\n"
         "ld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\n"
         "mov.u32 %r0, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
         "mad.lo.s32 %r1, %r2, %r3, %r0;\n" +
         body + "\nret;\n}\n";
}

/// Runs k over one CTA (or more) and returns `words` 32-bit words of its output.
struct Outcome {
  std::vector<uint32_t> out;
  RunResult result;
};
inline Outcome run_kernel(const std::string& ptx, uint32_t threads, size_t words,
                          const std::vector<uint32_t>& in = {}, const RunOptions& options = {},
                          uint32_t ctas = 1, uint32_t dynamic_shared = 0) {
  Outcome o;
  auto program = parse(ptx);
  if (!program) return o;
  Memory memory;
  const uint64_t a = memory.allocate("in", in.size() * 4, true);
  if (!in.empty()) std::memcpy(memory.bytes(a).data(), in.data(), in.size() * 4);
  const uint64_t b = memory.allocate("out", words * 4);
  Launch launch{{ctas, 1, 1}, {threads, 1, 1}, dynamic_shared, parameters(a, b)};
  o.result = run(*program, "k", launch, memory, options);
  o.out.assign(data<uint32_t>(memory, b), data<uint32_t>(memory, b) + words);
  return o;
}

/// One instruction over all combinations of operand values, with all lanes active and with every
/// third lane switched off by a branch. `types`: one letter per operand, the result first:
/// h 16, r 32, l 64 bits, f f32, d f64, p predicate (values 0 and 1). The text names operands
/// D, A, B and C. Compares bits (NaN equal to NaN) with `reference`.
using Reference = std::function<uint64_t(uint64_t, uint64_t, uint64_t)>;
void sweep(const std::string& text, const std::string& types,
           const std::vector<std::vector<uint64_t>>& values, const Reference& reference);

inline uint64_t bits(float f) { return std::bit_cast<uint32_t>(f); }
inline uint64_t bits(double d) { return std::bit_cast<uint64_t>(d); }
inline float as_float(uint64_t v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); }
inline double as_double(uint64_t v) { return std::bit_cast<double>(v); }

/// n / 512 as f16, exact if n has at most 11 significant bits.
uint16_t half_of(int n);
/// Small integers −8 … 7 that look random.
inline int small_value(uint32_t i, uint32_t seed) {
  return static_cast<int>((i * 2654435761u + seed) >> 28) - 8;
}

}  // namespace tilescope::emulator::test

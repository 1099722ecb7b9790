// Sums and products of 64-bit integers that do not fit 64 bits: by the compiler's 128-bit integers
// where it has them, else by halves. Both are here to be compared
// (tests/emulator/wide_integer_test).
#pragma once
#include <cstdint>
#include <type_traits>

namespace tilescope::emulator::TILESCOPE_ISA {

namespace by_halves {

/// The upper 64 bits of a · b.
constexpr uint64_t high_product(uint64_t a, uint64_t b) {
  const uint64_t a0 = static_cast<uint32_t>(a), a1 = a >> 32;
  const uint64_t b0 = static_cast<uint32_t>(b), b1 = b >> 32;
  const uint64_t low = a0 * b0, first = a1 * b0 + (low >> 32);
  const uint64_t second = a0 * b1 + static_cast<uint32_t>(first);
  return a1 * b1 + (first >> 32) + (second >> 32);
}
/// Of signed operands: each negative one has counted 2^64 too much of the other.
constexpr int64_t high_product(int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  return static_cast<int64_t>(high_product(x, y) - (a < 0 ? y : 0) - (b < 0 ? x : 0));
}

}  // namespace by_halves

#if defined(__SIZEOF_INT128__)
namespace by_int128 {

__extension__ typedef unsigned __int128 Unsigned;
__extension__ typedef __int128 Signed;
constexpr uint64_t high_product(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(static_cast<Unsigned>(a) * b >> 64);
}
constexpr int64_t high_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<Signed>(a) * b >> 64);
}

}  // namespace by_int128
using by_int128::high_product;
#else
using by_halves::high_product;
#endif

template <class T>
struct WithCarry {
  T value;
  bool carry;
};
/// a + b + carry, and whether it does not fit.
template <class T>
constexpr WithCarry<T> add_carry(T a, T b, bool carry) {
  static_assert(std::is_unsigned_v<T>);
  const T sum = static_cast<T>(a + b), all = static_cast<T>(sum + (carry ? 1u : 0u));
  return {all, sum < a || all < sum};
}
/// a − b − borrow, and whether that is below zero.
template <class T>
constexpr WithCarry<T> sub_borrow(T a, T b, bool borrow) {
  static_assert(std::is_unsigned_v<T>);
  return {static_cast<T>(a - b - (borrow ? 1u : 0u)), a < b || (a == b && borrow)};
}

}  // namespace tilescope::emulator::TILESCOPE_ISA

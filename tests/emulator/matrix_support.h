// Element types as the tests know them, and one warp's matrix product from fragments to fragments.
#pragma once
#include <map>
#include <random>

#include "exact_reference.h"
#include "isa_fragments.h"
#include "support.h"

namespace tilescope::emulator::test {

int bits_of(const std::string& type);
/// Value of an element's bits: written from the formats' definitions.
double value_of(const std::string& type, uint64_t bits);

/// What a product of doubles may be told.
inline const std::pair<const char*, Mode> kRoundings[] = {{"", Mode::nearest},
                                                          {".rn", Mode::nearest},
                                                          {".rz", Mode::zero},
                                                          {".rm", Mode::down},
                                                          {".rp", Mode::up}};

enum class Data {
  exact,    // small whole numbers: every order of sums gives the same bits
  random,   // reals in −1 … 1, all integers
  special,  // small whole numbers with NaN and infinities; integers near the ends of s32
};
uint64_t random_element(const std::string& type, Data data, std::mt19937& random);

/// How one operand lies in registers. `map` of mma counts elements from the first register's low
/// bits upwards.
struct Operand {
  std::string type;
  int elements = 0;
  isa::Map map = nullptr;
  int bits() const { return elements * bits_of(type); }
  int registers() const { return type == "f64" ? elements : bits() / 32; }
};

/// The operands of one warp: 64 bytes per lane, the elements in order.
struct Fragment {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(32 * 64);
  uint64_t get(int lane, int i, int bits) const;
  void set(int lane, int i, int bits, uint64_t value);
};
Fragment random_fragment(const Operand& o, Data data, std::mt19937& random);

/// Executes `instruction d, a, b, c` by one warp for each element of `inputs`, [A, B, C].
/// `sums_of`: as RunOptions.
std::vector<Fragment> run_product(const std::string& instruction, const Operand (&operands)[4],
                                  const std::vector<std::array<Fragment, 3>>& inputs,
                                  int sums_of = 0);

/// Matrices of element bits by (product, row, column); of an element held twice, the first.
using Dense = std::map<std::array<int, 3>, uint64_t>;
Dense dense_of(const Operand& o, const Fragment& f);

struct ProductRules {
  int k = 0;
  bool saturate = false;
  char bit_operation = 0;         // 'x' or 'a' for b1
  Mode rounding = Mode::nearest;  // of f64
};
/// Compares a result with what the reference makes of the inputs; the types decide how.
void expect_product(const std::string& what, const Operand (&operands)[4],
                    const ProductRules& rules, Data data, const std::array<Fragment, 3>& inputs,
                    const Fragment& result);

}  // namespace tilescope::emulator::test

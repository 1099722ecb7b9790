// In which arithmetic products of tensor cores are summed: RunOptions::sums_of.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::emulator {

class Program;

/// RunOptions::sums_of is one of these, or an architecture: 90 is sm_90.
inline constexpr int kSumsIeee = 0;          // f32, in the order of k
inline constexpr int kSumsOfTarget = -1;     // of the architecture that the PTX is for
inline constexpr int kSumsWhereProven = -2;  // the same if its rules are proven on a card, or IEEE

/// What an entry's products are summed by.
struct ProductSums {
  bool any = false;                  // it has products whose sums differ from card to card
  int architecture = 0;              // whose rules are used; 0: IEEE
  bool proven = true;                // all that are used, on a card
  std::vector<std::string> unknown;  // opcodes without a rule: these are summed in IEEE f32
};
ProductSums product_sums(const Program& program, std::string_view entry, int sums_of);
/// "products as sm_90 sums them", "products in IEEE f32"; empty if there are none.
std::string words_of(const ProductSums& sums);

/// A line of the table of rules, in words.
struct SumSource {
  int from = 0, to = 0;  // architectures
  std::string_view instructions;
  bool proven = false;  // all bits, on a card of ours
  std::string_view source;
};
std::vector<SumSource> sum_sources();

}  // namespace tilescope::emulator

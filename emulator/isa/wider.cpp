#include "emulator/isa/wider.h"

#include <set>
#include <string_view>
#include <vector>

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

constexpr u32 kMostOperands = 4;
constexpr u32 kSlotBytes = 256;

/// A row, run by one that knows nothing of wider registers: on copies of the low bits.
struct Twin {
  Handler narrow;
  char operands[kMostOperands + 1];  // its own
  u8 count;
  bool of_half, is_signed;  // the result, as the narrow row leaves it
  char letters[kMostOperands + 1];
};
std::vector<Twin> g_twins;
std::vector<Row> g_rows;
u32 g_first;

bool is_64(char letter) { return letter == 'l' || letter == 'L' || letter == 'd' || letter == 'D'; }

void run(Context& c, const Inst& in) {
  const Twin& twin = g_twins[in.row - g_first];
  alignas(64) std::byte slots[kMostOperands][kSlotBytes];
  Inst narrow = in;
  for (u32 k = 0; k < twin.count; ++k) {
    narrow.r[k] = k * kSlotBytes;
    if (k == 0) continue;
    if (is_64(twin.operands[k])) {
      __builtin_memcpy(slots[k], c.registers + in.r[k], kSlotBytes);
    } else {
      for (int i = 0; i < 32; ++i) put<u32>(slots[k], i, get_low<u32>(c.registers, in.r[k], i));
    }
  }
  std::byte* const registers = c.registers;
  c.registers = slots[0];
  twin.narrow(c, narrow);
  c.registers = registers;
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    if (is_64(twin.operands[0])) {
      put<u64>(registers + in.r[0], i, get<u64>(slots[0], i));
      continue;
    }
    const u32 word = get<u32>(slots[0], i);
    if (!twin.is_signed) {
      put_extended(registers, in.r[0], i, word);
    } else {
      put_extended(registers, in.r[0], i,
                   twin.of_half ? s32{static_cast<s16>(word)} : static_cast<s32>(word));
    }
  }
}

template <class F>
void each_word(std::string_view pattern, F action) {
  while (!pattern.empty()) {
    const size_t blank = pattern.find(' ');
    action(pattern.substr(0, blank));
    pattern = blank == pattern.npos ? std::string_view() : pattern.substr(blank + 1);
  }
}

/// What cvt writes; empty if one of its types fits registers of its own size alone: all that are
/// neither integers nor .f16, .f16x2, .f32 and .f64 (found by asking ptxas).
std::string_view relaxed_result(std::string_view pattern) {
  static const std::set<std::string_view> kStrict = {"bf16", "bf16x2", "tf32", "e4m3x2", "e5m2x2"};
  static const std::set<std::string_view> kTypes = {"u8",  "s8",  "u16", "s16",   "u32", "s32",
                                                    "u64", "s64", "f16", "f16x2", "f32", "f64"};
  std::string_view result;
  bool strict = false;
  each_word(pattern, [&](std::string_view word) {
    strict = strict || kStrict.contains(word);
    if (result.empty() && kTypes.contains(word)) result = word;
  });
  const bool packs = pattern.starts_with("cvt pack ");  // several in 32 bits
  return strict ? std::string_view() : packs ? std::string_view("b32") : result;
}

char wider(char letter) {
  switch (letter) {
    case 'H':
      return 'U';
    case 'R':
    case 'F':
      return 'V';
    case 'h':
    case 'z':
      return 'u';
    case 'r':
    case 'f':
      return 'v';
    default:
      return letter;
  }
}

}  // namespace

RowSpan wider_rows(const Row* const* rows, u32 count) {
  std::set<std::string_view> known;  // of the rows of a pattern, the first has the least registers
  for (u32 i = 0; i < count; ++i) {
    const Row& row = *rows[i];
    const std::string_view pattern = row.pattern, operands = row.operands;
    if (!pattern.starts_with("cvt ") || operands.size() > kMostOperands) continue;
    const std::string_view result = relaxed_result(pattern);
    if (result.empty() || !known.insert(pattern).second) continue;
    Twin twin{};
    twin.narrow = row.full;
    twin.count = static_cast<u8>(operands.size());
    for (size_t k = 0; k < operands.size(); ++k) {
      twin.operands[k] = operands[k];
      twin.letters[k] = wider(operands[k]);
    }
    if (operands == twin.letters) continue;
    twin.is_signed = result[0] == 's';
    twin.of_half = operands[0] == 'H';
    g_twins.push_back(twin);
    g_rows.push_back(Row{row.pattern, nullptr, &run, &run});
  }
  for (size_t i = 0; i < g_rows.size(); ++i) g_rows[i].operands = g_twins[i].letters;
  g_first = count;
  return {g_rows.data(), static_cast<u32>(g_rows.size())};
}

}  // namespace tilescope::emulator::TILESCOPE_ISA

#include "emulator/machine/sum_rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "emulator/arithmetic.h"
#include "emulator/compile/program_impl.h"
#include "emulator/compile/row.h"

namespace tilescope::emulator {
namespace {

using Way = SumRule::Way;

struct RuleLine {
  int from, to;  // architectures
  SumFamily family;
  SumRule rule;  // way, fraction, at once, kept, least
  const char* source;
  bool proven = false;  // all bits, on a card of ours
};
constexpr int kLater = 999;

constexpr const char* kH100 = "bench/exact_products on an H100, all bits";
constexpr const char* kSimulator = "MMA-Sim, arXiv 2511.10909";
constexpr const char* kCode = "the machine code that ptxas makes of it";

constexpr SumRule fused(uint8_t fraction, uint8_t at_once = 0, uint8_t kept = 23) {
  return {Way::fused, fraction, at_once, kept, -133};
}
constexpr SumRule kNoTensorCore = {Way::without_tensor_core};
constexpr SumRule kByF16Halves = {Way::fused_f16_halves, 25, 0, 23, -133};

constexpr RuleLine kLines[] = {
    {70, 72, SumFamily::mma_16, fused(23, 4), kSimulator},
    {70, 72, SumFamily::mma_quad, fused(23), kSimulator},
    {75, 75, SumFamily::mma_16, fused(24, 8), kSimulator},
    {75, 75, SumFamily::mma_quad, fused(24), kSimulator},
    {80, 89, SumFamily::mma_16, fused(24, 8), kSimulator},
    {80, 89, SumFamily::mma_quad, kNoTensorCore, kCode},
    {80, 89, SumFamily::mma_tf32, fused(24, 4), kSimulator},
    {80, 89, SumFamily::wmma_tf32, fused(24, 4), kSimulator},
    {89, 89, SumFamily::mma_8, fused(13, 16, 13), kSimulator},
    {90, 90, SumFamily::mma_16, fused(25), kH100, true},
    {90, 90, SumFamily::mma_quad, kNoTensorCore, kH100, true},
    {90, 90, SumFamily::mma_tf32, fused(25), kH100, true},
    {90, 90, SumFamily::wmma_tf32, fused(25, 4), kH100, true},
    {90, 90, SumFamily::mma_8, kByF16Halves, kH100, true},
    {90, 90, SumFamily::wgmma_16, fused(25), kH100, true},
    {90, 90, SumFamily::wgmma_tf32, fused(25), kH100, true},
    {90, 90, SumFamily::wgmma_8, fused(13, 0, 13), kH100, true},
    {100, kLater, SumFamily::mma_16, fused(25), kSimulator},
    {100, kLater, SumFamily::mma_quad, kNoTensorCore, kCode},
    {100, kLater, SumFamily::mma_tf32, fused(25), kSimulator},
    {100, kLater, SumFamily::wmma_tf32, fused(25, 4), kSimulator},
    {100, 119, SumFamily::mma_8, kByF16Halves, kCode},
    {120, kLater, SumFamily::mma_8, fused(25), kSimulator},
};
// kLater is for architectures that nobody has yet: what is known of the last ones holds until
// somebody has looked.

constexpr const char* kFamilies[] = {"",
                                     "mma.sync and wmma of f16 and bf16",
                                     "mma.sync.m8n8k4 of f16",
                                     "mma.sync of tf32",
                                     "wmma of tf32",
                                     "mma.sync of e4m3 and e5m2",
                                     "wgmma of f16 and bf16",
                                     "wgmma of tf32",
                                     "wgmma of e4m3 and e5m2"};
static_assert(std::size(kFamilies) == kSumFamilies);

const RuleLine* line_of(int architecture, SumFamily family) {
  const auto* line = std::ranges::find_if(kLines, [&](const RuleLine& l) {
    return l.family == family && architecture >= l.from && architecture <= l.to;
  });
  return line == std::end(kLines) ? nullptr : line;
}

/// The families of an entry's products, each with its opcodes.
std::map<SumFamily, std::set<std::string>> families_of(const Program& program,
                                                       std::string_view entry) {
  std::map<SumFamily, std::set<std::string>> families;
  const RowTable rows = active_rows();
  for (const Entry& e : program.impl().entries) {
    if (e.info.name != entry) continue;
    for (size_t i = 0; i < e.code.instructions.size(); ++i) {
      const SumFamily family = rows.rows[e.code.instructions[i].row]->sums;
      if (family == SumFamily::exact || e.code.info[i].opcode == kSynthetic) continue;
      families[family].insert(e.code.opcodes[e.code.info[i].opcode]);
    }
  }
  return families;
}

}  // namespace

const SumRules* sum_rules(int architecture) {
  static const std::map<int, SumRules> known = [] {
    std::map<int, SumRules> all;
    for (const RuleLine& begin : kLines) {  // rules change where a line begins or ends
      for (const int at : {begin.from, begin.to + 1}) {
        for (const RuleLine& l : kLines) {
          if (at >= l.from && at <= l.to) all[at].of[static_cast<int>(l.family)] = l.rule;
        }
        if (!all.contains(at)) all[at] = {};
      }
    }
    return all;
  }();
  const auto next = known.upper_bound(architecture);
  return next == known.begin() ? nullptr : &std::prev(next)->second;
}

std::vector<SumSource> sum_sources() {
  std::vector<SumSource> sources;
  for (const RuleLine& l : kLines) {
    sources.push_back({l.from, l.to, kFamilies[static_cast<int>(l.family)], l.proven, l.source});
  }
  return sources;
}

ProductSums product_sums(const Program& program, std::string_view entry, int sums_of) {
  ProductSums sums;
  const auto families = families_of(program, entry);
  sums.any = !families.empty();
  sums.architecture = sums_of < 0 ? program.impl().target : sums_of;
  for (const auto& [family, opcodes] : families) {
    const RuleLine* line = line_of(sums.architecture, family);
    sums.proven = sums.proven && line && line->proven;
    if (!line) sums.unknown.insert(sums.unknown.end(), opcodes.begin(), opcodes.end());
  }
  if (sums_of == kSumsIeee || (sums_of == kSumsWhereProven && !sums.proven)) {
    sums.architecture = 0;
    sums.unknown.clear();
  }
  if (sums.architecture == 0) sums.proven = false;
  return sums;
}

std::string words_of(const ProductSums& sums) {
  if (!sums.any) return {};
  if (sums.architecture == 0) return "products in IEEE f32";
  std::string text = "products as sm_" + std::to_string(sums.architecture) + " sums them";
  if (!sums.unknown.empty()) {
    text += ", but in IEEE f32 those whose sums there are not known:";
    for (const std::string& opcode : sums.unknown) text += " " + opcode;
  } else if (!sums.proven) {
    text += ", by a published rule";
  }
  return text;
}

}  // namespace tilescope::emulator

#include "emulator/compile/mnemonic.h"

namespace tilescope::emulator {
namespace {

// Words that belong to the name: they stand first, in the order of the pattern.
struct Name {
  std::string_view opcode, words;
};
constexpr Name kNames[] = {
    {"cp",
     "reduce|async|bulk|prefetch|tensor|1d|2d|3d|4d|5d|commit_group|wait_group|wait_all|mbarrier|"
     "arrive"},
    {"wgmma", "mma_async|fence|commit_group|wait_group"},
    {"wmma", "load|store|mma|a|b|c|d"},
    {"mbarrier",
     "init|inval|arrive|arrive_drop|test_wait|try_wait|parity|expect_tx|complete_tx|pending_count"},
    {"bar|barrier", "cta|warp|cluster|red|arrive|wait"},
    {"st|red", "async"},
    {"mul|mad|madc|mul24|mad24|dp2a", "lo|hi|wide"},
    {"shf", "l|r"},
    {"div", "full"},
    {"membar|fence", "proxy"},
    {"cvta", "to"},
    {"cvt", "pack"},
    {"createpolicy", "cvt|fractional|range"},
    {"tensormap", "replace|cp_fenceproxy"},
};

// Words of one line keep their order among themselves; all others stand where they like.
constexpr std::string_view kTypes =
    "f32|b32|u32|s32|f16|b64|u64|s64|f64|b16|u16|s16|b8|u8|s8|bf16|tf32|f16x2|bf16x2|b1|pred|"
    "u4|s4|u2|s2|e4m3|e5m2|e4m3x2|e5m2x2|b128";
constexpr std::string_view kOrdered[] = {
    kTypes,
    "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func",
    "row|col",
    "and|or|xor|popc",
};
constexpr uint8_t kOfName = 1;

uint8_t order_of(std::string_view opcode, std::string_view word) {
  for (const Name& name : kNames) {
    if (is_one_of(opcode, name.opcode) && is_one_of(word, name.words)) return kOfName;
  }
  for (size_t i = 0; i < std::size(kOrdered); ++i) {
    if (is_one_of(word, kOrdered[i])) return static_cast<uint8_t>(kOfName + 1 + i);
  }
  return 0;
}

}  // namespace

Words::Words(std::string_view text, char separator) {
  while (!text.empty()) {
    const size_t end = text.find(separator);
    if (end != 0) {
      if (count == word.size()) {
        count = 0;
        return;
      }
      word[count++] = text.substr(0, end);
    }
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
}

bool is_one_of(std::string_view word, std::string_view alternatives) {
  while (!alternatives.empty()) {
    const size_t bar = alternatives.find('|');
    if (alternatives.substr(0, bar) == word) return true;
    alternatives = bar == alternatives.npos ? std::string_view() : alternatives.substr(bar + 1);
  }
  return false;
}

bool is_cache_hint(std::string_view word) {
  return is_one_of(word, "nc|ca|cg|cs|lu|cv|wb|wt") || word.substr(0, 4) == "L1::" ||
         (word.substr(0, 4) == "L2::" && word != "L2::cache_hint");
}
bool is_memory_order(std::string_view word) {
  return is_one_of(word, "weak|volatile|relaxed|acquire|release|acq_rel|mmio|cta|cluster|gpu|sys");
}

bool Mnemonic::is_type(std::string_view word) { return is_one_of(word, kTypes); }

Mnemonic::Mnemonic(std::string_view text) : words_(text, '.') {
  for (uint32_t i = 1; i < words_.count; ++i) {
    order_[i] = order_of(words_.word[0], words_.word[i]);
  }
}

std::string_view Mnemonic::last_type() const {
  for (uint32_t i = words_.count; i-- > 1;) {
    if (order_[i] == kOfName + 1) return words_.word[i];
  }
  return {};
}

bool Mnemonic::may_be_taken(uint32_t word, uint32_t left) const {
  const uint32_t before = left & ((1u << word) - 1);
  if (order_[word] == 0) return true;
  if (order_[word] == kOfName) return before == 0;
  for (uint32_t i = 1; i < word; ++i) {
    if (((before >> i) & 1u) && order_[i] == order_[word]) return false;
  }
  return true;
}

struct Mnemonic::Match {
  const Words& pattern;
  std::array<uint32_t, 32> taken{};  // by slot: one bit per word
};

bool Mnemonic::place(Match& match, uint32_t slot, uint32_t left) const {
  if (slot == match.pattern.count) {  // hints and memory orders, wherever they stand
    for (uint32_t i = 0; i < slot && left; ++i) {
      const std::string_view p = match.pattern.word[i];
      if (p[0] != '$' || (p != "$cache" && p != "$order")) continue;
      match.taken[i] = 0;
      for (uint32_t w = 1; w < words_.count; ++w) {
        const bool fits =
            p == "$cache" ? is_cache_hint(words_.word[w]) : is_memory_order(words_.word[w]);
        if (((left >> w) & 1u) && fits) match.taken[i] |= 1u << w;
      }
      left &= ~match.taken[i];
    }
    return left == 0;
  }
  std::string_view p = match.pattern.word[slot];
  match.taken[slot] = 0;
  if (p == "$cache" || p == "$order") return place(match, slot + 1, left);
  const bool optional = p.back() == '?';
  if (optional) p.remove_suffix(1);
  for (uint32_t w = 1; w < words_.count; ++w) {
    if (!((left >> w) & 1u) || !is_one_of(words_.word[w], p) || !may_be_taken(w, left)) continue;
    match.taken[slot] = 1u << w;
    if (place(match, slot + 1, left & ~(1u << w))) return true;
    if (p.find('|') == p.npos) break;  // the same word again would not do either
  }
  match.taken[slot] = 0;
  return optional && place(match, slot + 1, left);
}

bool Mnemonic::fits(const Words& pattern, std::string* canonical) const {
  if (words_.count == 0 || pattern.count == 0 || !is_one_of(words_.word[0], pattern.word[0])) {
    return false;
  }
  uint32_t most = 0;  // words that there are places for
  for (uint32_t i = 0; i < pattern.count; ++i) most += pattern.word[i][0] == '$' ? 32 : 1;
  if (words_.count > most) return false;
  Match match{pattern, {}};
  const uint32_t all = words_.count == 32 ? ~0u : (1u << words_.count) - 1;
  if (!place(match, 1, all & ~1u)) return false;
  if (!canonical) return true;
  *canonical = words_.word[0];
  for (uint32_t slot = 1; slot < pattern.count; ++slot) {
    for (uint32_t w = 1; w < words_.count; ++w) {
      if ((match.taken[slot] >> w) & 1u) canonical->append(".").append(words_.word[w]);
    }
  }
  return true;
}

}  // namespace tilescope::emulator

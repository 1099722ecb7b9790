#include "emulator/compile/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "emulator/compile/mnemonic.h"
#include "emulator/compile/row_index.h"

namespace tilescope::emulator {
namespace {

constexpr size_t kMostNamed = 3;

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& parts, const char* last = " and ") {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == parts.size() ? last : ", ") + parts[i];
  }
  return text;
}

std::string quoted_short(std::string_view text) {
  return "'" + std::string(text.substr(0, 80)) + "'";
}

/// What a pattern and a mnemonic have apart.
struct Difference {
  std::string form;                         // the pattern's mnemonic that is nearest
  std::vector<std::string> missing, extra;  // words, with their points
  /// The same words, of which some stand where they may not.
  bool is_order() const {
    return !missing.empty() &&
           std::is_permutation(missing.begin(), missing.end(), extra.begin(), extra.end());
  }
  size_t distance() const {
    const bool moved = is_order() && !Mnemonic::is_type(std::string_view(missing[0]).substr(1));
    return moved ? 1 : missing.size() + extra.size();
  }
};

Difference compare(const Words& pattern, const Mnemonic& mnemonic) {
  const Words& words = mnemonic.words();
  Difference d;
  d.form = words.word[0];
  uint32_t left = words.count == 32 ? ~1u : (1u << words.count) - 2;
  bool takes_orders = false, takes_hints = false;
  for (uint32_t slot = 1; slot < pattern.count; ++slot) {
    std::string_view p = pattern.word[slot];
    takes_orders = takes_orders || p == "$order";
    takes_hints = takes_hints || p == "$cache";
    if (p[0] == '$') continue;
    const bool optional = p.back() == '?';
    if (optional) p.remove_suffix(1);
    uint32_t w = 1;
    while (w < words.count &&
           !(((left >> w) & 1u) && is_one_of(words.word[w], p) && mnemonic.may_be_taken(w, left))) {
      ++w;
    }
    if (w < words.count) {
      left &= ~(1u << w);
      d.form.append(".").append(words.word[w]);
    } else if (!optional) {
      const std::string first = "." + std::string(p.substr(0, p.find('|')));
      d.form += first;
      d.missing.push_back(first);
    }
  }
  for (uint32_t w = 1; w < words.count; ++w) {
    const std::string_view word = words.word[w];
    if (!((left >> w) & 1u) || (takes_orders && is_memory_order(word)) ||
        (takes_hints && is_cache_hint(word)) || word == "L2::cache_hint") {
      continue;
    }
    d.extra.push_back("." + std::string(word));
  }
  return d;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t other = std::min({row[j] + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = std::exchange(row[j], other);
    }
  }
  return row[b.size()];
}

std::string nearest_opcodes(std::string_view opcode) {
  if (opcode.size() > 40) return "";
  size_t least = opcode.size() < 5 ? 1 : 2;
  std::vector<std::string> names;
  for (std::string_view known : RowIndex::get().opcodes()) {
    const size_t distance = edit_distance(opcode, known);
    if (distance > least || known[0] == '$') continue;
    if (distance < least) names.clear();
    least = distance;
    names.push_back(quoted_short(known));
  }
  std::sort(names.begin(), names.end());
  if (names.size() > kMostNamed) names.resize(kMostNamed);
  if (names.empty()) return "; it knows none that begin with " + quoted_short(opcode);
  return std::string("; the nearest that it knows ") + (names.size() == 1 ? "is " : "are ") +
         listed(names);
}

std::string words_of(const Difference& d) {
  if (d.distance() == 1 && d.is_order()) return " the words in that order";
  if (d.missing.empty()) return " without " + listed(d.extra);
  if (d.extra.empty()) return " with " + listed(d.missing);
  return " with " + listed(d.missing) + " in place of " + listed(d.extra);
}

const char* kind_of(char letter) {
  switch (letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter) {
    case 'P':
      return "p";
    case 'B':
      return "p|p";
    case 'Q':
      return "r32|p";
    case 'H':
      return "r16";
    case 'Z':
      return "r16 or r32";
    case 'U':
      return "r16, r32 or r64";
    case 'V':
      return "r32 or r64";
    case 'W':
      return "r128";
    case 'L':
    case 'D':
    case 'Y':
      return "r64";
    default:
      return "r32";
  }
}

std::string operand_words(const OperandPattern& p) {
  switch (p.letter) {
    case 'A':
      return "[address]";
    case 'M':
      return "[tensor map, {" + std::to_string(p.count) + " coordinates}]";
    case 'i':
      return "number";
    case '=':
      return std::to_string(p.value);
    case 'T':
      return "label";
    case 'N':
      return "labels";
    case 'C':
      return "%clock";
    case '_':
      return "anything";
    default:
      break;
  }
  std::string text = kind_of(p.letter);
  for (uint32_t i = 1; i < p.count; ++i) text += std::string(", ") + kind_of(p.letter);
  if (p.count) text = "{" + text + "}";
  return p.optional ? "(" + text + ")" : text;
}

struct MissingFamily {
  std::string_view prefix, words;
};
constexpr MissingFamily kMissing[] = {
    {"wgmma.mma_async.sp", "a sparse product, which the emulator does not have yet"},
    {"tcgen05.", "one of Blackwell's tcgen05, which the emulator does not have yet"},
    {"multimem.", "one of several GPUs' memory, which the emulator does not have"},
    {"mma.sp", "a sparse product, which the emulator does not have yet"},
    {"tex.", "one of textures, which the emulator does not have; read global memory instead"},
    {"tld4.", "one of textures, which the emulator does not have; read global memory instead"},
    {"txq.", "one of textures, which the emulator does not have; read global memory instead"},
    {"suld.", "one of surfaces, which the emulator does not have; use global memory instead"},
    {"sust.", "one of surfaces, which the emulator does not have; use global memory instead"},
    {"sured.", "one of surfaces, which the emulator does not have; use global memory instead"},
};

}  // namespace

std::string nearest_mnemonics(std::string_view mnemonic) {
  const Mnemonic words(mnemonic);
  if (words.words().count == 0) return "";
  const std::string_view opcode = words.words().word[0];
  const std::vector<uint16_t> rows = RowIndex::get().of_opcode(opcode);
  if (rows.empty()) return nearest_opcodes(opcode);
  std::vector<Difference> best;
  for (uint16_t row : rows) {
    Difference d = compare(Words(active_rows().rows[row]->pattern, ' '), words);
    if (!best.empty() && d.distance() > best[0].distance()) continue;
    if (!best.empty() && d.distance() < best[0].distance()) best.clear();
    const bool is_new =
        std::ranges::none_of(best, [&](const Difference& known) { return known.form == d.form; });
    if (is_new && best.size() < kMostNamed) best.push_back(std::move(d));
  }
  std::vector<std::string> parts;
  for (const Difference& d : best) parts.push_back(quoted_short(d.form) + "," + words_of(d));
  return (parts.size() == 1 ? "; the nearest that it knows is "
                            : "; the nearest that it knows are ") +
         listed(parts, "; ");
}

std::string forms_of(std::string_view mnemonic, const std::vector<uint16_t>& rows) {
  std::vector<std::string> forms;
  for (uint16_t row : rows) {
    std::string form(mnemonic.substr(0, 80));
    const char* before = " ";
    for (const OperandPattern& p : RowIndex::get().operands(row)) {
      if (std::string_view("KkSs").find(p.letter) != std::string_view::npos) continue;
      form += before + operand_words(p);
      before = ", ";
    }
    form = "'" + form + "'";
    if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(form);
    if (forms.size() == kMostNamed) break;
  }
  return listed(forms);
}

std::string missing_family(std::string_view mnemonic) {
  for (const MissingFamily& family : kMissing) {
    if (mnemonic.starts_with(family.prefix)) return std::string(family.words);
  }
  return {};
}

}  // namespace tilescope::emulator

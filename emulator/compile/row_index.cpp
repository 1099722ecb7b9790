#include "emulator/compile/row_index.h"

#include <algorithm>
#include <span>

namespace tilescope::emulator {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    if (end != 0) parts.push_back(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

bool is_one_of(std::string_view word, std::string_view alternatives) {
  while (!alternatives.empty()) {
    const size_t bar = alternatives.find('|');
    if (alternatives.substr(0, bar) == word) return true;
    alternatives = bar == alternatives.npos ? std::string_view() : alternatives.substr(bar + 1);
  }
  return false;
}

// Hints change nothing here; `L2::cache_hint` is none of them, as it brings an operand along.
bool is_cache_hint(std::string_view word) {
  return is_one_of(word, "nc|ca|cg|cs|lu|cv|wb|wt") || word.substr(0, 4) == "L1::" ||
         (word.substr(0, 4) == "L2::" && word != "L2::cache_hint");
}
bool is_order(std::string_view word) {
  return is_one_of(word, "weak|volatile|relaxed|acquire|release|acq_rel|mmio|cta|cluster|gpu|sys");
}

bool matches(std::span<const std::string_view> pattern, std::span<const std::string_view> words) {
  if (pattern.empty()) return words.empty();
  std::string_view p = pattern[0];
  if (p == "$cache" || p == "$order") {
    while (!words.empty() && (p == "$cache" ? is_cache_hint(words[0]) : is_order(words[0]))) {
      words = words.subspan(1);
    }
    return matches(pattern.subspan(1), words);
  }
  const bool optional = p.back() == '?';
  if (optional) p.remove_suffix(1);
  if (!words.empty() && is_one_of(words[0], p) && matches(pattern.subspan(1), words.subspan(1))) {
    return true;
  }
  return optional && matches(pattern.subspan(1), words);
}

std::vector<OperandPattern> parse_operands(std::string_view text) {
  std::vector<OperandPattern> result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool digit = c >= '0' && c <= '9';
    if (c == '?') {
      result.back().optional = true;
    } else if (digit && result.back().letter == '=') {
      result.back().value = result.back().value * 10 + (c - '0');
    } else if (digit) {
      result.back().count = result.back().count * 10 + static_cast<uint32_t>(c - '0');
    } else {
      result.push_back({c, 0, false, 0});
    }
  }
  return result;
}

}  // namespace

const RowIndex& RowIndex::get() {
  static const RowIndex index;
  return index;
}

RowIndex::RowIndex() {
  const RowTable& table = active_rows();
  for (uint32_t i = 0; i < table.count; ++i) {
    const std::string_view pattern = table.rows[i]->pattern;
    auto [known, is_new] = by_operands_.try_emplace(table.rows[i]->operands, operands_.size());
    if (is_new) operands_.push_back(parse_operands(table.rows[i]->operands));
    operands_of_.push_back(known->second);
    const size_t blank = pattern.find_last_of(' ');
    const std::string_view last = pattern.substr(blank + 1);
    const bool certain = blank != pattern.npos && last[0] != '$' && last.back() != '?';
    for (std::string_view word : split(pattern.substr(0, pattern.find(' ')), '|')) {
      auto& by_last = by_words_[word];
      if (!certain) {
        by_last[{}].push_back(static_cast<uint16_t>(i));
        continue;
      }
      for (std::string_view end : split(last, '|')) {
        by_last[end].push_back(static_cast<uint16_t>(i));
      }
    }
  }
}

std::vector<uint16_t> RowIndex::find(std::string_view mnemonic) const {
  std::vector<uint16_t> result;
  const std::vector<std::string_view> words = split(mnemonic, '.');
  if (words.empty() || words.size() > 32) return result;
  const auto it = by_words_.find(words[0]);
  if (it == by_words_.end()) return result;
  for (std::string_view last : {words.back(), std::string_view()}) {
    const auto rows = it->second.find(last);
    if (rows == it->second.end()) continue;
    for (uint16_t row : rows->second) {
      const auto pattern = split(active_rows().rows[row]->pattern, ' ');
      if (matches(std::span(pattern).subspan(1), std::span(words).subspan(1))) {
        result.push_back(row);
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace tilescope::emulator

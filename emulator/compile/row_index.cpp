#include "emulator/compile/row_index.h"

#include <algorithm>

#include "emulator/compile/mnemonic.h"

namespace tilescope::emulator {
namespace {

template <class F>
void each_alternative(std::string_view words, F action) {
  while (!words.empty()) {
    const size_t bar = words.find('|');
    action(words.substr(0, bar));
    words = bar == words.npos ? std::string_view() : words.substr(bar + 1);
  }
}

// The last of a pattern's words that is always a type; empty if there is none.
std::string_view last_type(std::string_view pattern) {
  for (size_t end = pattern.size(); end != 0;) {
    const size_t blank = pattern.find_last_of(' ', end - 1);
    if (blank == pattern.npos) break;  // the opcode
    const std::string_view word = pattern.substr(blank + 1, end - blank - 1);
    end = blank;
    if (word.empty()) continue;
    bool any = false, all = true;
    each_alternative(word.back() == '?' ? word.substr(0, word.size() - 1) : word,
                     [&](std::string_view w) {
                       const bool type = Mnemonic::is_type(w);
                       any = any || type;
                       all = all && type;
                     });
    if (any) return all && word.back() != '?' ? word : std::string_view();
  }
  return {};
}

std::vector<OperandPattern> parse_operands(std::string_view text) {
  std::vector<OperandPattern> result;
  bool both = false;
  for (const char c : text) {
    if (c == '&') {
      both = true;
      continue;
    }
    const bool digit = c >= '0' && c <= '9';
    if (c == '?') {
      result.back().optional = true;
    } else if (digit && result.back().letter == '=') {
      result.back().value = result.back().value * 10 + (c - '0');
    } else if (digit) {
      result.back().count = result.back().count * 10 + static_cast<uint32_t>(c - '0');
    } else {
      result.push_back({c, 0, false, both, 0});
      both = false;
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
    const std::string_view type = last_type(pattern);
    each_alternative(pattern.substr(0, pattern.find(' ')), [&](std::string_view word) {
      auto& by_last = by_words_[word];
      if (type.empty()) by_last[{}].push_back(static_cast<uint16_t>(i));
      each_alternative(
          type, [&](std::string_view end) { by_last[end].push_back(static_cast<uint16_t>(i)); });
    });
  }
}

std::vector<uint16_t> RowIndex::find(std::string_view mnemonic, std::string* canonical) const {
  std::vector<uint16_t> result;
  const Mnemonic words(mnemonic);
  if (words.words().count == 0) return result;
  const auto it = by_words_.find(words.words().word[0]);
  if (it == by_words_.end()) return result;
  for (std::string_view last : {words.last_type(), std::string_view()}) {
    const auto rows = it->second.find(last);
    if (rows == it->second.end()) continue;
    for (uint16_t row : rows->second) {
      const Words pattern(active_rows().rows[row]->pattern, ' ');
      if (!words.fits(pattern, result.empty() ? canonical : nullptr)) continue;
      result.push_back(row);
    }
    if (last.empty()) break;
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::string_view> RowIndex::opcodes() const {
  std::vector<std::string_view> result;
  for (const auto& [opcode, rows] : by_words_) result.push_back(opcode);
  return result;
}

std::vector<uint16_t> RowIndex::of_opcode(std::string_view opcode) const {
  std::vector<uint16_t> result;
  const auto it = by_words_.find(opcode);
  if (it == by_words_.end()) return result;
  for (const auto& [type, rows] : it->second) {
    result.insert(result.end(), rows.begin(), rows.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

const KnownMnemonic& KnownMnemonics::find(std::string_view mnemonic) {
  auto it = all_.find(mnemonic);
  if (it == all_.end()) {
    it = all_.emplace(mnemonic, KnownMnemonic{{}, std::string(mnemonic)}).first;
    it->second.rows = RowIndex::get().find(mnemonic, &it->second.canonical);
  }
  return it->second;
}

}  // namespace tilescope::emulator

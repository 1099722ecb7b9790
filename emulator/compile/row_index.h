// Finds the rows that a mnemonic fits.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/compile/row.h"

namespace tilescope::emulator {

/// One letter of Row::operands.
struct OperandPattern {
  char letter = 0;
  uint32_t count = 0;  // of braces; 0 = no braces
  bool optional = false;
  bool also_read = false;  // of one that is written
  int64_t value = 0;       // of '='
  /// In Code::operands, as assemble() lays them out.
  uint32_t slots() const {
    if (std::string_view("=i_TCN").find(letter) != std::string_view::npos) return 0;
    if (letter == 'M') return 1 + count;
    if (std::string_view("QBWw").find(letter) != std::string_view::npos) return 2;
    return count ? count : 1;
  }
  bool written() const {
    return letter >= 'A' && letter <= 'Z' && letter != 'A' && letter != 'T' && letter != 'C' &&
           letter != 'N' && letter != 'M';
  }
};

class RowIndex {
 public:
  static const RowIndex& get();  // of active_rows()
  /// Rows in table order; empty if there is no such instruction. `canonical` becomes the mnemonic
  /// in the order of the rows' patterns.
  std::vector<uint16_t> find(std::string_view mnemonic, std::string* canonical = nullptr) const;
  /// All rows of an opcode, the mnemonic's first word.
  std::vector<uint16_t> of_opcode(std::string_view opcode) const;
  std::vector<std::string_view> opcodes() const;
  const std::vector<OperandPattern>& operands(uint16_t row) const {
    return operands_[operands_of_[row]];
  }

 private:
  RowIndex();
  // Rows by the first word of their mnemonic, and by its last type if the row always has one (else
  // by an empty word), so that few remain to be compared word by word.
  using Rows = std::vector<uint16_t>;
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, Rows>> by_words_;
  std::vector<std::vector<OperandPattern>> operands_;  // each that occurs, once
  std::vector<size_t> operands_of_;                    // by row
  std::unordered_map<std::string_view, size_t> by_operands_;
};

/// Lets a map of strings be asked for a string_view without making a string of it.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// The rows of each mnemonic of a module, looked up in the table only once.
struct KnownMnemonic {
  std::vector<uint16_t> rows;
  std::string canonical;  // in the order of the rows' patterns
};
class KnownMnemonics {
 public:
  const KnownMnemonic& find(std::string_view mnemonic);

 private:
  std::unordered_map<std::string, KnownMnemonic, TextHash, std::equal_to<>> all_;
};

}  // namespace tilescope::emulator

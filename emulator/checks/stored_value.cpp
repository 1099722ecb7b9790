#include "emulator/checks/stored_value.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "emulator/compile/row_index.h"

namespace tilescope::emulator {
StoredValue::StoredValue(const RunState& state, const Context& c, const Inst& in, int bytes)
    : context_(c), bytes_(bytes) {
  const Code& code = state.entry->code;
  const auto inst = static_cast<uint32_t>(&in - c.code);
  const uint32_t slots = code.first_operand[inst + 1] - code.first_operand[inst];
  if (code.info[inst].opcode == kSynthetic || slots < 2) return;
  const std::string_view opcode = code.canonical[code.info[inst].opcode];
  slots_ = slots > 4 ? c.lists + in.list : in.r;
  registers_ = slots - (opcode.starts_with("st.async") ? 2 : 1);  // it has an mbarrier behind them
  if (opcode.starts_with("stmatrix")) {
    how_ = opcode.find(".trans") == opcode.npos ? How::matrix : How::matrix_transposed;
  } else if (opcode.starts_with("st.") && static_cast<size_t>(bytes) <= kMostBytes) {
    how_ = How::registers;
    const char letter = RowIndex::get().operands(in.row)[1].letter;
    wide_ = letter == 'y' || letter == 'l' || letter == 'd' || letter == 'w';
    used_ = static_cast<size_t>(bytes) / registers_;
  }
}

void StoredValue::read(uint32_t lane, std::byte* to) const {
  if (how_ == How::registers) {
    for (uint32_t k = 0; k < registers_; ++k) {
      const uint32_t slot = slots_[1 + k];
      const size_t lane_bytes = wide_ || slot & kSlot64 ? 8 : 4;
      std::memcpy(to + k * used_, context_.registers + (slot & ~kSlotWidth) + lane * lane_bytes,
                  used_);
    }
    return;
  }
  // Row `lane % 8` of matrix `lane / 8`: a register over a warp is 8 × 8 halves.
  uint16_t tile[8][8];
  std::memcpy(tile, context_.registers + slots_[1 + lane / 8], sizeof tile);
  std::array<uint16_t, 8> row;
  for (size_t i = 0; i < 8; ++i) {
    row[i] = how_ == How::matrix_transposed ? tile[i][lane % 8] : tile[lane % 8][i];
  }
  std::memcpy(to, row.data(), sizeof row);
}

bool StoredValue::is_same(uint32_t a, uint32_t b) const {
  std::byte x[kMostBytes], y[kMostBytes];
  read(a, x);
  read(b, y);
  return std::memcmp(x, y, static_cast<size_t>(bytes_)) == 0;
}

}  // namespace tilescope::emulator

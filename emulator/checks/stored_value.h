// The value that each lane of a store instruction is about to write, read from its registers: two
// lanes that store the same value to one address do no harm.
#pragma once
#include <cstddef>
#include <cstdint>

#include "emulator/machine/context.h"
#include "emulator/machine/run_state.h"

namespace tilescope::emulator {

class StoredValue {
 public:
  static constexpr size_t kMostBytes = 32;
  /// `bytes`: of a lane.
  StoredValue(const RunState& state, const Context& c, const Inst& in, int bytes);
  /// False of what is stored otherwise than from registers in turn (wmma.store, atomics).
  bool is_known() const { return how_ != How::unknown; }
  /// The lane's bytes.
  void read(uint32_t lane, std::byte* to) const;
  bool is_same(uint32_t a, uint32_t b) const;

 private:
  enum class How { unknown, registers, matrix, matrix_transposed } how_ = How::unknown;
  const Context& context_;
  const uint32_t* slots_ = nullptr;  // the address, then registers
  uint32_t registers_ = 0;
  bool wide_ = false;  // registers of 64 bits; those that may be have it in their slots
  size_t used_ = 4;    // bytes of a lane that are stored, of each register
  int bytes_;
};

}  // namespace tilescope::emulator

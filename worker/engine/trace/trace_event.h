// One event of a trace with what it moves, and the interface of what finds that out, with a plan or
// without.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/provenance.h"
#include "worker/engine/emulate/elements.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// One warp instruction of the trace, with what it moves.
struct DataEvent {
  size_t event = 0;  // in Trace::events
  const emulator::Instruction* instruction = nullptr;
  bool shared = false;
  int8_t matrix = -1;
  int k_step = -1, stage = -1;
  int loop = -1;  // without a plan
  uint32_t elements = 0;
  // mma: first row of its A and column of its B in the matrices, first k; −1 = unknown (all
  // padding). `slice_k`: the first k of its slice.
  int mma_row = -1, mma_col = -1, mma_k = -1, slice_k = -1;
  uint16_t warp = 0;
  std::vector<TouchedBox> touched;  // of mma with what C it adds to; of fma see DataFollower
  int row_factors = -1, column_factors = -1;  // fma: what it multiplies, by DataFollower's numbers
  int group = -1, groups_done = 0;            // as TraceEvent has them
};

/// Called just after each event has run, to find out what it moved.
class EventFollower {
 public:
  using Live = emulator::Provenance::Live;
  explicit EventFollower(const InstructionLines& lines) : lines_(lines) {}
  virtual ~EventFollower() = default;

  /// trace.events.back(), which has just run.
  virtual DataEvent follow(const emulator::Trace& trace, const Live& live) = 0;
  /// What some fma multiply and add to. Thousands of them share a few factors, so rectangles are
  /// made of many at once.
  virtual std::vector<TouchedBox> touched_by(const std::vector<DataEvent>& fmas) const = 0;
  /// The buffer as RawAccess::matrix has it.
  virtual emulator::Memory::Location locate(uint64_t address) const = 0;

 protected:
  /// What the event itself says.
  DataEvent begin(const emulator::Trace& trace) const;

 private:
  const InstructionLines& lines_;
};

/// The lanes that give an address: of ldmatrix and stmatrix one per row, else the active ones.
uint32_t addressing_lanes(const emulator::Event& event, const emulator::Instruction* instruction);

/// Numbers the groups of cp.async of each warp. The emulator tells how many are pending; what was
/// pending before a stretch that nobody recorded has been waited for long since.
class CopyGroups {
 public:
  /// The recorded instructions of a warp, in their order.
  void follow(const emulator::Event& event, DataEvent& data);

 private:
  struct Warp {
    int committed = 0;
    uint32_t next = 0;  // index of the instruction after the last
  };
  std::map<uint16_t, Warp> warps_;
};

}  // namespace tilescope::worker

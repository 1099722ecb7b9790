// What each event of a traced CTA moves or multiplies: which elements of A, B and C, as the
// emulator's provenance says while the kernel runs. Nothing here knows core/layout's maps.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/provenance.h"
#include "worker/engine/emulate/elements.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

struct MmaShape {
  int m = 1, n = 1, k = 1;
};
/// "mma.sync.aligned.m16n8k16.…" → 16, 8, 16.
MmaShape mma_shape(std::string_view opcode);

/// One warp instruction of the trace, with what it moves.
struct DataEvent {
  size_t event = 0;  // in Trace::events
  const emulator::Instruction* instruction = nullptr;
  bool shared = false;
  int8_t matrix = -1;
  int k_step = -1, stage = -1;
  uint32_t elements = 0;
  // mma: first row of its A and column of its B in the matrices, first k; −1 = unknown (all
  // padding).
  int mma_row = -1, mma_col = -1, mma_k = -1;
  uint16_t warp = 0;
  std::vector<TouchedBox> touched;  // of mma with what C it adds to; of fma see DataFollower
  int row_factors = -1, column_factors = -1;  // fma: what it multiplies, by DataFollower's numbers
  int group = -1, groups_done = 0;            // as TraceEvent has them
};

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

class DataFollower {
 public:
  DataFollower(const EmulatedGemm& gemm, const InstructionLines& lines)
      : gemm_(gemm), lines_(lines) {}

  /// trace.events.back(), which has just run.
  DataEvent follow(const emulator::Trace& trace, const emulator::Provenance::Live& live);
  /// What some fma multiply and add to. Thousands of them share a few factors, so rectangles are
  /// made of many at once.
  std::vector<TouchedBox> touched_by(const std::vector<DataEvent>& fmas) const;

 private:
  using Live = emulator::Provenance::Live;
  void memory(const emulator::Trace& trace, const Live& live, DataEvent& data);
  void product(const Live& live, DataEvent& data);
  void fma(const Live& live, DataEvent& data);
  void note(DataEvent& data, const Element& element);
  void place(DataEvent& data, int k);
  static int k_of(const Element& element);
  int stage_of(uint64_t shared_offset) const;

  const EmulatedGemm& gemm_;
  const InstructionLines& lines_;
  std::vector<TouchedBox> touched_;  // of the event under way

  /// The elements of one factor of an fma, over the lanes: rows of A or columns of B, at one k.
  struct FactorSet {
    int matrix = -1, k = -1;
    std::vector<std::pair<int, int>> outer;  // rows or columns: first, count
    std::vector<TouchedBox> boxes;
  };
  struct Recent {  // a factor's elements as they came, and their set
    std::array<emulator::Origin, 32> origins{};
    int set = -1;
  };
  int set_of(const std::array<emulator::Origin, 32>& origins, uint16_t warp);
  std::vector<FactorSet> sets_;
  static constexpr size_t kRecent = 32;  // of a warp: the factors of a thread tile
  std::map<uint16_t, std::pair<std::array<Recent, kRecent>, size_t>> recent_;
  std::map<std::pair<uint16_t, int>, int> stages_;  // warp, slice → stage it was last read from
};

/// Fewer boxes that cover the same elements.
void merge_boxes(std::vector<TouchedBox>& boxes);

}  // namespace tilescope::worker

// Follows data through a traced CTA: which element of A, B or C each instruction moves or uses. All
// of it is found from addresses that were executed, in the order in which they were: global address
// → element, shared address → what was last copied there, register → what was last loaded into it.
// Nothing here knows core/layout's maps.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "worker/engine/emulated_gemm.h"
#include "worker/engine/ptx_flow.h"
#include "worker/messages.h"

namespace tilescope::worker {

/// A matrix element, or nothing (zero-fill, never written): matrix + 1 in the top bits, then the
/// index.
class Element {
 public:
  Element() = default;
  Element(int matrix, uint64_t index) : bits_(static_cast<uint64_t>(matrix + 1) << 60 | index) {}
  explicit operator bool() const { return bits_ != 0; }
  int matrix() const { return static_cast<int>(bits_ >> 60) - 1; }
  uint64_t index() const { return bits_ & ((uint64_t{1} << 60) - 1); }

 private:
  uint64_t bits_ = 0;
};

/// One warp instruction of the trace, with what it moves.
struct DataEvent {
  const emulator::Event* raw = nullptr;
  const PtxFlow::Instruction* instruction = nullptr;
  bool shared = false;
  int8_t matrix = -1;
  int k_step = -1, stage = -1;
  uint32_t elements = 0;
  // mma: first row of its A and column of its B in the matrices, first k; −1 = unknown (all
  // padding).
  int mma_row = -1, mma_col = -1, mma_k = -1;
};

class DataFollower {
 public:
  DataFollower(const EmulatedGemm& gemm, const PtxFlow& flow, const emulator::Trace& trace);

  /// Events in the trace's order, each once.
  DataEvent follow(const emulator::Event& event);

  static constexpr int kParts = 2;  // elements that a register may hold
  /// What lies at a shared byte offset, or in a lane's part of a register, after the last event.
  Element shared_element(uint64_t offset) const;
  Element register_element(uint32_t warp, int reg, int lane, int part) const;
  /// Row and column in its matrix.
  Coord coord(Element element) const;

 private:
  using Elements = std::array<std::array<Element, kParts>, 32>;  // by lane
  struct Value {
    Elements elements;
    int stage = -1;
  };
  using Register = std::shared_ptr<const Value>;
  struct Warp {
    std::vector<Register> registers;
    int last_line = 0;
    int64_t next_index = 0;
  };

  void move(Warp& warp, const PtxFlow::Instruction& instruction);
  void copy(const emulator::Event& event, DataEvent& data);
  void load(const emulator::Event& event, DataEvent& data, Warp& warp);
  void store(const emulator::Event& event, DataEvent& data, Warp& warp);
  void mma(DataEvent& data, const Warp& warp);
  void fma(DataEvent& data, Warp& warp);
  void note(DataEvent& data, Element element) const;

  const std::array<uint64_t, 32>* addresses(int32_t slot) const;
  Element global_element(uint64_t address) const;
  void set_shared(uint64_t offset, Element element);
  int k_of(Element element) const;
  int stage_of(uint64_t shared_offset) const;

  const EmulatedGemm& gemm_;
  const PtxFlow& flow_;
  const emulator::Trace& trace_;
  const int granule_;            // bytes of an element of A and B
  std::vector<Element> shared_;  // by granule
  std::vector<Warp> warps_;
};

}  // namespace tilescope::worker

// Who stores which elements of one buffer, CTA by CTA, as a run goes over them.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/emulator.h"
#include "worker/engine/emulate/launch_matrices.h"
#include "worker/messages/messages_stores.h"

namespace tilescope::worker {

/// Of a CTA; a kernel that scatters has more and is told in part.
inline constexpr size_t kMostStoreBoxes = 256;
/// Elements of a CTA whose threads are told.
inline constexpr size_t kMostThreadsTold = 256 * 256;

class StoreWatch final : public emulator::AccessWatch {
 public:
  /// `threads_of`: the CTA whose threads are to be told, too.
  StoreWatch(LaunchMatrix matrix, std::optional<BlockIndex> threads_of)
      : matrix_(std::move(matrix)), threads_of_(threads_of) {}

  bool see(const emulator::MemoryAccess& access) override;
  /// What a CTA has stored so far, as disjoint boxes: rows with the same runs become one.
  CtaStores stores_of(const BlockIndex& cta);
  /// The thread, 32 · warp + lane, that stored an element last; −1: none. Only of the CTA whose
  /// threads are told.
  int thread_at(Coord at) const;
  /// That CTA stores more elements than are told.
  bool threads_cut() const { return cut_; }

 private:
  /// Elements [first, end) in the order of the memory.
  using Run = std::pair<uint64_t, uint64_t>;
  struct Stored {
    std::vector<Run> runs;
    size_t joined = 0;  // of them, that are sorted and apart
  };
  static void join(Stored& stored);
  static uint64_t key_of(const BlockIndex& cta);

  LaunchMatrix matrix_;
  std::optional<BlockIndex> threads_of_;
  std::unordered_map<uint64_t, Stored> stored_;  // by CTA
  Stored* last_ = nullptr;
  uint64_t last_key_ = 0;
  std::unordered_map<uint64_t, int> threads_;  // by element
  bool cut_ = false;
};

}  // namespace tilescope::worker

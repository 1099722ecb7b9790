// Writes down every access of a run to global and shared memory, in little room: lanes' addresses
// mostly lie to each other as they did before, so they are kept once.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/emulator.h"
#include "worker/messages/messages_accesses.h"

namespace tilescope::worker {

class AccessLog final : public emulator::AccessWatch {
 public:
  /// `alone`: the CTA to be written down, of those that run; else all of a grid. `most`: records
  /// and patterns, at most kMostAccesses and kMostAccessPatterns.
  AccessLog(std::optional<emulator::Dim3> alone, emulator::Dim3 grid, uint32_t most = kMostAccesses,
            uint32_t most_patterns = kMostAccessPatterns);

  bool see(const emulator::MemoryAccess& access) override;
  /// There was more than it may hold, and the run was ended there.
  bool is_full() const { return full_; }
  /// Puts patterns, instructions (their PTX lines alone), records and moments into an answer. Once.
  void give(AccessAnswer& answer);

 private:
  uint32_t pattern_of(const emulator::MemoryAccess& access);
  emulator::AccessCost cost(const emulator::MemoryAccess& access, uint32_t pattern);
  uint32_t instruction_of(int ptx_line);
  void note_epoch(const emulator::MemoryAccess& access, uint32_t cta);

  std::optional<emulator::Dim3> alone_;
  emulator::Dim3 grid_;
  uint32_t most_, most_patterns_;
  bool full_ = false;
  std::vector<AccessRecord> records_;  // `moment`: within the epoch
  std::vector<AccessPattern> patterns_;
  std::unordered_map<uint64_t, uint32_t> found_;              // by hash
  std::unordered_map<uint64_t, emulator::AccessCost> costs_;  // by pattern and place
  std::vector<int> lines_;                                    // of instructions
  std::unordered_map<int, uint32_t> instructions_;            // by PTX line
  /// By CTA and epoch: moments that its warps take at most.
  std::unordered_map<uint32_t, std::vector<uint32_t>> epochs_;
};

}  // namespace tilescope::worker

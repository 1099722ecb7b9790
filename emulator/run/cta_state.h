// All that decides how a CTA goes on, except for its registers and its memory. It can be copied, so
// that a stepped run can be put back to where it was.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/emulator.h"
#include "emulator/run/look_ahead.h"
#include "emulator/run/loop_counter.h"
#include "emulator/stepper.h"

namespace tilescope::emulator {

/// Split::barrier of a warp that waits for the rest of its warpgroup.
inline constexpr uint32_t kWarpgroup = ~0u;
/// And of one that waits for the other CTAs of its cluster.
inline constexpr uint32_t kClusterBarrier = ~0u - 1;

struct Barrier {
  std::vector<uint32_t> arrived;    // lanes, by warp
  uint32_t expected = 0xffffffffu;  // threads; all ones = the whole CTA
  uint32_t yes = 0, votes = 0;      // bar.red: predicates that hold, lanes that voted
  bool used = false;
};

/// Where a stepped CTA stands inside of a block, between two of its instructions.
struct Position {
  bool inside = false;
  bool alone = false;  // no other lanes of the warp could run when the split began
  uint32_t block = 0, inst = 0;
  Split split;
};

/// What a warp of a stepped CTA ran last, up to the end of a block.
struct LastBlock {
  uint32_t block = 0xffffffffu, lanes = 0;  // with an instruction of the PTX text
  uint32_t lined = 0xffffffffu;             // with one that has a source line
  uint64_t steps = 0;                       // Warp::steps when `block` had been run
};

class CtaState {
 public:
  /// What a copy takes, about.
  uint64_t bytes() const {
    uint64_t sum = sizeof *this + predicates_.size() * 4 + output_.size() + circle_.state.size();
    for (const Warp& w : warps_) {
      sum += sizeof w + w.splits.size() * sizeof(Split) + w.polls.size() * sizeof(Poll);
      for (const auto& lane : w.calls) sum += sizeof(std::vector<uint64_t>) + lane.size() * 8;
    }
    for (const auto& copies : copies_) {
      sum += sizeof(std::vector<StepCopies>) + copies.size() * sizeof(StepCopies);
    }
    return sum;
  }

 protected:
  Dim3 cta_;
  Peer peer_;                  // as the other CTAs of its cluster see it
  uint64_t seen_touched_ = 0;  // peer_.touched when its last round ended
  uint64_t clock_ = 0;         // the context's, where the state was copied
  std::vector<Warp> warps_;
  std::vector<Barrier> barriers_;
  std::vector<uint32_t> predicates_;
  std::string output_;
  uint32_t current_ = 0;  // warp
  uint64_t work_ = 0, next_check_ = 0, reported_ = 0;
  uint64_t turn_end_ = 0, round_begin_ = 0;
  uint64_t patience_ = 0, hold_ = 0;  // see CtaRunner::pick()
  bool progress_ = false;
  uint32_t rounds_in_vain_ = 0;  // see cta_mbarrier.cpp
  bool pass_in_vain_ = false;    // of the pass over the warps under way
  uint64_t turn_steps_ = 0;      // of the warp, before its turn under way
  bool end_turn_ = false;
  // Of CTAs that may wait.
  bool moved_ = false, tired_ = false, wrote_ = false, stopped_ = false;
  bool passing_ = false;    // see CtaRunner::pick()
  std::vector<Poll> seen_;  // under way
  Circle circle_;
  // Of stepped CTAs.
  Position position_;
  std::optional<LoopCounter> loops_;
  std::vector<LastBlock> last_;                  // by warp
  uint32_t writers_grain_ = 0;                   // where the state was copied
  std::vector<std::vector<StepCopies>> copies_;  // by warp; without source lines
};

}  // namespace tilescope::emulator

// Stop conditions as what a run can look at: a mark on each instruction that may fit, and the rest
// of the question when a warp comes to one.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/run/cta.h"
#include "emulator/stepper.h"

namespace tilescope::emulator {

/// The source line of a PTX line (see Stepper::Options::source_file).
class LinesTold {
 public:
  LinesTold(const Program& program, std::string file) : program_(program), file_(std::move(file)) {}
  SourceLine of(int ptx_line) const;

 private:
  const Program& program_;
  std::string file_;
};

class Conditions {
 public:
  Conditions(const RunState& state, const LinesTold& lines);
  /// What is wrong with one, one sentence, or an empty one.
  std::string refuses(const StopCondition& condition) const;
  /// The conditions asked about from now on; none must be refused.
  void set(std::span<const StopCondition> conditions);
  /// By instruction: Stepping::kAsked and kObserved where a condition needs it, and kLined.
  uint8_t flags(uint32_t inst) const {
    return static_cast<uint8_t>((flags_.empty() ? 0 : flags_[inst]) |
                                (lines_[inst] >= 0 ? Stepping::kLined : 0));
  }
  /// Whether one holds before an instruction, as far as that shows before it runs.
  bool hold(const CtaRunner& cta, uint32_t inst, uint32_t active) const;
  /// Whether one holds of an access that the instruction under way makes. `addresses` of the lanes.
  /// `memory`: whose shared memory it is, of an access to that; else `cta` itself.
  bool hold_of_access(const CtaRunner& cta, const CtaRunner& memory, uint32_t inst, Space space,
                      bool reads, bool writes, uint32_t lanes, const uint64_t* addresses,
                      uint32_t bytes) const;

 private:
  bool may_hold(const StopCondition& c, uint32_t inst) const;
  bool holds(const StopCondition& c, const CtaRunner& cta, uint32_t inst, uint32_t active) const;
  bool begins_line(const CtaRunner& cta, uint32_t inst) const;
  bool writes(uint32_t inst, const std::string& name) const;
  bool is_shown(uint32_t inst) const;
  int line_id(uint32_t inst) const { return lines_[inst]; }
  const Row& row(uint32_t inst) const {
    return *state_.rows.rows[state_.entry->code.instructions[inst].row];
  }

  const RunState& state_;
  std::vector<int> lines_;              // by instruction: the number of its source line, -1 = none
  std::vector<SourceLine> lines_text_;  // by that number
  std::vector<int> last_line_;          // by block: of its last instruction of the text
  std::vector<bool> begins_k_step_;     // by instruction
  std::vector<uint32_t> block_of_;      // by instruction
  std::vector<StopCondition> now_;
  std::vector<uint8_t> flags_;
};

}  // namespace tilescope::emulator

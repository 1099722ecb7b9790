// The kernel's PTX as a trace needs it: which registers an instruction reads and writes, and what
// lies between two instructions that ran one after the other. With it, data is followed through
// registers: from the load that brought it to the mma or store that uses it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilescope::worker {

class PtxFlow {
 public:
  /// `ptx` must outlive the object.
  PtxFlow(std::string_view ptx, std::string_view entry);

  struct Instruction {
    int line = 0;                            // of the PTX, 1-based
    std::string_view opcode;                 // "ldmatrix.sync.aligned.m8n8.x4.shared.b16"
    std::vector<std::vector<int>> operands;  // registers of each operand, in order; dest first
    int target = -1;                         // of a branch: label
    bool conditional = false;                // guarded
    bool is_branch = false, is_exit = false;

    /// True if the whole opcode begins with these modifiers ("ld.shared").
    bool is(std::string_view prefix) const { return opcode.starts_with(prefix); }
    const std::vector<int>& operand(size_t i) const;
  };
  /// nullptr if no instruction of the entry stands on that line.
  const Instruction* at_line(int ptx_line) const;
  int registers() const { return static_cast<int>(names_.size()); }

  /// Lines that make events. Must be said before between() is asked.
  void set_event_lines(const std::vector<int>& ptx_lines);
  /// The instructions that ran after the one on `from` and before the one on `to`, none of which
  /// makes events. Empty if no way leads there.
  const std::vector<const Instruction*>& between(int from, int to) const;

 private:
  void add_statement(std::string_view statement, int line);
  std::vector<int> registers_of(std::string_view operand);

  std::unordered_map<std::string_view, int> names_, labels_;
  std::vector<int> label_at_;  // label → index of the instruction after it
  std::vector<Instruction> code_;
  std::vector<bool> makes_event_;
  std::unordered_map<int, int> index_of_line_;
  mutable std::map<std::pair<int, int>, std::vector<const Instruction*>> between_;
};

}  // namespace tilescope::worker

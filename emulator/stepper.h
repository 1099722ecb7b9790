// Steps a launch forward and backward, one warp instruction at a time. The state at a tick is found
// by running from the checkpoint before it, so it is a function of the tick alone: n steps forward
// and n back is where one was, and every way to a tick ends in the same bits.
//
//   auto program = Program::parse(ptx, Registers::kept);
//   auto stepper = Stepper::start(program, "entry", launch, std::move(memory));  // or why not
//   stepper->find(Stepper::Direction::forward, {StopCondition::at_ptx_line(54)});
//   StepState state = stepper->state();
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "emulator/emulator.h"

namespace tilescope::emulator {

/// Where a stepped run stands: before an instruction, or at its end.
struct StepPlace {
  /// Warp instructions of the run before this one, in the order in which they run. Some numbers
  /// have no instruction of the PTX text; no place has them.
  uint64_t tick = 0;
  Dim3 cta{0, 0, 0};
  uint32_t warp = 0;
  uint64_t step = 0;    // of the warp, as Event::step
  uint32_t active = 0;  // lanes that will run it: those at this place whose guard holds
  int ptx_line = 0;     // 0 = at an end without a fault
  SourceLine source;
  std::string opcode;
  uint32_t epoch = 0;                 // barriers that the warp has passed
  int32_t loop = -1, iteration = -1;  // as Event::loop
  bool ended = false;                 // nothing runs behind this
  std::optional<Fault> fault;         // which has ended the run
};

/// Lanes of a warp that stand at the same place.
struct StepSplit {
  enum class Status : uint8_t {
    next,                 // their instruction is the next to run
    ready,                // they wait for their turn
    at_barrier,           // `barrier`
    waits_for_lanes,      // that the .sync before them names
    waits_for_memory,     // for another CTA to change what `StepWarp::polls` looks at
    waits_for_warpgroup,  // to commit as many groups of wgmma
    waits_for_cluster,    // at its barrier
  } status = Status::ready;
  uint32_t lanes = 0;
  int ptx_line = 0;  // of the instruction that they run next
  SourceLine source;
  uint32_t barrier = 0;
};
const char* status_name(StepSplit::Status);

/// What a warp looks at while it waits for another CTA.
struct StepPoll {
  uint32_t lane = 0, bytes = 0;
  int ptx_line = 0;
  uint64_t address = 0, value = 0;
};

/// cp.async of a warp that it has not waited for: a group, or the copies since the last commit.
struct StepCopies {
  bool committed = false;
  uint32_t copies = 0;  // warp instructions
  uint64_t bytes = 0;   // of all their lanes
  int ptx_line = 0;     // of the commit, or of the last copy
  SourceLine source;
  uint64_t step = 0;  // of that instruction
};

struct StepWarp {
  uint32_t alive = 0;             // lanes that have not ended
  std::vector<StepSplit> splits;  // none = the warp has ended
  std::vector<StepPoll> polls;
  uint64_t steps = 0;
  uint32_t epoch = 0;
  int32_t loop = -1, iteration = -1;
  std::array<uint32_t, 32> pending_groups{};  // cp.async groups committed and not waited for
  std::vector<StepCopies> copies;  // the oldest group first; as many groups as a lane has at most
  int ran_ptx_line = 0;            // the instruction that it ran last, 0 = none
  uint32_t ran_lanes = 0;
  uint64_t ran_step = 0;  // of that instruction
};

struct StepBarrier {
  uint32_t id = 0;
  uint32_t expected = 0;          // threads; 0 = all of the CTA
  std::vector<uint32_t> arrived;  // lanes, by warp
};

/// A register as the PTX text names it. Its values are words of StepRegisters from `first` on: of a
/// predicate one mask, of up to 32 bits one word a lane, of 64 bits two, the low one first.
struct StepRegister {
  std::string name;
  uint32_t function = 0;  // 0 = the entry's own; else which inlined copy of a function
  uint8_t bits = 32;      // 1 = predicate
  uint32_t first = 0;
  uint32_t changed = 0;  // lanes in which the warp's last instruction has written it
  bool is_live = false;  // some lane may still read this value
};
struct StepRegisters {
  uint32_t warp = 0;
  std::vector<StepRegister> registers;
  std::vector<uint32_t> words;
};

/// Bytes of global memory from a device address on.
struct StepBytes {
  uint64_t address = 0;
  std::vector<std::byte> bytes;
};

/// What the next instruction reads or writes, as it is seen when it runs. Some make several of
/// these: cp.async has one of each memory. Local memory is not told.
struct StepAccess {
  bool shared = false;  // else global memory
  bool reads = false, writes = false;
  uint32_t lanes = 0;
  uint32_t bytes = 0;                    // per lane
  std::array<uint64_t, 32> addresses{};  // of `lanes`: bytes of shared memory, device addresses
};

/// Who wrote a byte of shared memory last: cp.async when it was issued, stmatrix by the lane that
/// held the value.
struct StepWriter {
  uint32_t warp = 0, lane = 0;
  int ptx_line = 0;
  uint64_t step = 0;  // of the warp, as Event::step
  bool operator==(const StepWriter&) const = default;
};
/// Of all of a CTA's shared memory, a word for so many bytes that one lane has always written
/// together.
struct StepWriters {
  uint32_t grain = 0;             // bytes; 0: not asked for
  std::vector<uint64_t> entries;  // 0: nobody has written there
  struct Line {
    int ptx_line = 0;
    SourceLine source;
  };
  std::vector<Line> lines;  // of the writers, ascending
  static uint64_t packed(const StepWriter& w) {
    constexpr uint64_t kMostSteps = 0xffffffffu, kMostLines = (1u << 22) - 1;
    const auto line = static_cast<uint64_t>(w.ptx_line);
    return (w.step < kMostSteps ? w.step : kMostSteps) | uint64_t{w.lane & 31} << 32 |
           uint64_t{w.warp & 31} << 37 | (line < kMostLines ? line : kMostLines) << 42;
  }
  std::optional<StepWriter> at(uint64_t byte) const {
    const uint64_t i = grain ? byte / grain : 0;
    if (grain == 0 || i >= entries.size() || entries[i] == 0) return std::nullopt;
    const uint64_t e = entries[i];
    return StepWriter{static_cast<uint32_t>(e >> 37 & 31), static_cast<uint32_t>(e >> 32 & 31),
                      static_cast<int>(e >> 42), e & 0xffffffffu};
  }
  SourceLine source(int ptx_line) const {
    for (const Line& line : lines) {
      if (line.ptx_line == ptx_line) return line.source;
    }
    return {};
  }
};

/// What of a state is wanted; places, warps and barriers always are.
struct StepParts {
  std::optional<Dim3> cta;                     // one of StepState::residents; without: the place's
  std::optional<std::vector<uint32_t>> warps;  // whose registers; without: the place's warp
  bool all_warps = false;
  bool live_only = false;  // only registers that some lane may still read, or has just written
  bool shared = true;
  bool writers = false;  // of shared memory
  bool local = false;    // of the warps above, lane by lane
  bool output = true;
  std::vector<std::pair<uint64_t, uint64_t>> global;  // (device address, bytes)
  bool written_pages = false;  // of global memory, all that the run has written so far
  bool accesses = false;       // of the next instruction, which is run for it and taken back
};

struct StepState {
  StepPlace place;
  struct Resident {
    Dim3 cta{0, 0, 0};
    bool waits = false;  // for other CTAs
  };
  std::vector<Resident> residents;  // CTAs that have begun and not ended, in their order
  uint64_t ctas_ended = 0;
  Dim3 cta{0, 0, 0};  // of the rest
  std::vector<StepWarp> warps;
  std::vector<StepBarrier> barriers;  // at which somebody has arrived
  std::vector<StepRegisters> registers;
  std::vector<std::byte> shared;
  StepWriters writers;
  std::vector<std::byte> local;
  std::vector<StepBytes> global;
  std::string output;                // of all CTAs so far
  std::vector<StepAccess> accesses;  // of the next instruction
};

/// What the checks have found up to a place.
struct StepFindings {
  std::vector<Finding> found;  // errors, no remarks; in the order of RunResult::findings
  uint64_t later = 0;          // that the run comes to behind this place
  bool cut_short = false;      // the checks ended at their limit: there may be more
};

/// Where to stop: before an instruction that fits all that is given.
struct StopCondition {
  enum class Kind : uint8_t {
    instruction,      // any
    new_line,         // the first of a source line, of a warp that ran another line before
    ptx_line,         // `line`
    source_line,      // `line` of `file` (empty = any file)
    event,            // `event`; without it any that a trace records, fma too
    k_step,           // the first of an iteration of an outermost loop, of `iteration` if given
    moment,           // the first from `step` of its warp on
    cta_end,          // after it no lane of its CTA is left
    writes_register,  // `name`, in `lane` if given
    access,           // of `bytes` bytes from `address` on, by the active lanes
  } kind = Kind::instruction;
  std::optional<Dim3> cta = {};
  std::optional<uint32_t> warp = {};
  int line = 0;  // of an access: only by this PTX line, 0 = any
  std::string file = {};
  std::optional<EventKind> event = {};
  std::optional<uint32_t> iteration = {};
  uint64_t step = 0;
  std::string name = {};
  std::optional<uint32_t> lane = {};
  bool shared = false;  // else global memory
  uint64_t address = 0, bytes = 1;
  bool reads = true, writes = true;
};

class Stepper {
 public:
  struct Options {
    /// As RunOptions::ctas: empty = the whole grid in the order of launch. A chosen CTA runs
    /// without those before it, so global memory holds what it had before the launch and what this
    /// CTA has written; where it waits for others, they are taken along as far as needed.
    std::vector<Dim3> ctas;
    uint64_t resident = 0;  // as RunOptions::resident
    int sums_of = 0;        // as RunOptions::sums_of
    /// Whose lines are told: of what is inlined the innermost that is in this file, as `.file`
    /// names it. Empty = where all of it was inlined into, as Program::source_line.
    std::string source_file = {};
    uint64_t max_warp_instructions = 0;       // of the run, 0 = no limit
    uint64_t checkpoint_bytes = 192 << 20;    // for all that is kept
    uint64_t checkpoint_interval = 1u << 14;  // least warp instructions from one to the next
  };
  /// `program` must have been parsed with Registers::kept. The sentence says why it cannot run.
  static std::variant<std::unique_ptr<Stepper>, std::string> start(
      std::shared_ptr<const Program> program, std::string_view entry, Launch launch, Memory memory,
      Options options);
  ~Stepper();

  /// To the first place whose tick is this one or above, or the end of the run.
  StepPlace go_to(uint64_t tick);
  enum class Direction : uint8_t { forward, backward };
  /// To the nearest place, not the present one, at which one of the conditions holds. Without one
  /// the run is at its end (forward), or stays (backward), and nothing comes back. An instruction
  /// that reads or writes what a condition names has not run at such a place: it is the next.
  std::optional<StepPlace> find(Direction direction, std::span<const StopCondition> conditions);
  /// What is wrong with a condition, one sentence, or an empty one.
  std::string refuses(const StopCondition& condition) const;
  StepPlace place() const;
  /// Throws std::out_of_range, with a sentence, for what is not there.
  StepState state(const StepParts& parts = {}) const;

  /// The first time the launch is run once more for it, with the checks. Throws Cancelled.
  StepFindings findings();

  const Program& program() const;
  const Memory& memory() const;  // names and sizes of buffers
  uint64_t checkpoints() const;
  uint64_t checkpoint_bytes() const;
  /// From now on: true ends what runs. go_to and find then throw Cancelled, and the stepper stays
  /// usable.
  struct Cancelled {};
  void cancel_by(const std::atomic<bool>* cancel);

 private:
  class Impl;
  explicit Stepper(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilescope::emulator

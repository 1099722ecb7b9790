// Executes PTX on the CPU: the second witness of what a kernel does.
//
// Includes nothing of core/layout on purpose: every address, fragment and count that comes out of
// here is found by running the kernel's own PTX, so comparing it with core/layout proves something.
//
//   auto program = Program::parse(ptx_text);             // or Errors, before anything runs
//   Memory memory; auto a = memory.allocate("A", bytes);  // 64-bit device addresses
//   Launch launch{...}; RunResult r = run(*program, "entry", launch, memory, options);
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/fault.h"

namespace tilescope::emulator {

/// One thing wrong with a PTX text (unknown instruction, syntax), found before the run.
struct ParseError {
  int ptx_line = 0;         // 1-based
  std::string message;      // one sentence that names the instruction and the line
  std::string opcode = {};  // of an instruction that is not known; else empty
};

/// One parameter of an entry, in order. `offset` is its place in the parameter block.
struct Parameter {
  std::string name;
  uint32_t offset = 0, bytes = 0, align = 1;
  std::string type = {};  // as the PTX has it: ".f32"; of a struct ".b8"
};

struct EntryInfo {
  std::string name;
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t max_threads = 0;          // .maxntid or .reqntid product, 0 = not given
  Dim3 required_block{0, 0, 0};      // .reqntid, 0 = not given
  Dim3 most_block{0, 0, 0};          // .maxntid or .reqntid, 0 = not given
  Dim3 required_cluster{0, 0, 0};    // .reqnctapercluster, 0 = not given
  uint32_t most_cluster = 0;         // .maxclusterrank, 0 = not given
  bool explicit_cluster = false;     // .explicitcluster: a launch must give the size
  bool blocks_are_clusters = false;  // .blocksareclusters
  bool dynamic_shared = false;       // the module has a shared array whose size the launch gives
  uint32_t virtual_registers = 0;
  uint32_t instructions = 0;
};

/// An instruction as the PTX has it: opcode with all modifiers, and the registers of each operand
/// (a vector in braces is one operand), results first; immediates have none.
struct Instruction {
  int ptx_line = 0;
  std::string opcode;
  std::vector<std::vector<std::string>> operands;
};

/// Where a program's registers lie while it runs. `packed`: those that are never alive at once
/// share a place. `kept`: each has a place of its own and holds its last value to the end, as a
/// Stepper (emulator/stepper.h) needs it; runs are slower and take more memory, with equal results.
enum class Registers : uint8_t { packed, kept };

/// A decoded PTX module. Immutable once parsed; may be run from several threads at once.
class Program {
 public:
  struct Impl;
  static std::variant<std::shared_ptr<const Program>, std::vector<ParseError>> parse(
      std::string_view ptx, Registers registers = Registers::packed);
  /// The same, but also a program where no entry can be run, if only its text can be read: for who
  /// wants to know what the entries take, and all that is in the way.
  static std::variant<std::shared_ptr<const Program>, std::vector<ParseError>> read(
      std::string_view ptx);
  explicit Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::vector<EntryInfo> entries() const;
  const EntryInfo* find(std::string_view entry) const;  // nullptr if there is none
  /// Why the entry cannot be run: all that is wrong with it (at most 100), by PTX lines; empty: it
  /// can be run, or there is none.
  std::vector<ParseError> errors_of(std::string_view entry) const;
  /// Of the entry itself and what was inlined into it, in the order of their lines; without
  /// branches, barriers and calls.
  std::vector<Instruction> instructions(std::string_view entry) const;
  /// Innermost user source line of a PTX line (inlined_at chains followed to the file that is not
  /// inlined into another, and `innermost` the other end of the chain).
  SourceLine source_line(int ptx_line) const;
  SourceLine innermost_line(int ptx_line) const;
  /// The whole chain, innermost first: [function inlined last, …, the entry's own line].
  std::vector<SourceLine> source_chain(int ptx_line) const;
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Device memory: each buffer gets an address range of its own (2^40 apart), so an access out of
/// bounds never hits a neighbour. Addresses are 512-byte aligned. Index = order of allocation.
class Memory {
 public:
  Memory();
  ~Memory();
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;
  /// Zero-filled. `read_only` makes a store a fault. Throws std::bad_alloc above 4094 buffers or
  /// 2^40 bytes, or without memory.
  uint64_t allocate(std::string name, uint64_t bytes, bool read_only = false);
  std::span<std::byte> bytes(uint64_t address);  // whole buffer, empty if none
  std::span<const std::byte> bytes(uint64_t address) const;
  struct Location {
    int buffer = -1;      // index, -1 = none
    uint64_t offset = 0;  // bytes
  };
  Location locate(uint64_t address) const;
  const std::string& name(int buffer) const;  // empty if there is none
  /// The same buffers with the same contents.
  Memory copy() const;
  /// Makes all of a buffer zero again; what nobody has touched costs neither time nor memory.
  void zero(uint64_t address);
  /// A checked run reports reads of what no kernel has written of this buffer.
  void expect_written_first(uint64_t address);
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

struct Launch {
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  // the parameter block, as the driver API would pass it
  Dim3 cluster{0, 0, 0};  // CTAs of a cluster; 0 = not given: as the kernel says, or one
};

/// Requests: warp instructions that touch memory. Sectors: distinct 32-byte blocks over the active
/// lanes, per request. Bytes: asked by lanes.
struct GlobalCounts {
  uint64_t requests = 0, sectors = 0, bytes = 0;
};
/// Wavefronts by the rules of docs/model.md, "What a plan moves" (32 banks of 4 bytes); conflicts =
/// wavefronts − ideal. The shared-memory side of cp.async is kept apart (`shared_copy`), since
/// hardware does not count it the same way.
struct SharedCounts {
  uint64_t requests = 0, wavefronts = 0, ideal = 0, bytes = 0;
  uint64_t conflicts() const { return wavefronts - ideal; }
};
struct LineCounts {  // one PTX line
  int ptx_line = 0;
  uint64_t warp_instructions = 0, lane_instructions = 0;
  uint64_t sectors = 0, wavefronts = 0, ideal_wavefronts = 0;
};
/// A barrier counts once per CTA, when it completes; bar.sync in by_opcode counts warps. A branch
/// or barrier counts all lanes that reach it, any other guarded instruction those that its guard
/// leaves on. Constant, parameter and local memory count as neither global nor shared. Nor do
/// atomics, which the hardware counts apart, but `lines` has their sectors and wavefronts. After a
/// fault, the counts are those of what ran. A round of a loop that reads global memory and changes
/// nothing is a CTA waiting for another one. How many such rounds there are depends on timing, so
/// they are counted in `polls` and `poll_instructions` (of warps) alone; all other counts are those
/// of a CTA that never has to wait.
struct Counts {
  uint64_t ctas = 0, warp_instructions = 0, lane_instructions = 0, mma = 0, barriers = 0;
  uint64_t polls = 0, poll_instructions = 0;
  std::map<std::string, uint64_t> by_opcode;  // full opcode with modifiers → warp instructions
  GlobalCounts global_load, global_store;     // loads include cp.async's global side
  GlobalCounts bulk_load, bulk_store;         // of bulk copies, which no L1 sees
  SharedCounts shared_load, shared_store, shared_copy;  // load includes ldmatrix; copy: cp.async
  // What is read past threads: by matrix products (a warp its rows of A, the first warp of four B),
  // and by bulk stores.
  SharedCounts shared_product;
  std::vector<LineCounts> lines;  // only lines that ran, ascending
  Counts& operator+=(const Counts&);
  Counts scaled(uint64_t times) const;  // for CTA classes
};

enum class EventKind : uint8_t {
  copy,
  wait,
  barrier,
  load_global,
  load_shared,
  store_shared,
  store_global,
  fma,
  mma,
  other
};

/// One warp instruction of the traced CTA, in the emulator's order.
struct Event {
  uint32_t epoch = 0;  // barriers and phases of mbarriers that this warp has waited for
  uint32_t index = 0;  // among this warp's recorded instructions since the CTA began, all kinds
  uint16_t warp = 0;
  EventKind kind = EventKind::other;
  uint8_t bytes = 0;    // per lane, for memory events (16 for ldmatrix rows)
  uint32_t active = 0;  // lane mask
  int ptx_line = 0;
  int32_t address_slot = -1;    // into Trace::addresses, -1 = none
  int32_t address_slot2 = -1;   // cp.async: global in address_slot, shared in address_slot2
  uint64_t step = 0;            // warp instructions that this warp ran before, recorded or not
  uint16_t pending_groups = 0;  // cp.async groups this warp has committed and not yet waited for
  // Where the first active lane is: in which outermost loop (an index into Trace::loops) and in
  // which iteration of it; −1 outside of all loops. A called function is where its caller is.
  int32_t loop = -1, iteration = -1;
};

/// An outermost loop of the entry itself or of what was inlined into it.
struct TraceLoop {
  int ptx_line = 0;         // of the first instruction of an iteration
  uint32_t iterations = 0;  // of the lane that went around most often
  uint64_t events = 0;      // of all warps, recorded or not
};

class Provenance;  // emulator/provenance.h

struct TraceClock {  // what a filter may look at
  uint32_t epoch, warp, event_index;
};
struct Trace {
  Dim3 cta{0, 0, 0};
  uint32_t warps = 0;
  std::vector<Event> events;  // recorded ones only
  // global: device address; shared: byte offset, of another CTA of the cluster with its rank + 1
  // from bit 24 on
  std::vector<std::array<uint64_t, 32>> addresses;
  std::vector<uint32_t> events_in_warp;  // how many ran, recorded or not
  std::vector<uint32_t> epochs_in_warp;
  std::vector<TraceLoop> loops;  // in the order in which they are reached
  bool truncated = false;        // max_events was hit
};
/// Which events are kept, where that is known before the run: ranges [first, end) of epochs, or
/// else of each warp's event indices, ascending and disjoint. What lies outside of them runs as
/// fast as without a trace, which it would not if a function had to be asked about each event.
struct TraceRanges {
  using Ranges = std::vector<std::pair<uint32_t, uint32_t>>;
  bool by_epoch = true;
  Ranges kept;
  /// If given, used in place of `kept`: which iterations of each loop of Trace::loops are kept.
  /// Events outside of loops are then all kept.
  std::optional<std::vector<Ranges>> iterations = {};
};
struct TraceOptions {
  Dim3 cta{0, 0, 0};                  // block index
  std::optional<TraceRanges> ranges;  // empty = all; an event is kept if `keep` wants it, too
  std::function<bool(const TraceClock&)> keep;  // empty = all
  uint32_t keep_last_per_warp = 0;              // events kept at the end, whatever `keep` says
  bool fma = false;                             // also record SIMT fma (many); folded by the caller
  uint32_t max_events = 4'000'000;
  // The CTA ends, without a fault, once each of its warps has come to this epoch, so what it would
  // have written afterwards is missing. Of CTAs that wait for each other, all end then.
  uint32_t end_epoch = 0xffffffffu;
};

/// What a warp instruction asks of global or shared memory, as an AccessWatch sees it. A cp.async
/// is two of them, the second a write to shared memory; a wmma.load or wmma.store one for each run
/// of elements; a bulk copy two for each 32 pieces of 16 bytes or of an element; a wgmma one for
/// each 32 chunks of 16 bytes of A and of B; an atomic one that reads and writes. Local, constant
/// and parameter memory is not among them, nor is what mbarriers do, nor a round of waiting for
/// another CTA.
struct MemoryAccess {
  Dim3 cta{0, 0, 0};
  uint32_t warp = 0;
  uint64_t step = 0;        // of the warp, as Event::step
  uint32_t epoch = 0;       // barriers that the warp has passed,
  uint64_t epoch_step = 0;  // and the step that it came to by the last of them
  int ptx_line = 0;
  bool shared = false;   // else global memory
  Dim3 memory{0, 0, 0};  // of shared memory: whose; `cta` itself, or another one of its cluster
  bool reads = false, writes = false;
  bool product = false;  // of what a wgmma reads by itself
  bool pairs = false;    // of a load whose neighbouring lanes may be served together (cost_of)
  uint32_t lanes = 0;    // mask of those that take part
  uint32_t bytes = 0;    // per lane
  const uint64_t* addresses = nullptr;  // 32: device addresses, or bytes of shared memory
};
struct AccessCost {
  uint32_t cost = 0;   // sectors or wavefronts, as Counts has them
  uint32_t ideal = 0;  // at best: the bytes of all lanes in whole sectors, or a wavefront per phase
};
AccessCost cost_of(const MemoryAccess& access);

class AccessWatch {
 public:
  virtual ~AccessWatch() = default;
  /// In the order in which a CTA runs, on the host thread that runs it. False ends the run, with a
  /// fault of kind `limit`.
  virtual bool see(const MemoryAccess& access) = 0;
};

struct RunOptions {
  /// The CTAs to run; empty = the whole grid. CTAs that these wait for are run, too, as far as
  /// needed.
  std::vector<Dim3> ctas;
  /// If the whole grid is run: how many CTAs there are at a time, as many as the device would hold.
  /// The next one starts when one has ended. 0 = all at once.
  uint64_t resident = 0;
  int threads = 1;                            // host threads over CTAs; results do not depend on it
  uint64_t max_warp_instructions = 0;         // 0 = no limit
  const std::atomic<bool>* cancel = nullptr;  // seen within 50 ms
  std::function<void(uint64_t done, uint64_t all)> progress;  // CTAs; from one thread at a time
  std::optional<TraceOptions> trace;
  /// Looks for what docs/emulator.md lists; all of it is in RunResult::findings, and the first that
  /// is no remark is the run's fault too. An access that is not legal goes nowhere, and the run
  /// goes on.
  bool check = false;
  bool remarks = false;  // findings about speed alone, from the counts; `check` has them too
  int sums_of = 0;       // whose sums products have (emulator/arithmetic.h); 0: IEEE f32
  Provenance* provenance = nullptr;  // filled, if it is there: where every value came from
  AccessWatch* accesses = nullptr;   // sees those of the chosen CTAs and of those taken along
};
struct RunResult {
  Counts counts;                  // of the chosen CTAs
  std::vector<Dim3> taken_along;  // those that ran because a chosen one waited, in that order
  std::optional<Trace> trace;     // there if the traced CTA was among those that ran
  std::optional<Fault> fault;     // of the first CTA, in order, that had one
  /// Of a checked run: faults first, in order of CTAs, but races between lanes of one warp behind
  /// those between warps; then remarks.
  std::vector<Finding> findings;
  double seconds = 0;  // execution alone
  /// What the kernel printed (printf, and the text of a failed assertion): CTA by CTA in their
  /// order, whatever the number of threads; cut off at kMaxOutput bytes per CTA, and in all.
  std::string output;
};
inline constexpr size_t kMaxOutput = 1u << 20;

RunResult run(const Program& program, std::string_view entry, const Launch& launch, Memory& memory,
              const RunOptions& options = {});

/// True if the AVX2/FMA/F16C build of the interpreter is in use; else the portable, slower one.
bool uses_avx2();

}  // namespace tilescope::emulator

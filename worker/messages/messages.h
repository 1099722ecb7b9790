// What app, command line and worker say to each other, as plain structs. The JSON forms live in
// messages_json.cpp alone; field names there are the names here.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/layout/device_limits.h"
#include "core/layout/launch.h"
#include "core/layout/problem.h"
#include "core/layout/tile_config.h"
#include "worker/messages/verification.h"

namespace tilescope::worker {

/// One kernel at one slider position on one problem: what every request is about.
struct KernelRequest {
  std::string kernel;  // id in the ladder
  TileConfig tile;
  Problem problem;
  int sms =
      DeviceLimits().sm_count;  // of the card that it is for: some kernels' grids have so many
  int sums_of = 0;  // of products in the emulator, as emulator::RunOptions has it; 0: IEEE f32
};

/// Where things run: "cuda:0", "emulator", "recorded", "recorded:NAME".
struct DeviceInfo {
  std::string id;
  std::string name;    // "NVIDIA H200", "Emulator (2 threads, AVX2)"
  std::string driver;  // empty for the emulator
  std::string date;    // of a recording, ISO
  DeviceLimits limits;
  double clock_mhz = 0, dram_gb_per_second = 0, l2_bytes = 0;  // of a card; 0 = unknown
  bool available = true;
  std::string why_not;  // one sentence with the fix if !available
};

struct CompileResult {
  std::string ptx;       // also cached by content
  std::string revision;  // hash of the PTX without .loc, .file, comments, debug sections
  std::string arch;      // "sm_90"
  int registers = 0;     // per thread, from the cubin; 0 = unknown
  int spill_bytes = 0;
  double compile_ms = 0;  // cold NVRTC time; that of the first compile if cached
  bool cached = false;
};

/// The emulator's counts of the whole problem. Where `exact` is false some CTAs were counted for
/// others that are not quite alike, and the figures are shown with a ~.
struct CountedTraffic {
  uint64_t ctas = 0, ctas_executed = 0;
  bool exact = true;
  uint64_t warp_instructions = 0, lane_instructions = 0, mma = 0, barriers = 0;
  uint64_t polls = 0;  // rounds of waiting for what another CTA writes; in no other count
  std::map<std::string, uint64_t> by_opcode;
  struct Global {
    uint64_t requests = 0, sectors = 0, bytes = 0;
  } global_load, global_store;
  Global bulk_load = {}, bulk_store = {};  // of bulk copies, which no L1 sees
  struct Shared {
    uint64_t requests = 0, wavefronts = 0, ideal = 0, bytes = 0;
  } shared_load, shared_store, shared_copy;
  Shared shared_product = {};  // what matrix products and bulk stores read
  struct Line {
    int line = 0;
    uint64_t warp_instructions = 0, sectors = 0, wavefronts = 0, ideal = 0;
  };
  std::vector<Line> source_lines;  // of the kernel's own source file; ascending
  std::vector<Line> ptx_lines;     // of the PTX that ran; ascending
};

/// What a check of the emulator found, or remarks on, at a line of the kernel's file.
struct CodeFinding {
  std::string kind;     // "race", "bank_conflict", …
  bool remark = false;  // not wrong, but slow
  uint64_t count = 1;   // lanes, or requests of a remark
  int line = 0;         // of the kernel's .cuh, 0 = none; of any other PTX see `file`
  int ptx_line = 0;
  std::string message;            // one sentence
  std::array<uint32_t, 3> cta{};  // where it was seen first
  uint32_t warp = 0, lane = 0;
  uint64_t cost = 0, ideal = 0;  // of a remark: wavefronts or sectors where it was seen, at best
  /// The file that `line` is of, by its name in the PTX, where it is not LaunchRequest::source.
  std::string file = {};
};

/// What the checks found in one CTA of each class.
struct CheckResult {
  uint64_t ctas = 0;
  int k = 0;             // of the problem that ran: less than asked for if `whole_k` is false
  bool whole_k = false;  // every slice of k
  std::vector<CodeFinding> findings;
};

struct EmulateResult {
  CountedTraffic counted;
  std::optional<Verification> verified;
  double seconds = 0;           // execution alone
  bool whole = false;           // every CTA was executed
  std::string arithmetic = {};  // "products as sm_90 sums them"; empty: it has none
  int threads = 1;
  std::vector<CodeFinding> findings;  // remarks on speed, from the counts
  CheckResult checks;                 // of races and the like; of `check` that of all that ran
};

/// The comparison of some CTAs' tiles of C. Such parts are added up and judged together.
struct VerifiedPart {
  ComparedSums sums = {};
  double tolerance = 0, usual_square = 0;
  std::string arithmetic = {};        // as EmulateResult
  std::vector<CodeFinding> findings;  // why it is wrong
};

/// One folded event of the trace: `count` like warp instructions in a row.
struct TraceEvent {
  uint32_t epoch = 0, index = 0;  // index of the first in its epoch and warp
  uint16_t warp = 0;
  enum class Kind : uint8_t { copy, wait, barrier, load, mma, fma, store } kind{};
  uint32_t count = 1;
  int line = 0;  // of the kernel's .cuh (innermost line in that file)
  int ptx_line = 0;
  // K slice that the data belongs to; without a plan the iteration of the outermost loop; −1 =
  // none.
  int k_step = -1;
  int stage = -1;                // of shared memory, −1 = none
  uint32_t lanes = 0xffffffffu;  // active mask of the first
  int8_t matrix = -1;            // 0 A, 1 B, 2 C; else into TraceResult::buffers; −1 = none
  bool shared = false;           // load/store touches shared memory
  uint32_t elements = 0;         // of the matrix, all of the fold, lanes summed
  int32_t first_raw = -1;        // index into TraceResult::raw of the first of its instructions
  // cp.async: the number of the warp's group that a copy belongs to, and how many of the warp's
  // groups have been waited for when this event has run. Groups that are not recorded count, too.
  int32_t group = -1, groups_done = 0;
  int loop = -1;  // without a plan: into TraceResult::loops
  bool operator==(const TraceEvent&) const = default;
};
/// An outermost loop of a kernel that has no plan.
struct TracedLoop {
  int line = 0, ptx_line = 0;  // of its first instruction; 0 = none
  int iterations = 0;          // of the lane that went around most often
  uint64_t events = 0;         // of all warps, recorded or not
  bool operator==(const TracedLoop&) const = default;
};
/// In RawAccess::address: the lane touches nothing (inactive, or zero-filled by cp.async).
inline constexpr uint64_t kNoAddress = ~uint64_t{0};

/// A rectangle of a matrix: A, B or C as 0, 1, 2.
struct TouchedBox {
  int matrix = 0;
  int row = 0, col = 0, rows = 1, cols = 1;
  bool operator==(const TouchedBox&) const = default;
};

/// One of the warp instructions that a TraceEvent stands for, with its lanes' addresses. Of fma
/// there is one for the whole event.
struct RawAccess {
  std::array<uint64_t, 32> address{};  // global: byte offset in the matrix's buffer; shared: byte
  uint8_t bytes = 0;                   // per lane
  int8_t matrix = -1;
  bool shared = false;
  int32_t shared_partner = -1;  // cp.async: index of the shared side
  // mma: which tile of the warp this is, found from where its fragments came from.
  int16_t mma_m = -1, mma_n = -1, mma_k = -1;
  uint64_t step = 0;                // warp instructions that the warp ran before
  int32_t ptx_line = 0;             // of a fold, each has its own
  std::vector<TouchedBox> touched;  // elements moved or multiplied, as provenance found them
};
struct TraceResult {
  BlockIndex cta = {};
  int item = 0;  // of the CTA's work items: the one that is shown
  Coord tile;    // block tile computed
  int warps = 0, epochs = 0;
  std::vector<TraceEvent> events;  // by epoch, then warp, then index
  // What filled shared memory in epochs before the recorded ones, which are not shown: copies,
  // stores to shared memory and waits, in the same order as `events`, without `raw`.
  std::vector<TraceEvent> lead;
  std::vector<RawAccess> raw;
  std::vector<int> recorded_k_steps;  // k slices in the window
  int k_slices = 0;                   // of the whole tile
  int k_begin = 0, k_end = 0;         // those of the work item
  std::string revision;               // of the PTX that ran
  // Only of a launch without a plan: the lists that `matrix` and `loop` point into. Since nothing
  // is known of tiles then, k slices are iterations of `main_loop`, the loop with most events (−1:
  // the kernel has no loop).
  std::vector<std::string> buffers;
  std::vector<TracedLoop> loops;
  int main_loop = -1;
  bool truncated = false;  // there was more than a trace may hold
};

/// The question where a value came from: which value of a CTA, and at which moment of one of its
/// warps, or at its end.
struct OriginQuestion {
  BlockIndex cta = {};
  // "register": of the instruction on `ptx_line`, or of a name; "shared": what lies there;
  // "element": of C, at the end; "buffer": bytes of a launch's buffer, at the end.
  std::string what = "element";
  // The moment, for register and shared: just after RawAccess::step of the warp, or after
  // `ptx_line` has run for the so many-th time (1 = the first); both 0: at the end.
  int warp = 0;
  uint64_t step = 0, times = 0;
  int ptx_line = 0;
  int operand = 0, index = 0;  // 0 = the result; which register of it
  int k = 0;                   // of an element: run the kernel with this k instead; 0 = as it is
  std::string name;            // "%f12", instead of the two
  int lane = 0, half = -1;     // 0, 1: of a register with two elements
  uint64_t offset = 0;         // byte of shared memory, or of a buffer
  int bytes = 2;
  Coord element;    // row, column of C
  int buffer = -1;  // of a launch of any PTX, in its order
  bool operator==(const OriginQuestion&) const = default;
};
struct OriginResult {
  std::string of;      // "%r271, low half, in lane 17 of warp 2"
  std::string kind;    // none | element | sum | expression | unknown
  std::string text;    // "A[473, 0…63] · B[0…63, 258], 64 products"
  std::string wrong;   // says what is wrong with it, if it cannot belong to A·B; else empty
  int wrong_line = 0;  // the line that read the wrong element; 0 = unknown
  int wrong_ptx_line = 0;
  int followed_k = 0;  // of k, where that is not all of it; 0 = all
  uint64_t terms = 0;  // of a sum: products
  /// The elements of A and B in it, and C's own. Of a launch of any PTX boxes of its buffers, in
  /// their order, those of a GEMM's A, B and C as well.
  std::vector<TouchedBox> boxes;
  struct Step {
    int ptx_line = 0, line = 0;  // of the kernel's .cuh, 0 = none
    std::string opcode;
    bool operator==(const Step&) const = default;
  };
  struct Way {
    std::string of;           // "A", "B", or empty
    std::vector<Step> steps;  // the load first
    bool operator==(const Way&) const = default;
  };
  std::vector<Way> ways;
};

/// Progress of a measurement and its end; all times of one launch, microseconds.
struct MeasureResult {
  std::string device, device_name, driver, date;
  std::string standing;                           // measured | recorded | modelled | emulated
  std::optional<double> tflops, spread, time_us;  // median; spread as fraction of the median
  int samples = 0, samples_planned = 0;
  std::optional<std::string> library;  // "cuBLASLt 13.0"
  std::optional<double> library_tflops;
  // With the L2 as the launch before left it; of long launches from fewer samples.
  std::optional<double> hot_tflops, hot_library_tflops;
  int dropped = 0;  // samples far under the usual clock, which count for nothing
  std::optional<double> clock_mhz, power_w;
  std::string throttle;  // why the card ran slower than it could; empty = it did not, or unknown
  std::optional<int> registers, spill_bytes;
  std::optional<double> compile_ms;
  std::optional<Verification> verified;
  std::optional<CountedTraffic> counted;
  bool older_kernel = false;  // of a recording: the kernel's code has changed since
  bool cold = true;           // L2 flushed before each sample
  bool final = false;         // false in progress messages
};

}  // namespace tilescope::worker

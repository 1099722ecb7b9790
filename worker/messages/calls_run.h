// Calls that compile or run something: the compilers', the emulator's and the cards'.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "worker/messages/bounds.h"
#include "worker/messages/counters.h"
#include "worker/messages/messages.h"
#include "worker/messages/messages_accesses.h"
#include "worker/messages/messages_layer.h"
#include "worker/messages/messages_open.h"
#include "worker/messages/messages_proof.h"
#include "worker/messages/messages_run.h"
#include "worker/messages/messages_step.h"
#include "worker/messages/messages_stores.h"
#include "worker/messages/roles.h"
#include "worker/messages/sass.h"

namespace tilescope::worker::calls {

/// A kernel at a position, and what it is compiled for.
struct Kernel {
  KernelRequest request;
  std::string arch = {};                    // "sm_90"; empty: the default
  std::optional<DeviceLimits> limits = {};  // those of `arch` if left out
};
/// Its code. Where a call for the emulator or a card has none, the supervisor has it compiled and
/// puts it in.
struct Code {
  std::optional<std::string> ptx = {};
  std::optional<std::string> cubin = {};       // in base64, for a card
  std::optional<CompileResult> compiled = {};  // without its PTX
};
/// What an emulation may take.
struct Bounds {
  uint64_t max_memory = kMostMemory;                       // bytes; 0 = no limit
  uint64_t max_lane_instructions = kMostLaneInstructions;  // 0 = no limit
  std::optional<int> threads = {};                         // as many as this machine has
};
struct Nothing {};

// ---- Compilers ----

struct Compile {
  static constexpr const char* name = "compile";
  static constexpr Roles roles = Role::compiler;
  struct Request {
    Kernel of;
    bool with_cubin = false;
    bool ptx_is_enough = false;  // registers and spills are 0 unless they are known already
  };
  struct Answer {
    CompileResult result;
    std::string compiler, log;              // "NVRTC 13.0"
    std::optional<std::string> cubin = {};  // in base64, if asked for and possible
  };
};

/// A .cu or .ptx of somebody's own: compiled if need be, with all that a launch sheet is made from.
/// A .ptx opens as well on the emulator, where no compiler is started for it.
struct Open {
  static constexpr const char* name = "open";
  static constexpr Roles roles = Role::compiler | Role::emulator;
  using Request = OpenRequest;
  using Answer = OpenAnswer;
};

/// One .cu to take away.
struct Standalone {
  static constexpr const char* name = "standalone";
  static constexpr Roles roles = Role::compiler;
  struct Request {
    Kernel of;
  };
  struct Answer {
    std::string source;
  };
};

struct Disassemble {
  static constexpr const char* name = "disassemble";
  static constexpr Roles roles = Role::compiler;
  struct Request {
    std::optional<Kernel> of = {};        // one of the two
    std::optional<OpenRequest> own = {};  // a .cu or .ptx of somebody's own
    std::string entry = {};               // of `own`: the kernel's name in the PTX
  };
  using Answer = SassListing;
};

/// NVIDIA's programs that this project runs, whichever child does, and NCCL, which the cards'
/// children open.
struct Tools {
  static constexpr const char* name = "tools";
  static constexpr Roles roles = Role::compiler;
  using Request = Nothing;
  struct Tool {
    std::string what, file, version, why_not;
  };
  struct Answer {
    std::vector<Tool> tools;
  };
};

// ---- The emulator, and what cards answer beside it ----

struct Emulate {
  static constexpr const char* name = "emulate";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    Kernel of;
    Code code = {};
    Bounds bounds = {};
    EmulationScope scope = EmulationScope::automatic;
    bool verify = true;
    bool check = false;  // all that runs; else beside the run one CTA of each class
    OperandData data = OperandData::random;
    std::optional<uint64_t> seed = {};  // of A and B; left out: another one each time
  };
  struct Answer {
    EmulateResult result;
    uint64_t seed = 0;
  };
};

/// The same without verification.
struct Counts {
  static constexpr const char* name = "counts";
  static constexpr Roles roles = Role::emulator;
  using Request = Emulate::Request;
  using Answer = Emulate::Answer;
};

/// One launch, compared with double precision.
struct Verify {
  static constexpr const char* name = "verify";
  static constexpr Roles roles = Role::emulator | Role::card;
  struct Request {
    Emulate::Request of;     // a card takes its kernel and code alone
    double time_limit = 10;  // a card's: seconds of one launch
  };
  using Answer = Verification;
};

/// Races and the like, in one CTA of each class.
struct Check {
  static constexpr const char* name = "check";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    Kernel of;
    Code code = {};
    Bounds bounds = {};
    bool whole_k = false;  // every slice of k, as long as that takes
    std::optional<uint64_t> seed = {};
  };
  using Answer = CheckResult;
};

/// The tiles of some CTAs.
struct VerifyPart {
  static constexpr const char* name = "verifyPart";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    Kernel of;
    Code code = {};
    Bounds bounds = {};
    std::vector<int> groups = {};  // numbers of CtaGroups (core/model/verification_order.h)
    bool explain = true;  // what the checks find, and where a wrong index lies, if C is wrong
    std::optional<uint64_t> seed = {};
  };
  struct Answer {
    VerifiedPart part;
    uint64_t seed = 0;
  };
};

/// Its events and lane addresses travel in binary frames (messages_trace.h).
struct Trace {
  static constexpr const char* name = "trace";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    std::optional<Kernel> of = {};             // one of the two
    std::optional<LaunchRequest> launch = {};  // of any PTX
    Code code = {};
    Bounds bounds = {};
    BlockIndex cta = {};
    int item = 0;       // of the CTA's work items
    int k_step = -1;    // the slice to look at; −1 = the item's first
    bool lanes = true;  // with the lane addresses behind each event
  };
  using Answer = TraceResult;
};

/// Where a launch stands after some motions, and what is seen there. The emulator's child keeps the
/// last launch that was stepped, so that the next step takes milliseconds; one that does not find
/// it begins anew and answers the same.
struct Step {
  static constexpr const char* name = "step";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    std::optional<Kernel> of = {};             // one of the two, or neither:
    std::optional<LaunchRequest> launch = {};  // of any PTX
    /// The launch as an earlier answer called it (StepAnswer::kept), so that its code does not
    /// travel with each step; then nothing but `from`, `motions` and `parts` is read.
    std::string kept = {};
    Code code = {};
    Bounds bounds = {};
    uint64_t seed = 1;                   // of A and B of a kernel of the ladder
    std::optional<BlockIndex> cta = {};  // alone, as far as it can be; without: the whole grid
    uint64_t from = 0;                   // tick of the place where the motions begin
    std::vector<StepMotion> motions = {};
    emulator::StepParts parts = {};  // what is wanted of the state
    bool checks = false;             // what they have found up to the place, too
    /// Of a launch: as Stepper::Options::source_file; a kernel of the ladder has its own.
    std::string source_file = {};
  };
  using Answer = StepAnswer;
};

/// Which lanes touch which bytes of global and shared memory, as far as an answer holds it
/// (messages_accesses.h). Of a kernel of the ladder A and B are zeros: its addresses do not hang on
/// them.
struct Accesses {
  static constexpr const char* name = "accesses";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    std::optional<Kernel> of = {};             // one of the two
    std::optional<LaunchRequest> launch = {};  // of any PTX
    Code code = {};
    Bounds bounds = {};
    BlockIndex cta = {};
    bool whole_grid = false;  // all CTAs in the order of their launch, in place of `cta`
  };
  using Answer = AccessAnswer;
};

/// Any PTX. What is asked of it, and what it prints, travels in binary frames (messages_run.h).
struct Run {
  static constexpr const char* name = "run";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    RunRequest run;
    uint64_t max_memory = kMostMemory;  // bytes; 0 = no limit
  };
  struct Answer {
    RunAnswer answer;
    std::string document, output;  // of kRunDocument and kRunOutput
  };
};

/// Where one value came from.
struct Origin {
  static constexpr const char* name = "origin";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    std::optional<Kernel> of = {};             // one of the two
    std::optional<LaunchRequest> launch = {};  // of any PTX
    Code code = {};
    Bounds bounds = {};
    OriginQuestion question;
  };
  using Answer = OriginResult;
};

/// Who writes which elements of a buffer of a launch of any PTX, as it was seen.
struct Stores {
  static constexpr const char* name = "stores";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    LaunchRequest launch;
    Bounds bounds = {};
    int argument = 0;     // of the launch's sheet: a buffer of a known type
    BlockIndex cta = {};  // whose warps and lanes are told
    /// Of the grid, in order of x, then y, then z; that one always. As many as take no more than
    /// `grid_lane_instructions`, were all like the chosen one, but 64.
    uint64_t most_ctas = 65'536;
    uint64_t grid_lane_instructions = 3'000'000'000;
  };
  using Answer = StoresResult;
};

/// Of all elements that a CTA stores.
struct Provenance {
  static constexpr const char* name = "provenance";
  static constexpr Roles roles = Role::emulator;
  struct Request {
    Kernel of;
    Code code = {};
    Bounds bounds = {};
    BlockIndex cta = {};
  };
  struct Answer {
    std::shared_ptr<const nlohmann::json> provenance;  // docs/emulator.md; never null
  };
};

/// On the emulator whole, else what each rank has to tell.
struct Layer {
  static constexpr const char* name = "layer";
  static constexpr Roles roles = Role::emulator | Role::card;
  struct Request {
    LayerRequest layer;
    std::string arch = {};  // as of Kernel
    std::optional<DeviceLimits> limits = {};
    uint64_t max_memory = kMostMemory;
    std::optional<int> threads = {};
    std::vector<std::string> devices = {};  // several cards, a rank each
    // Put in by the supervisor, for a rank beside those of other cards.
    int rank = -1;        // −1: all of them on this card
    std::string id = {};  // of LayerId
  };
  using Answer = LayerAnswer;
};

/// What the ranks of one run are given to find each other. Asked by the supervisor.
struct LayerId {
  static constexpr const char* name = "layerId";
  static constexpr Roles roles = Role::card;
  using Request = Nothing;
  struct Answer {
    std::string id;
  };
};

/// "Prove it": lane maps of instructions, named as PTX does, on the device.
struct ProbeFragment {
  static constexpr const char* name = "probeFragment";
  static constexpr Roles roles = Role::emulator | Role::card;
  struct Request {
    std::optional<std::string> atom = {};  // one, whose proof is the answer; or
    std::vector<std::string> atoms = {};   // these, or
    bool all = false;
  };
  struct Answer {
    std::vector<Proof> proofs;  // in that order
    bool alone = false;         // of `atom`
  };
};

// ---- Cards ----

struct Measure {
  static constexpr const char* name = "measure";
  static constexpr Roles roles = Role::card;
  struct Request {
    std::optional<Kernel> of = {};             // one of the two
    std::optional<LaunchRequest> launch = {};  // with a sheet; its PTX stands for one in `code`
    std::optional<LaunchRequest> other = {};   // as RunRequest::other, compiled by the driver,
    std::vector<int> other_args = {};          // and its arguments
    Code code = {};
    double seconds = 2;      // of taking samples
    double rest = 3;         // idle time between samples, as a multiple of the time that they took
    double time_limit = 10;  // seconds of one launch
    bool library = true;     // beside NVIDIA's
    // Folder in whose store a right result of the ladder is kept before it is answered.
    std::string store = {};
  };
  struct Answer {
    MeasureResult result;
    std::string arch, revision;                // of what ran
    std::vector<std::string> remarks;          // what was left out, and why
    std::string not_kept = {};                 // why it is not in the store, if so
    std::optional<GemmVerdict> gemm = {};      // of a launch whose sheet says that it is one
    std::vector<BufferVerdict> expected = {};  // the same, of one that expects something
    std::string printed = {};                  // by the first launch
  };
};

/// The card's counters, of a launch that is not timed. Served by a child that never touches CUDA.
struct Counters {
  static constexpr const char* name = "counters";
  static constexpr Roles roles = Role::counters;
  struct Request {
    Kernel of;
    double time_limit = 10;  // seconds of one launch
    double seconds = 0;      // of all of it; 0: follows from `time_limit`
  };
  using Answer = CountersResult;
};

}  // namespace tilescope::worker::calls

// Every call of the worker as a type: its name, who serves it, what it takes and what it answers.
// The list stands here and nowhere else: clients ask with Client::call<calls::Trace>(…), children
// serve with serve<calls::Trace>(…) (worker/engine/methods.h), and the tests walk it.
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "worker/messages/calls_known.h"
#include "worker/messages/calls_run.h"

namespace tilescope::worker {

// clang-format off
/// The list.
#define TILESCOPE_CALLS(X)                                                                  \
  X(Compile) X(Open) X(Standalone) X(Disassemble) X(Tools)                                  \
  X(Emulate) X(Counts) X(Verify) X(Check) X(VerifyPart) X(Trace) X(Step) X(Accesses) X(Run) \
  X(Origin) X(Stores) X(Provenance) X(Layer) X(LayerId) X(ProbeFragment)                    \
  X(Measure) X(Counters)                                                                    \
  X(Recorded) X(Results) X(Recordings) X(KeepLayer) X(KeptLayers) X(CheckStore) X(Proofs)   \
  X(SecondOpinion) X(Library)                                                               \
  X(Devices) X(Restart) X(Status)
// clang-format on

/// Calls f.operator()<C>() for each.
template <class F>
void for_each_call(F&& f) {
#define TILESCOPE_ONE_CALL(C) f.template operator()<calls::C>();
  TILESCOPE_CALLS(TILESCOPE_ONE_CALL)
#undef TILESCOPE_ONE_CALL
}

/// How a call stands among others; beside its request in its params.
struct Turn {
  std::string slot = {};  // a newer call of the same slot, device and name replaces a queued one
  bool prefetch = false;  // behind whatever somebody waits for
};

/// What a call tells before its answer: what it has.
struct Progress {
  std::string stage = {};  // "compiling"
  std::optional<uint64_t> done = {}, all = {};
  std::optional<MeasureResult> measured = {};  // so far
};

/// Why a call failed.
struct CallError {
  int exit_code = 4;                                      // of the command line
  std::string message = {};                               // one sentence: value, limit, way out
  std::string log = {};                                   // to be shown below it; empty: nothing
  std::optional<std::vector<CodeFinding>> findings = {};  // of the checks until then
  bool cancelled = false;                                 // by somebody
  bool fault = false;                                     // the kernel did what it must not
  bool needs_reset = false;                               // the card itself is gone
  std::optional<KernelRequest> instead = {};  // the nearest that can be run where this cannot
  bool lost = false;  // the connection broke and is being made anew: it may be asked again
};

/// What came is no answer to the call.
struct AnswerError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tilescope::worker

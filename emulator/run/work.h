// What a run has to do (its CTAs, in order) and its results so far, shared by the host threads.
#pragma once
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/run/cta.h"

namespace tilescope::emulator {

struct Work {
  RunState state;
  uint64_t count = 0;
  std::atomic<uint64_t> next{0}, stop_at{~0ull};  // CTAs past a fault's are not started
  std::mutex mutex;                               // the rest
  uint64_t done = 0;
  std::optional<Fault> fault;
  std::optional<Trace> trace;
  std::vector<Dim3> taken_along;                // numbered from `count` on
  std::map<uint64_t, std::string> output;       // by CTA
  std::map<uint64_t, Checker::Report> reports;  // by CTA, of a checked run

  Dim3 cta(uint64_t i) const {
    if (i >= count) return taken_along[i - count];
    return state.options->ctas.empty() ? at(i) : state.options->ctas[i];
  }
  /// Of the whole grid, in the order of their launch.
  Dim3 at(uint64_t i) const {
    const Dim3& g = state.launch->grid;
    return {static_cast<uint32_t>(i % g.x), static_cast<uint32_t>(i / g.x % g.y),
            static_cast<uint32_t>(i / g.x / g.y)};
  }
  uint64_t number(Dim3 cta) const {
    const Dim3& g = state.launch->grid;
    return cta.x + uint64_t{g.x} * (cta.y + uint64_t{g.y} * cta.z);
  }
};

/// Makes the state of a launch. Returns why it is not possible, one sentence, or an empty one.
std::string set_up(Work& work, const Program& program, std::string_view entry, const Launch& launch,
                   Memory& memory, const RunOptions& options);

inline bool same(Dim3 a, Dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// Runs CTAs that may wait for each other: always in the same order, whatever the number of host
/// threads. `counters` of the chosen CTAs; the others' are thrown away.
void run_in_turns(Work& work, Counters& counters);

}  // namespace tilescope::emulator

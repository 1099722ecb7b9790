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
  uint64_t count = 0;    // CTAs that are chosen
  uint64_t planned = 0;  // and those that run because a chosen one's cluster has them
  std::atomic<uint64_t> next{0}, stop_at{~0ull};  // CTAs past a fault's are not started
  std::mutex mutex;                               // the rest
  uint64_t done = 0;
  std::optional<Fault> fault;
  std::optional<Trace> trace;
  std::vector<Dim3> taken_along;                // numbered from `planned` on
  std::vector<Dim3> members;                    // planned ones, where clusters of some are chosen
  std::vector<bool> is_member_chosen;           // of these
  std::map<uint64_t, std::string> output;       // by CTA
  std::map<uint64_t, Checker::Report> reports;  // by CTA, of a checked run

  /// In the order in which they run: cluster by cluster, each by rank.
  Dim3 cta(uint64_t i) const {
    if (i >= planned) return taken_along[i - planned];
    if (!members.empty()) return members[i];
    if (!state.options->ctas.empty()) return state.options->ctas[i];
    const uint32_t size = state.cluster_ctas();
    return size == 1 ? at(i) : in_cluster(i / size, static_cast<uint32_t>(i % size));
  }
  bool is_chosen(uint64_t i) const {
    return i < planned && (members.empty() || is_member_chosen[i]);
  }
  /// The CTA of a rank in a cluster of the grid.
  Dim3 in_cluster(uint64_t cluster, uint32_t rank) const {
    const Dim3 &g = state.launch->grid, &n = state.cluster;
    const uint64_t across = g.x / n.x, along = g.y / n.y;
    const Dim3 first{static_cast<uint32_t>(cluster % across) * n.x,
                     static_cast<uint32_t>(cluster / across % along) * n.y,
                     static_cast<uint32_t>(cluster / across / along) * n.z};
    return member_of(n, first, rank);
  }
  /// Of the whole grid: its place in the order in which they run.
  uint64_t place(Dim3 cta) const {
    const Dim3 &g = state.launch->grid, &n = state.cluster;
    const uint64_t across = g.x / n.x, along = g.y / n.y;
    const uint64_t cluster = cta.x / n.x + across * (cta.y / n.y + along * (cta.z / n.z));
    return cluster * ctas_of(n) + rank_in(n, cta);
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
/// Runs clusters of CTAs that wait for none outside, one after the other: each host thread those
/// that no other has begun.
void run_clusters(Work& work, Counters& counters);

}  // namespace tilescope::emulator

#pragma once
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>

#include "emulator/machine/run_state.h"
#include "emulator/provenance.h"
#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {

struct Provenance::Impl {
  explicit Impl(Options o) : options(std::move(o)) {}
  Options options;
  std::unique_ptr<const Code> code;  // a copy: what was found outlives the program
  std::unique_ptr<TrackPlan> plan;
  Leaves leaves;
  std::shared_ptr<Followed> together;                     // of CTAs that may read what others write
  std::unordered_map<std::string, uint32_t> register_of;  // of the entry itself, by name
  std::mutex mutex;
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // z, y, x: in order
  std::map<Key, std::unique_ptr<Tracker>> ctas;

  /// Before a run: forgets what was there.
  void start(const RunState& state);
  /// The CTA's tracker, or null if it is not followed; finish() takes it. Where CTAs read what
  /// others write, all are followed that run, but only those asked for are kept.
  /// `cluster`: whose CTAs are followed together if one of them is; null: it is alone.
  std::unique_ptr<Tracker> follow(const RunState& state, Dim3 cta, ClusterTrackers* cluster);
  void finish(Dim3 cta, std::unique_ptr<Tracker> tracker);
  const Tracker* find(Dim3 cta) const;
  /// What was stored in global memory, in order of CTAs.
  std::vector<const Followed*> followed() const;
  /// In the emulator's own numbers; one past the last if there is none.
  uint32_t find_register(std::string_view name, uint32_t function) const;
  int line(uint32_t inst) const { return code->info[inst].ptx_line; }
};

/// The tree of a value (provenance_value.cpp).
Value value_of(const Provenance::Impl& impl, const Graph& graph, Tags tags, uint32_t route,
               uint32_t bytes, int depth = 0);
/// Of what was stored in global memory: the element that begins at granule i of a page.
Value value_at(const Provenance::Impl& impl, const Followed& followed, const Followed::Page& page,
               size_t i, uint32_t bytes);

}  // namespace tilescope::emulator

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
  std::unordered_map<std::string, uint32_t> register_of;  // of the entry itself, by name
  std::mutex mutex;
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // z, y, x: in order
  std::map<Key, std::unique_ptr<Tracker>> ctas;

  /// Before a run: forgets what was there.
  void start(const RunState& state);
  /// The CTA's tracker, or null if it is not followed; finish() takes it.
  std::unique_ptr<Tracker> follow(const RunState& state, Dim3 cta);
  void finish(Dim3 cta, std::unique_ptr<Tracker> tracker);
  const Tracker* find(Dim3 cta) const;
  /// In the emulator's own numbers; one past the last if there is none.
  uint32_t find_register(std::string_view name, uint32_t function) const;
  int line(uint32_t inst) const { return code->info[inst].ptx_line; }
};

/// The tree of a value (provenance_value.cpp).
Value value_of(const Provenance::Impl& impl, const Tracker& tracker, Tags tags, uint32_t route,
               uint32_t bytes, int depth = 0);

}  // namespace tilescope::emulator

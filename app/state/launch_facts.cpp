#include "app/state/launch_facts.h"

#include "app/state/expectation.h"
#include "app/state/history.h"
#include "app/state/known_results.h"
#include "app/state/present.h"
#include "worker/messages/messages_launch.h"

namespace tilescope {

LaunchFacts launch_facts(const AppState& state) {
  LaunchFacts f;
  const Results& r = present_results(state);
  const Derived& d = state.derived;
  if (d.legal()) {
    f.analysis = model::analyse(d.plan, state.edit.problem, d.launch, state.gpu, d.traffic,
                                d.compiled, expected_dram_read(state));
  }
  if (const HistoryPoint point = point_of(state); is_timed(point.standing)) {
    f.tflops = point.tflops, f.time_us = point.time_us;
    if (point.tflops && point.of_library) f.library_tflops = *point.tflops / *point.of_library;
  }
  if (r.measured) {
    f.clock_mhz = r.measured->clock_mhz, f.power_w = r.measured->power_w;
  }
  if (r.compile && r.compile->registers > 0) {
    f.registers = r.compile->registers, f.spill_bytes = r.compile->spill_bytes;
  }
  if (state.own_launch && state.own_launch->sheet) {
    const sheet::LaunchSheet& told = *state.own_launch->sheet;
    if (told.block) f.threads = static_cast<int>(told.block->count());
    f.shared_bytes = static_cast<int>(told.shared);
  }
  if (r.emulated) f.counted = r.emulated->counted;
  if (r.counters) f.counters = r.counters->values;
  return f;
}

model::Prediction comparable_prediction(const AppState& state, bool compiled) {
  const Derived& d = state.derived;
  return model::predict(d.plan, state.edit.problem, d.launch, d.traffic, state.gpu,
                        compiled ? d.compiled : model::CompiledFacts{});
}

}  // namespace tilescope

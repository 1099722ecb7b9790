#include "app/state/card_counters.h"

#include "app/state/device.h"
#include "app/state/present.h"
#include "core/language/language.h"

namespace tilescope {

const worker::CountersResult* counters_of(const AppState& state) {
  const Results& r = present_results(state);
  if (!r.counters) return nullptr;
  const bool of_device = r.counters->standing == "recorded" ? is_recording(state.device)
                                                            : r.counters->device == state.device;
  return of_device ? &*r.counters : nullptr;
}

std::string counters_source(const AppState& state, const worker::CountersResult& c) {
  const bool recorded = c.standing == "recorded";
  const std::string device = c.device_name.empty() ? device_title(state, c.device) : c.device_name;
  std::string text = wording("{} {} on {}", recorded ? "recorded" : "measured", c.date, device);
  if (!c.tool.empty()) text = wording("{} by {}", text, c.tool);
  if (c.older_kernel) text = wording("{}, with an older kernel", text);
  return wording("{}; caches emptied before", text);
}

}  // namespace tilescope

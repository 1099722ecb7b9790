#include "app/state/counting.h"

#include <fmt/format.h>

#include "app/state/device.h"

namespace tilescope {

std::string why_no_counting(const AppState& state) {
  if (!is_card(state.device)) {
    for (const worker::DeviceInfo& card : state.devices) {
      if (is_card(card.id) && card.available) {
        return fmt::format("Counters are a card's own: choose {} in the device chooser.",
                           device_title(state, card.id));
      }
    }
    return "Counters are a card's own, and there is no NVIDIA GPU here: copy the ncu command and "
           "run it on a machine with one.";
  }
  if (!state.derived.legal()) return "An illegal tile cannot be launched: take a legal one.";
  const Results& r = state.results;
  if (r.edit_serial == state.edit_serial && r.measured && r.measured->verified &&
      !r.measured->verified->ok) {
    return "The card's result is wrong: counters of a wrong kernel say nothing.";
  }
  return {};
}

void ask_for_counters(AppState& state) {
  if (!why_no_counting(state).empty()) return;
  state.counting = {};
  state.counting.wanted = true;
}

void stop_counting(AppState& state) {
  state.counting.wanted = false;
  if (state.counting.running) state.counting.stop = true;
}

std::string counting_text(const AppState& state) {
  const Counting& c = state.counting;
  if (c.running) return fmt::format("{}, {:.0f} s", c.stage, state.now - c.since);
  return c.wanted ? "waiting for the measurement" : "";
}

const worker::CountersResult* counters_of(const AppState& state) {
  const Results& r = state.results;
  if (r.edit_serial != state.edit_serial || !r.counters) return nullptr;
  const bool of_device = r.counters->standing == "recorded" ? is_recording(state.device)
                                                            : r.counters->device == state.device;
  return of_device ? &*r.counters : nullptr;
}

std::string counters_origin(const AppState& state, const worker::CountersResult& c) {
  const bool recorded = c.standing == "recorded";
  const std::string device = c.device_name.empty() ? device_title(state, c.device) : c.device_name;
  std::string text = fmt::format("{} {} on {}", recorded ? "recorded" : "measured", c.date, device);
  if (!c.tool.empty()) text += " by " + c.tool;
  if (c.older_kernel) text += ", with an older kernel";
  return text + "; caches emptied before";
}

}  // namespace tilescope

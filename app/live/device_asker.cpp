#include "app/live/device_asker.h"

#include <utility>

#include "app/state/device.h"
#include "app/state/edit.h"

namespace tilescope {
namespace {

using worker::CallError;
namespace calls = worker::calls;

void take_devices(AppState& state, calls::Devices::Answer answer) {
  devices_found(state, std::move(answer.devices));
}

void take_recordings(AppState& state, calls::Recordings::Answer answer) {
  recordings_found(state, std::move(answer.recordings));
  if (!answer.remark.empty()) say(state, answer.remark);
}

}  // namespace

void DeviceAsker::update(AppState& state, const Surroundings&) {
  if (!std::exchange(link_.devices_outdated, false)) return;
  calls_.ask<calls::Devices>(device_of(worker::Role::supervisor), {},
                             {.done = take_devices, .failed = [](AppState& s, const CallError&) {
                                devices_found(s, {});
                              }});
  calls_.ask<calls::Recordings>(
      {.store = state.store},
      {.done = take_recordings,
       .failed = [](AppState& s, const CallError&) { recordings_found(s, {}); }});
}

void DeviceAsker::without_worker(AppState& state, const std::string&) {
  if (!state.devices_known) devices_found(state, {});
  if (!state.recordings_known) recordings_found(state, {});
}

Busy DeviceAsker::busy(const AppState&) const {
  const bool due = link_.client && link_.devices_outdated;
  return due || !calls_.idle() ? Busy::awaited : Busy::no;
}

void DeviceAsker::drop(AppState&, Lost what) {
  if (what != Lost::worker) return;
  calls_.drop();
  link_.devices_outdated = true;  // a card may have come back
}

}  // namespace tilescope

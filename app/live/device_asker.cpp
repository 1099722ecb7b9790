#include "app/live/device_asker.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;
using worker::RpcError;

void take_devices(AppState& state, const json& result) {
  devices_found(state, result.at("devices").get<std::vector<worker::DeviceInfo>>());
}

void take_recordings(AppState& state, const json& result) {
  std::vector<RecordedCard> cards;
  for (const json& card : result.at("recordings")) {
    cards.push_back({card.at("name").get<std::string>(), card.at("date").get<std::string>(),
                     card.at("count").get<int>(), card.value("own", false)});
  }
  recordings_found(state, std::move(cards));
  const std::string remark = result.value("remark", std::string());
  if (!remark.empty()) say(state, remark);
}

}  // namespace

void DeviceAsker::update(AppState& state, const Surroundings&) {
  if (!std::exchange(link_.devices_outdated, false)) return;
  calls_.ask(
      "", "devices", json::object(),
      {.done = take_devices, .failed = [](AppState& s, const RpcError&) { devices_found(s, {}); }});
  calls_.ask("store", "recordings", json{{"store", state.store}},
             {.done = take_recordings,
              .failed = [](AppState& s, const RpcError&) { recordings_found(s, {}); }});
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

// Listing devices: the driver may crash or hang in there, so it happens in a process of its own.
#include <thread>
#include <utility>

#include "worker/messages/calls.h"
#include "worker/messages/messages_json.h"
#include "worker/process/router.h"
#include "worker/protocol/text.h"

namespace tilescope::worker {

using nlohmann::json;

struct Router::Search {
  json gpus, emulator;
  int open = 2;
  std::function<void(const json& devices)> listed;
};

namespace {

// When a search fails its place in the list is kept, with the reason.
json unavailable(const char* id, const char* name, const RpcError& error) {
  DeviceInfo device;
  device.id = id;
  device.name = name;
  device.available = false;
  device.why_not = error.message;
  return json::array({device});
}

json list_of(json result) {
  if (result.is_object() && result.contains("devices") && result["devices"].is_array()) {
    return std::move(result["devices"]);
  }
  return json::array();
}

}  // namespace

void Router::list_devices(std::function<void(const json& devices)> listed) {
  auto search = std::make_shared<Search>();
  search->listed = std::move(listed);
  Job gpus;
  gpus.method = calls::Devices::name;
  gpus.params = {{"of", "cuda"}};
  gpus.done = [this, search](json result) {
    search->gpus = list_of(std::move(result));
    found(search);
  };
  gpus.failed = [this, search](const RpcError& error) {
    search->gpus = unavailable("cuda:0", "NVIDIA GPU", error);
    found(search);
  };
  Job emulator;
  emulator.method = calls::Devices::name;
  emulator.params = {{"of", "emulator"}};
  emulator.done = [this, search](json result) {
    search->emulator = list_of(std::move(result));
    found(search);
  };
  emulator.failed = [this, search](const RpcError&) {
    // It needs nothing that could be missing: it is there, even if it could not describe itself.
    const std::string threads = std::to_string(std::thread::hardware_concurrency());
    DeviceInfo device;
    device.id = "emulator";
    device.name = "Emulator (" + threads + " threads)";
    search->emulator = json::array({device});
    found(search);
  };
  pool("probe").submit(std::move(gpus));
  pool("probe").submit(std::move(emulator));
}

void Router::found(const std::shared_ptr<Search>& search) {
  if (--search->open > 0) return;
  devices_ = json::array();
  for (const json* part : {&search->gpus, &search->emulator}) {
    for (const json& device : *part) devices_.push_back(device);
  }
  search->listed(devices_);
}

json Router::limits_of(const std::string& device) const {
  if (!devices_.is_array()) return {};
  for (const json& listed : devices_) {
    if (!listed.is_object() || !listed.contains("id") || listed["id"] != device) continue;
    const bool lost = listed.contains("available") && listed["available"] == false;
    if (!lost && listed.contains("limits")) return listed["limits"];
  }
  return {};
}

}  // namespace tilescope::worker

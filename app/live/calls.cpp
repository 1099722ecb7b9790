#include "app/live/calls.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/state/device.h"
#include "worker/messages/messages_json.h"

namespace tilescope {

using nlohmann::json;

void Calls::ask(std::string_view device, std::string_view method, json params,
                Callbacks callbacks) {
  const auto id = std::make_shared<uint64_t>(0);  // known once the client has taken the call
  const auto theirs = std::make_shared<Callbacks>(std::move(callbacks));
  worker::Client::Callbacks ours;
  ours.done = [this, id, theirs](const json& result) {
    if (open_.erase(*id) > 0 && theirs->done) theirs->done(*link_.state, result);
  };
  ours.failed = [this, id, theirs](const worker::RpcError& error) {
    if (open_.erase(*id) > 0 && theirs->failed) theirs->failed(*link_.state, error);
  };
  ours.progress = [this, id, theirs](const json& progress) {
    if (open_.contains(*id) && theirs->progress) theirs->progress(*link_.state, progress);
  };
  ours.binary = [this, id, theirs](std::string_view type, std::span<const std::byte> bytes) {
    if (open_.contains(*id) && theirs->binary) theirs->binary(type, bytes);
  };
  *id = link_.client->request(device, method, std::move(params), std::move(ours));
  open_.insert(*id);
}

void Calls::drop() {
  for (const uint64_t id : std::exchange(open_, {})) link_.client->cancel(id);
}

worker::KernelRequest request_of(const Edit& edit, int sms) {
  return {edit.kernel, edit.tile, edit.problem, sms};
}

json call_params(const AppState& state, const Edit& edit) {
  json params = request_of(edit, state.limits.sm_count);
  if (const worker::DeviceInfo* card = card_of(state)) {
    params["arch"] = arch_of(state);
    params["limits"] = card->limits;
  }
  return params;
}

}  // namespace tilescope

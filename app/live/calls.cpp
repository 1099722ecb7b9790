#include "app/live/calls.h"

#include <memory>
#include <utility>

namespace tilescope {

using nlohmann::json;
using Callbacks = worker::Client::Callbacks;

void Calls::ask(std::string_view device, std::string_view method, json params,
                Callbacks callbacks) {
  const auto id = std::make_shared<uint64_t>(0);  // known once the client has taken the call
  const auto theirs = std::make_shared<Callbacks>(std::move(callbacks));
  Callbacks ours;
  ours.done = [this, id, theirs](const json& result) {
    if (open_.erase(*id) > 0 && theirs->done) theirs->done(result);
  };
  ours.failed = [this, id, theirs](const worker::RpcError& error) {
    if (open_.erase(*id) > 0 && theirs->failed) theirs->failed(error);
  };
  ours.progress = [this, id, theirs](const json& progress) {
    if (open_.contains(*id) && theirs->progress) theirs->progress(progress);
  };
  ours.binary = [this, id, theirs](std::string_view type, std::span<const std::byte> bytes) {
    if (open_.contains(*id) && theirs->binary) theirs->binary(type, bytes);
  };
  *id = client_->request(device, method, std::move(params), std::move(ours));
  open_.insert(*id);
}

void Calls::drop() {
  for (const uint64_t id : std::exchange(open_, {})) client_->cancel(id);
}

}  // namespace tilescope

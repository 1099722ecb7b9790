#include "worker/client/client_in_process.h"

#include <algorithm>
#include <utility>

#include "worker/messages/calls.h"
#include "worker/protocol/code_first.h"
#include "worker/protocol/protocol.h"

namespace tilescope::worker {

using nlohmann::json;

namespace {

json field(const json& params, const char* name) {
  return params.is_object() && params.contains(name) ? params[name] : json();
}

}  // namespace

InProcessClient::InProcessClient(MethodTable methods)
    : methods_(std::move(methods)), thread_([this] { run(); }) {}

InProcessClient::~InProcessClient() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    queue_.clear();
    if (running_) running_->cancelled = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void InProcessClient::send(uint64_t id, std::string method, json params) {
  auto call = std::make_unique<QueuedCall>();
  call->id = id;
  call->method = std::move(method);
  call->params = std::move(params);
  std::vector<uint64_t> replaced;
  {
    const std::lock_guard lock(mutex_);
    const json slot = field(call->params, "slot");
    const bool prefetch = field(call->params, "priority") == "prefetch";
    const auto older = [&](const std::unique_ptr<QueuedCall>& other) {
      return slot.is_string() && !prefetch && other->method == call->method &&
             field(other->params, "slot") == slot &&
             field(other->params, "device") == field(call->params, "device");
    };
    for (const auto& other : queue_) {
      if (older(other)) replaced.push_back(other->id);
    }
    std::erase_if(queue_, older);
    const auto first_prefetch = std::find_if(queue_.begin(), queue_.end(), [](const auto& other) {
      return field(other->params, "priority") == "prefetch";
    });
    queue_.insert(prefetch ? queue_.end() : first_prefetch, std::move(call));
  }
  for (const uint64_t old : replaced) fail(old, cancelled_error("Replaced by a newer request."));
  arrived_.notify_one();
}

void InProcessClient::cancel(uint64_t id) {
  {
    const std::lock_guard lock(mutex_);
    if (running_ && running_->id == id) running_->cancelled = true;
    if (std::erase_if(queue_, [&](const auto& call) { return call->id == id; }) == 0) return;
  }
  fail(id, cancelled_error());
}

void InProcessClient::fail(uint64_t id, RpcError error) {
  ClientEvent event;
  event.kind = ClientEvent::Kind::failed;
  event.id = id;
  event.error = std::move(error);
  mailbox_.push(std::move(event));
}

void InProcessClient::run() {
  while (true) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (closing_) return;
    const std::unique_ptr<QueuedCall> call = std::move(queue_.front());
    queue_.pop_front();
    running_ = call.get();
    lock.unlock();
    run_call(*call);
    lock.lock();
    running_ = nullptr;
  }
}

void InProcessClient::run_call(QueuedCall& call) {
  CallContext context;
  context.cancelled = &call.cancelled;
  context.progress = [&](const json& value) {
    ClientEvent event;
    event.kind = ClientEvent::Kind::progress;
    event.id = call.id;
    event.value = value;
    mailbox_.push(std::move(event));
  };
  context.binary = [&](std::string_view type, std::span<const std::byte> bytes) {
    ClientEvent event;
    event.kind = ClientEvent::Kind::binary;
    event.id = call.id;
    event.type = type;
    event.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    mailbox_.push(std::move(event));
  };
  const json device = field(call.params, "device");
  if (device.is_string() && needs_code(device.get<std::string>(), call.params) &&
      methods_.contains(calls::Compile::name)) {
    CallContext silent;
    silent.cancelled = &call.cancelled;
    silent.progress = [](const json&) {};
    silent.binary = [](std::string_view, std::span<const std::byte>) {};
    Outcome compiled =
        run_method(methods_, calls::Compile::name,
                   compile_params(call.params, device.get<std::string>(), nullptr), silent);
    if (!compiled.ok) return fail(call.id, std::move(compiled.error));
    add_code(call.params, std::move(compiled.result));
  }
  Outcome outcome = run_method(methods_, call.method, call.params, context);
  if (!outcome.ok) return fail(call.id, std::move(outcome.error));
  ClientEvent event;
  event.kind = ClientEvent::Kind::done;
  event.id = call.id;
  event.value = std::move(outcome.result);
  mailbox_.push(std::move(event));
}

}  // namespace tilescope::worker

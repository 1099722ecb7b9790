#include "worker/client/client_base.h"

#include <chrono>
#include <cstddef>
#include <utility>

namespace tilescope::worker {

using nlohmann::json;

void Mailbox::push(ClientEvent event) {
  {
    const std::lock_guard lock(mutex_);
    bytes_ += event.size;
    events_.push_back(std::move(event));
  }
  wake();
}

void Mailbox::wake() {
  std::shared_ptr<std::function<void()>> wake;
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    wake = wake_;
  }
  arrived_.notify_all();
  if (wake && *wake) (*wake)();  // outside the lock: it may do anything
}

std::deque<ClientEvent> Mailbox::take() {
  const std::lock_guard lock(mutex_);
  bytes_ = 0;
  woken_ = false;
  return std::exchange(events_, {});
}

size_t Mailbox::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void Mailbox::wait(const std::chrono::steady_clock::time_point* until) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return woken_ || !events_.empty(); };
  if (until) {
    arrived_.wait_until(lock, *until, ready);
  } else {
    arrived_.wait(lock, ready);
  }
}

void Mailbox::on_activity(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::make_shared<std::function<void()>>(std::move(wake));
}

uint64_t ClientBase::request(std::string_view device, std::string_view method, json params,
                             Callbacks callbacks) {
  const uint64_t id = next_id_++;
  calls_.emplace(id, std::make_shared<Callbacks>(std::move(callbacks)));
  if (params.is_null()) params = json::object();
  if (params.is_object() && !device.empty()) params["device"] = device;
  if (params.is_object() && !kernel_dir_.empty() && !params.contains("kernel_dir")) {
    params["kernel_dir"] = kernel_dir_;
  }
  send(id, std::string(method), std::move(params));
  return id;
}

void ClientBase::poll() {
  for (ClientEvent& event : mailbox_.take()) inbox_.push_back(std::move(event));
  taken();
  // One at a time from a member: a callback may poll as well.
  while (!inbox_.empty()) {
    ClientEvent event = std::move(inbox_.front());
    inbox_.pop_front();
    deliver(event);
  }
}

void ClientBase::deliver(ClientEvent& event) {
  const auto found = calls_.find(event.id);
  if (found == calls_.end()) return;
  const std::shared_ptr<Callbacks> callbacks = found->second;
  switch (event.kind) {
    case ClientEvent::Kind::done:
      calls_.erase(found);
      if (callbacks->done) callbacks->done(event.value);
      break;
    case ClientEvent::Kind::failed:
      calls_.erase(found);
      if (callbacks->failed) callbacks->failed(event.error);
      break;
    case ClientEvent::Kind::progress:
      if (callbacks->progress) callbacks->progress(event.value);
      break;
    case ClientEvent::Kind::binary:
      if (callbacks->binary) callbacks->binary(event.type, std::as_bytes(std::span(event.bytes)));
      break;
  }
}

bool ClientBase::wait(uint64_t id, int timeout_ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    poll();
    if (!calls_.contains(id)) return true;
    if (timeout_ms >= 0 && std::chrono::steady_clock::now() >= until) return false;
    mailbox_.wait(timeout_ms < 0 ? nullptr : &until);
  }
}

}  // namespace tilescope::worker

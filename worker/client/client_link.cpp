#include "worker/client/client_link.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "worker/client/remote.h"

namespace tilescope::worker {

using nlohmann::json;

namespace {

constexpr uint64_t kHello = 0;               // id of `initialize`; the calls' begin at 1
constexpr size_t kMailboxBytes = 64u << 20;  // more, and the worker is not read from
// How long the worker may take to leave: it waits up to 2 s for its own children.
constexpr int kPatienceMs[] = {2500, 1000, 1000};
// Until a worker that was started has answered: one here that is that slow lies on a disk that does
// not answer.
constexpr int kGreetingHereMs = 300000;
// Of workers on other machines.
constexpr int kGreetingMs = 60000;           // the same
constexpr int kAgainMs[] = {0, 1000, 3000};  // before each new connection after one that was lost
constexpr int kBeatMs = 5000;                // a sign of life
constexpr int kSilenceMs = 30000;            // without one it ends itself: nobody asks any more

}  // namespace

WorkerLink::WorkerLink(LinkOptions options, Mailbox& mailbox)
    : options_(std::move(options)), mailbox_(mailbox) {
  uv_loop_init(&loop_);
  async_ = new uv_async_t;
  uv_async_init(&loop_, async_, [](uv_async_t* async) {
    if (async->data) static_cast<WorkerLink*>(async->data)->run_posted();
  });
  async_->data = this;
  timer_ = std::make_unique<Timer>(&loop_);
  beat_ = std::make_unique<Timer>(&loop_);
  thread_ = std::thread([this] { run_loop(); });
  post([this] { start_worker(); });
}

WorkerLink::~WorkerLink() {
  post([this] {
    closing_ = true;
    end_worker(0);
  });
  thread_.join();
}

void WorkerLink::post(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(call));
  if (async_) uv_async_send(async_);
}

void WorkerLink::run_posted() {
  std::vector<std::function<void()>> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (const auto& call : posted) call();
}

void WorkerLink::run_loop() {
  pthread_setname_np(pthread_self(), "worker-link");
  // A worker that is gone is noticed by reading; the signal of writing to it must not end us.
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
  uv_run(&loop_, UV_RUN_DEFAULT);  // until end_worker() has closed all there is
  uv_loop_close(&loop_);
}

std::string WorkerLink::notice() const {
  const std::lock_guard lock(mutex_);
  return notice_;
}

void WorkerLink::send(uint64_t id, std::string_view method, json params) {
  // Boxed, since a posted function must be copyable and params may be large.
  auto request = std::make_shared<json>(make_request(id, method, std::move(params)));
  post([this, id, request] {
    pending_[id];
    if (state_ == WorkerState::stopped) {
      ClientEvent event;
      event.kind = ClientEvent::Kind::failed;
      event.id = id;
      event.error = {kProcessEnded, stopped_exit_, notice(), {}};
      return deliver(std::move(event));
    }
    if (greeted_) return write(*request, id);
    unsent_.emplace_back(id, std::move(*request));
  });
}

void WorkerLink::cancel(uint64_t id) {
  post([this, id] {
    if (!pending_.contains(id)) return;
    if (greeted_) return write(make_cancel(id), 0);
    std::erase_if(unsent_, [&](const auto& unsent) { return unsent.first == id; });
    ClientEvent event;
    event.kind = ClientEvent::Kind::failed;
    event.id = id;
    event.error = cancelled_error();
    deliver(std::move(event));
  });
}

void WorkerLink::restart() {
  post([this] {
    budget_.refill();
    if (!worker_) return start_worker();
    restart_wanted_ = true;
    worker_->kill(SIGKILL);
  });
}

void WorkerLink::mailbox_emptied() {
  if (!mailbox_full_) return;
  mailbox_full_ = false;
  post([this] {
    if (worker_) worker_->pause(false);
  });
}

void WorkerLink::set_state(WorkerState state, const std::string* notice) {
  {
    const std::lock_guard lock(mutex_);
    if (notice) notice_ = *notice;
    state_ = state;
  }
  mailbox_.wake();
}

void WorkerLink::start_worker() {
  if (closing_) return;
  greeted_ = false;
  refusal_.clear();
  if (state_ == WorkerState::stopped) set_state(WorkerState::restarting);
  worker_ =
      std::make_unique<Child>(&loop_, Child::Options{options_.command, true},
                              Child::Handlers{[this](const Frame& incoming) { frame(incoming); },
                                              [this](const std::string& cause) { ended(cause); },
                                              {}});
  json hello = make_hello();
  hello["kernel_dir"] = options_.kernel_dir;
  timer_->stop();
  const bool here = options_.host.empty();
  if (!here) hello["silence_ms"] = kSilenceMs;
  timer_->start(here ? kGreetingHereMs : kGreetingMs, [this, here] {
    refusal_ = here ? "The worker was started and did not answer within 300 s, so it was ended; "
                      "see whether the disk that it lies on answers, and try again."
                    : options_.host +
                          " was reached, but no worker answered there within 60 s; see "
                          "what its shell does at its start.";
    if (worker_) worker_->kill(SIGKILL);
  });
  worker_->send(make_request(kHello, "initialize", std::move(hello)));
}

void WorkerLink::write(const json& message, uint64_t id) {
  try {
    if (worker_) worker_->send(message);
  } catch (const RpcError& error) {  // too large
    ClientEvent event;
    event.kind = ClientEvent::Kind::failed;
    event.id = id;
    event.error = error;
    deliver(std::move(event));
  }
}

void WorkerLink::frame(const Frame& frame) {
  if (closing_) return;
  try {
    if (frame.binary) return chunk(frame);
    message(read_message(parse_message(frame.body)), frame.body.size());
  } catch (const FrameError& error) {
    refusal_ = std::string("The worker sent what cannot be read: ") + error.what() + ".";
    worker_->kill(SIGKILL);
  } catch (const RpcError& error) {
    refusal_ = "The worker sent what cannot be read: " + error.message;
    worker_->kill(SIGKILL);
  }
}

void WorkerLink::message(Message message, size_t size) {
  if (message.kind == Message::Kind::notification) {
    if (message.method == "$/notice") {
      if (!message.value.is_object() || !message.value.contains("message")) return;
      const json& text = message.value["message"];
      if (!text.is_string()) return;
      const std::string sentence = safe_text(text.get<std::string>(), 1000);
      return set_state(state_, &sentence);
    }
    const auto id = call_of(message.value);
    if (message.method != "$/progress" || !id || !message.value.contains("value")) return;
    ClientEvent event;
    event.kind = ClientEvent::Kind::progress;
    event.id = *id;
    event.value = std::move(message.value["value"]);
    event.size = size;
    return deliver(std::move(event));
  }
  if (!message.id) {
    if (message.kind == Message::Kind::error) {
      const std::string sentence = safe_text(message.error.message, 1000);
      set_state(state_, &sentence);
    }
    return;
  }
  if (*message.id == kHello) return greeted(message);
  ClientEvent event;
  event.id = *message.id;
  event.size = size;
  event.kind =
      message.kind == Message::Kind::result ? ClientEvent::Kind::done : ClientEvent::Kind::failed;
  event.value = std::move(message.value);
  event.error = std::move(message.error);
  deliver(std::move(event));
}

void WorkerLink::greeted(Message& message) {
  if (greeted_) return;
  if (message.kind == Message::Kind::error) {
    refusal_ = message.error.message;
  } else {
    const std::string who = options_.host.empty() ? "The worker" : "The worker on " + options_.host;
    if (const auto sentence = version_mismatch(message.value, who)) refusal_ = *sentence;
    if (refusal_.empty() && !options_.host.empty()) {
      refusal_ = other_kernels(message.value, options_.kernels, who);
    }
  }
  if (!refusal_.empty()) return worker_->kill(SIGKILL);
  greeted_ = true;
  timer_->stop();
  if (!options_.host.empty()) {
    reached_ = true;
    failures_ = 0;
    beat();
  }
  set_state(WorkerState::ready);
  while (!unsent_.empty()) {
    const auto [id, request] = std::move(unsent_.front());
    unsent_.pop_front();
    write(request, id);
  }
}

void WorkerLink::chunk(const Frame& frame) {
  const auto found = pending_.find(frame.id);
  if (found == pending_.end()) return;
  auto whole = found->second.take(frame);
  if (!whole) {
    uint64_t unfinished = 0;
    for (const auto& [id, assembly] : pending_) unfinished += assembly.waiting_bytes();
    if (unfinished > kMostUnfinishedBytes) {
      throw FrameError("too many binary messages without an end");
    }
    return;
  }
  ClientEvent event;
  event.kind = ClientEvent::Kind::binary;
  event.id = frame.id;
  event.type = frame.type;
  event.bytes = std::move(*whole);
  event.size = event.bytes.size();
  deliver(std::move(event));
}

void WorkerLink::deliver(ClientEvent event) {
  const auto found = pending_.find(event.id);
  if (found == pending_.end()) return;
  if (event.kind == ClientEvent::Kind::done || event.kind == ClientEvent::Kind::failed) {
    pending_.erase(found);
  }
  mailbox_.push(std::move(event));
  if (mailbox_.bytes() > kMailboxBytes && worker_) {
    mailbox_full_ = true;
    worker_->pause(true);
    // The owner may have emptied it just now, before the mark was there to be seen.
    if (mailbox_.bytes() == 0) mailbox_emptied();
  }
}

void WorkerLink::fail_all(const RpcError& error) {
  unsent_.clear();
  while (!pending_.empty()) {
    ClientEvent event;
    event.kind = ClientEvent::Kind::failed;
    event.id = pending_.begin()->first;
    event.error = error;
    deliver(std::move(event));
  }
}

void WorkerLink::ended(const std::string& cause) {
  const std::string words = worker_->log().last_line();
  worker_.reset();
  if (closing_) return end_worker(3);
  timer_->stop();
  beat_->stop();
  const std::string what =
      "The worker " + cause + (words.empty() ? "" : ", saying \"" + words + "\"");
  if (!refusal_.empty()) return give_up(refusal_);
  if (std::exchange(restart_wanted_, false)) {
    // Whoever asked for it knows; an old notice is settled by it.
    const std::string nothing;
    set_state(WorkerState::restarting, &nothing);
    fail_all({kProcessEnded, 4, "The worker was restarted by hand during this call.", {}});
    return start_worker();
  }
  if (!options_.host.empty()) return lost(cause, words);
  if (!budget_.take()) {
    return give_up(what + ". It stays stopped after " + std::to_string(budget_.restarts()) +
                   " restarts in " + std::to_string(budget_.window().count()) +
                   " s; restart it by hand once the cause is gone.");
  }
  begin_again(what + ". It was restarted; your session is intact.", {}, 0);
}

// A machine that was never reached is not asked again: something is to be mended first.
void WorkerLink::lost(const std::string& cause, const std::string& words) {
  if (!reached_) return give_up(not_reached(options_.host, cause, words), 3);
  const std::string what = "The connection to " + options_.host + " was lost: ssh " + cause +
                           (words.empty() ? "" : ", saying \"" + words + "\"");
  if (!budget_.take()) {
    return give_up(what + ". It was made anew " + std::to_string(budget_.restarts()) +
                   " times in " + std::to_string(budget_.window().count()) +
                   " s, which is enough; try again once the cause is gone.");
  }
  const int delay = kAgainMs[std::min<size_t>(static_cast<size_t>(failures_), 2)];
  ++failures_;
  begin_again(what + ". It is being made anew.", {{"lost", true}}, delay);
}

void WorkerLink::begin_again(const std::string& sentence, const json& data, int delay_ms) {
  set_state(WorkerState::restarting, &sentence);
  // What had not been sent yet goes to the next worker.
  auto unsent = std::exchange(unsent_, {});
  for (const auto& [id, request] : unsent) pending_.erase(id);
  fail_all({kProcessEnded, 4, sentence, data});
  for (const auto& [id, request] : unsent) pending_[id];
  unsent_ = std::move(unsent);
  if (delay_ms == 0) return start_worker();
  timer_->start(delay_ms, [this] { start_worker(); });
}

void WorkerLink::give_up(const std::string& sentence, int exit_code) {
  reached_ = false;
  failures_ = 0;
  stopped_exit_ = exit_code;  // of what is asked from now on, too
  set_state(WorkerState::stopped, &sentence);
  fail_all({kProcessEnded, exit_code, sentence, {}});
}

void WorkerLink::beat() {
  if (!worker_ || closing_) return;
  write(make_notification("$/alive", json::object()), 0);
  beat_->start(kBeatMs, [this] { beat(); });
}

// Stage 0 ends its input, 1 and 2 signal it, 3 closes what there is; run_loop() then returns.
void WorkerLink::end_worker(int stage) {
  if (stage < 3 && worker_) {
    if (stage == 0) worker_->close_input();
    if (stage > 0) worker_->kill(stage == 1 ? SIGTERM : SIGKILL);
    return timer_->start(kPatienceMs[stage], [this, stage] { end_worker(stage + 1); });
  }
  worker_.reset();
  timer_.reset();
  beat_.reset();
  const std::lock_guard lock(mutex_);
  close_handle(async_);
  // One that survives SIGKILL must not keep this thread: nothing but its handle is left then.
  uv_walk(
      &loop_,
      [](uv_handle_t* handle, void*) {
        if (handle->type == UV_PROCESS && !uv_is_closing(handle)) uv_unref(handle);
      },
      nullptr);
}

}  // namespace tilescope::worker

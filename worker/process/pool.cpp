#include "worker/process/pool.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "worker/process/pool_words.h"
#include "worker/protocol/protocol.h"

namespace tilescope::worker {

using nlohmann::json;

namespace {

bool is_set(const json& data, const char* name) {
  return data.is_object() && data.contains(name) && data[name] == true;
}

}  // namespace

Pool::Pool(uv_loop_t* loop, PoolOptions options)
    : loop_(loop), options_(std::move(options)), soon_(loop) {
  for (int i = 0; i < options_.size; ++i) {
    Slot& slot = slots_.emplace_back(loop);
    if (options_.warm) start_child(slot);
  }
}

Pool::~Pool() = default;

uint64_t Pool::submit(Job job) {
  const uint64_t id = next_id_++;
  auto& queue = job.prefetch ? prefetch_ : interactive_;
  queue.push_back({id, std::move(job)});
  pump_soon();
  return id;
}

// All starting happens from the loop, so that no caller is surprised by a callback.
void Pool::pump_soon() {
  soon_.run([this] { pump(); });
}

void Pool::pump() {
  if (stopping_) return fail_queued(cancelled_error("The worker is closing."));
  if (!stopped_cause_.empty()) {
    return fail_queued({kProcessEnded, 4, stopped_sentence_, {}});
  }
  const bool all_stuck =
      std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.stuck; });
  if (all_stuck) {
    return fail_queued({kProcessEnded, 4, stuck_sentence(options_.kind), stuck_data()});
  }
  Queued next;
  for (Slot* slot; (slot = free_slot()) && take_next(next);) begin(*slot, std::move(next));
}

/// What holds a killed process holds the card, too: who asks must look for devices anew.
json Pool::stuck_data() const {
  return is_gpu(options_.kind) ? json{{"needs_reset", true}} : json();
}

Pool::Slot* Pool::free_slot() {
  Slot* cold = nullptr;
  for (Slot& slot : slots_) {
    if (slot.child && !slot.running && !slot.retired) return &slot;
    if (!slot.child) cold = &slot;
  }
  return cold;
}

bool Pool::take_next(Queued& next) {
  // Prefetches leave one child free, so that a person never waits behind one.
  const auto prefetching = std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.running && slot.running->job.prefetch;
  });
  const bool prefetch_too = prefetching < std::max(1, options_.size - 1);
  auto& queue = !interactive_.empty() || !prefetch_too ? interactive_ : prefetch_;
  if (queue.empty()) return false;
  next = std::move(queue.front());
  queue.pop_front();
  return true;
}

void Pool::start_child(Slot& slot) {
  slot.fault.clear();
  slot.log_mark = 0;
  slot.cancelled = slot.retired = slot.stuck = slot.said_why = slot.hopeless = false;
  slot.child = std::make_unique<Child>(
      loop_, Child::Options{options_.argv, false},
      Child::Handlers{[this, &slot](const Frame& chunk) { frame(slot, chunk); },
                      [this, &slot](const std::string& cause) { ended(slot, cause); },
                      {}});
  slot.child->pause(paused_);
}

void Pool::begin(Slot& slot, Queued queued) {
  if (!slot.child) start_child(slot);
  slot.cancelled = false;
  slot.limit_ms = call_limit_ms(options_.limit, queued.job.params);
  try {
    slot.child->send(make_request(queued.id, queued.job.method, std::move(queued.job.params)));
  } catch (const RpcError& error) {  // too large
    pump_soon();
    return queued.job.failed(error);
  }
  slot.log_mark = slot.child->log().appended();
  const uint64_t id = queued.id;
  slot.running = std::move(queued);
  watch(slot, id);
}

// NVRTC's own limit is one that it looks at itself, and while it preprocesses it does not; a driver
// has none.
void Pool::watch(Slot& slot, uint64_t id) {
  if (slot.limit_ms <= 0) return;
  slot.limit.start(slot.limit_ms, [this, &slot, id] {
    if (!slot.running || slot.running->id != id || slot.cancelled) return;
    if (paused_) return watch(slot, id);  // its answer may lie there and cannot be read
    json data;
    if (is_gpu(options_.kind)) data["needs_reset"] = true;  // nothing else on it fares better
    abandon(slot,
            {kProcessEnded, 4, too_long_sentence(options_.kind, slot.limit_ms), std::move(data)});
  });
}

void Pool::frame(Slot& slot, const Frame& frame) {
  if (slot.retired || !slot.running) return;
  if (options_.limit.of_silence) watch(slot, slot.running->id);
  if (frame.binary) {
    if (frame.id == slot.running->id && slot.running->job.binary) slot.running->job.binary(frame);
    return;
  }
  try {
    Message message = read_message(parse_message(frame.body));
    if (message.kind == Message::Kind::notification) {
      if (message.method == "$/progress" && call_of(message.value) == slot.running->id &&
          slot.running->job.progress && message.value.contains("value")) {
        slot.running->job.progress(message.value["value"]);
      }
    } else if (message.id == slot.running->id) {
      reply(slot, message);
    }
  } catch (const FrameError& error) {
    slot.fault = error.what();
    slot.child->kill(SIGKILL);
  } catch (const RpcError& error) {
    slot.fault = error.message;
    slot.child->kill(SIGKILL);
  } catch (const std::exception& error) {  // whoever reads its answer takes no other type
    slot.fault = std::string("it answered what is no answer: ") + safe_text(error.what(), 200);
    slot.child->kill(SIGKILL);
  }
}

void Pool::reply(Slot& slot, Message& message) {
  const json& data = message.error.data;
  const bool hopeless = message.kind == Message::Kind::error && is_set(data, "needs_reset");
  if (message.kind == Message::Kind::error && is_set(data, "fatal")) {
    // The child ends itself now; the call ends with it, in ended().
    slot.fault = message.error.message;
    slot.said_why = true;
    slot.hopeless = hopeless;
    slot.timer.start(std::max(options_.cancel_grace_ms, 300), [this, &slot] {
      slot.child->kill(SIGKILL);
      // A kernel that never ends may hold even a killed process; its caller must not wait for that.
      slot.timer.start(options_.kill_wait_ms, [this, &slot] {
        slot.retired = slot.stuck = true;
        fail_running(slot, {kProcessEnded, 4, slot.fault + " " + stuck_sentence(options_.kind),
                            stuck_data()});
        pump_soon();
      });
    });
    return;
  }
  const Job job = std::move(slot.running->job);
  const bool cancelled = slot.cancelled;
  settle(slot);
  if (hopeless) kill_slot(slot);  // its driver would not see that the card is back
  if (message.kind == Message::Kind::result) return job.done(std::move(message.value));
  if (cancelled) message.error.code = kCancelled;
  job.failed(message.error);
}

// The child has answered and is free again.
void Pool::settle(Slot& slot) {
  slot.running.reset();
  slot.cancelled = false;
  slot.timer.stop();
  if (options_.one_call_each) kill_slot(slot);
  pump_soon();
}

void Pool::ended(Slot& slot, const std::string& cause) {
  slot.timer.stop();
  const std::unique_ptr<Child> gone = std::move(slot.child);
  last_log_ = gone->log().text();
  const bool wanted = slot.retired;
  if (const auto leaving = std::find_if(leaving_.begin(), leaving_.end(),
                                        [&](const Slot& other) { return &other == &slot; });
      leaving != leaving_.end()) {
    leaving_.erase(leaving);
    return;
  }
  slot.retired = slot.stuck = false;
  if (stopping_) return;
  if (!wanted && !slot.cancelled) {
    crashed(slot, cause, gone->log().last_line(slot.log_mark));
  } else if (slot.running) {
    fail_running(slot, cancelled_error());
  }
  if (options_.warm && !slot.child && stopped_cause_.empty()) start_child(slot);
  pump_soon();
}

void Pool::crashed(Slot& slot, const std::string& cause, const std::string& words) {
  const std::string method = slot.running ? slot.running->job.method : "";
  std::string sentence = crash_sentence(options_.kind, method, slot.fault, cause, words);
  if (slot.hopeless) {
    // A process for a card that is gone would say no more than this; who calls next wants to know.
    sentence = hopeless_sentence(options_.kind, slot.fault);
  } else if (slot.said_why || options_.budget.take()) {
    // The budget ends what falls over by itself. Kernels that fault are saved, and run, by the
    // dozen.
    ++restarts_;
    // Started again before anyone asks, as the sentence says; a probe is only started for a call.
    if (!options_.one_call_each) start_child(slot);
  } else {
    stopped_cause_ = !slot.fault.empty() ? "failed: " + slot.fault
                     : words.empty()     ? cause
                                         : cause + ", saying \"" + words + "\"";
    sentence = stopped_sentence_ =
        stopped_sentence(options_.kind, options_.budget.restarts(),
                         options_.budget.window().count(), stopped_cause_);
  }
  if (options_.notice) options_.notice(sentence);
  json data = {{"log", safe_text(last_log_, 8192, true)}};
  if (slot.hopeless) data["needs_reset"] = true;
  const RpcError error{kProcessEnded, 4, sentence, data};
  fail_running(slot, error);
  if (slot.hopeless) fail_queued(error);
}

void Pool::fail_running(Slot& slot, const RpcError& error) {
  if (!slot.running) return;
  const Job job = std::move(slot.running->job);
  slot.running.reset();
  job.failed(error);
}

void Pool::fail_queued(const RpcError& error) {
  while (!interactive_.empty() || !prefetch_.empty()) {
    auto& queue = interactive_.empty() ? prefetch_ : interactive_;
    const Job job = std::move(queue.front().job);
    queue.pop_front();
    job.failed(error);
  }
}

bool Pool::drop_if_queued(uint64_t id, const RpcError& error) {
  for (auto* queue : {&interactive_, &prefetch_}) {
    const auto found = std::find_if(queue->begin(), queue->end(),
                                    [&](const Queued& queued) { return queued.id == id; });
    if (found == queue->end()) continue;
    const Job job = std::move(found->job);
    queue->erase(found);
    job.failed(error);
    return true;
  }
  return false;
}

void Pool::cancel(uint64_t id) {
  if (drop_if_queued(id, cancelled_error())) return;
  for (Slot& slot : slots_) {
    if (!slot.running || slot.running->id != id || slot.cancelled) continue;
    if (options_.cancel_grace_ms == 0) return abandon(slot, cancelled_error());
    slot.cancelled = true;
    slot.child->send(make_cancel(id));
    slot.timer.start(options_.cancel_grace_ms, [this, &slot] {
      abandon(slot, cancelled_error("Cancelled; the call did not stop, so its process was ended."));
    });
    return;
  }
}

void Pool::abandon(Slot& slot, const RpcError& error) {
  std::optional<Queued> running = std::exchange(slot.running, std::nullopt);
  kill_slot(slot);
  pump_soon();
  if (running) running->job.failed(error);
}

void Pool::kill_slot(Slot& slot) {
  if (!slot.child || slot.retired) return;
  slot.retired = true;
  slot.child->kill(SIGKILL);
  if (options_.replace_at_once && !stopping_) {
    const auto self = std::find_if(slots_.begin(), slots_.end(),
                                   [&](const Slot& other) { return &other == &slot; });
    leaving_.splice(leaving_.end(), slots_, self);  // the slot itself does not move: it is named
    slot.timer.stop();                              // in its child's handlers
    Slot& fresh = slots_.emplace_back(loop_);
    if (options_.warm) start_child(fresh);
    return;
  }
  slot.timer.start(options_.kill_wait_ms, [this, &slot] {
    slot.stuck = true;
    if (options_.notice && !stopping_) options_.notice(stuck_sentence(options_.kind));
    pump_soon();
  });
}

void Pool::restart() {
  options_.budget.refill();
  stopped_cause_.clear();
  std::vector<Slot*> all;
  for (Slot& slot : slots_) all.push_back(&slot);
  for (Slot* slot : all) {
    if (slot->child) {
      abandon(*slot,
              {kProcessEnded,
               4,
               "The " + child_title(options_.kind) + " was restarted by hand during this call.",
               {}});
    } else if (options_.warm) {
      start_child(*slot);
    }
  }
  ++restarts_;
  pump_soon();
}

void Pool::stop() {
  stopping_ = true;
  for (Slot& slot : slots_) kill_slot(slot);
  fail_queued(cancelled_error("The worker is closing."));
}

bool Pool::over() const {
  return leaving_.empty() && std::none_of(slots_.begin(), slots_.end(),
                                          [](const Slot& slot) { return slot.child != nullptr; });
}

void Pool::pause(bool paused) {
  paused_ = paused;
  for (Slot& slot : slots_) {
    if (slot.child) slot.child->pause(paused);
  }
}

json Pool::status() const {
  json children = json::array();
  for (const Slot& slot : slots_) {
    if (!slot.child) continue;
    const char* state = slot.stuck     ? "stuck"
                        : slot.retired ? "ending"
                        : slot.running ? "busy"
                                       : "idle";
    children.push_back({{"pid", slot.child->pid()},
                        {"state", state},
                        {"method", slot.running ? json(slot.running->job.method) : json()},
                        {"log", safe_text(slot.child->log().text(), 16384, true)}});
  }
  return {{"kind", options_.kind},
          {"children", children},
          {"queued", interactive_.size() + prefetch_.size()},
          {"restarts", restarts_},
          {"stopped", stopped_cause_.empty() ? json() : json(stopped_cause_)},
          {"last_log", safe_text(last_log_, 16384, true)}};
}

}  // namespace tilescope::worker

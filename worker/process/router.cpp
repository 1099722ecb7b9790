#include "worker/process/router.h"

#include <algorithm>
#include <utility>

#include "worker/messages/calls.h"
#include "worker/process/landlock.h"
#include "worker/protocol/code_first.h"
#include "worker/protocol/text.h"

namespace tilescope::worker {

using nlohmann::json;

namespace {

constexpr int kMaxGpus = 64;

std::string text_field(const json& params, const char* name) {
  const auto field = params.find(name);
  return field != params.end() && field->is_string() ? field->get<std::string>() : std::string();
}

/// What a client may name beside the cards.
bool is_child(const std::string& device) {
  return !device.empty() && std::ranges::any_of(kRoles, [&](Role role) {
    return device_of(role) && device == device_of(role);
  });
}

/// Behind the name of a pool that has another child of the same kind.
constexpr char kBeside = '+';

std::string kind_of(const std::string& pool) { return pool.substr(0, pool.find(kBeside)); }

bool is_gpu_name(const std::string& device) {
  if (!device.starts_with("cuda:") || device.size() > 7 || device.size() < 6) return false;
  const std::string number = device.substr(5);
  return number.find_first_not_of("0123456789") == number.npos && std::stoi(number) < kMaxGpus;
}

}  // namespace

Router::Router(uv_loop_t* loop, const SupervisorOptions& options, Output output)
    : loop_(loop), options_(options), output_(std::move(output)) {}

void Router::start(const std::string& kernel_dir) {
  kernel_dir_ = kernel_dir;
  pool("compiler");
}

Pool& Router::pool(const std::string& name) {
  std::unique_ptr<Pool>& found = pools_[name];
  if (found) return *found;
  const std::string kind = kind_of(name);
  PoolOptions options;
  options.kind = kind;
  options.cancel_grace_ms = options_.cancel_grace_ms;
  options.limit = call_limit_of(kind, options_.driver_limit_ms);
  options.budget =
      RestartBudget(options_.restarts, std::chrono::seconds(options_.restart_window_s));
  options.notice = [this, kind](const std::string& sentence) { notice(kind, sentence); };
  std::string role = kind;
  if (kind == "compiler") {
    options.size = options_.compilers;
    options.warm = options.replace_at_once = true;
    options.cancel_grace_ms = 0;  // NVRTC cannot be interrupted
  } else if (kind == "probe") {
    options.size = 2;  // GPUs and emulator at the same time
    options.one_call_each = true;
    options.notice = nullptr;  // the list itself says what is wrong
  } else if (kind.starts_with("cuda:")) {
    role = "device:" + kind.substr(5);
  }
  options.argv = options_.child_command(role);
  found = std::make_unique<Pool>(loop_, std::move(options));
  found->pause(paused_);
  return *found;
}

Pool* Router::pool_for(const std::string& device) {
  if (is_child(device) || is_gpu_name(device)) return &pool(device);
  return nullptr;
}

/// Why there is none; empty if there is.
std::string Router::no_room_for(size_t bytes) const {
  if (calls_.size() >= kMostCalls) {
    return "The worker has " + std::to_string(calls_.size()) +
           " calls under way, which is all that it takes at once; wait for one of them, or cancel "
           "some.";
  }
  if (call_bytes_ + bytes <= kMostCallBytes) return {};
  return "The requests under way have " + std::to_string(call_bytes_ >> 20) + " MB and this one " +
         std::to_string(bytes >> 20) + " MB, the worker takes " +
         std::to_string(kMostCallBytes >> 20) +
         " MB at once; wait for one of them, or cancel some.";
}

void Router::request(uint64_t id, const std::string& method, json params, size_t bytes) {
  const auto refuse = [&](const RpcError& error) { output_.send(make_error(id, error)); };
  if (params.is_null()) params = json::object();
  if (!params.is_object()) return refuse({kInvalidParams, 2, "params must be an object.", {}});
  if (calls_.contains(id)) {
    return refuse({kInvalidRequest, 4, "There is already a call " + std::to_string(id) + ".", {}});
  }
  Call call;
  call.device = text_field(params, "device");
  call.method = method;
  if (call.device.empty() && method == calls::Status::name)
    return output_.send(make_result(id, status()));
  if (call.device.empty() && method == calls::Restart::name) {
    return output_.send(make_result(id, restart(params)));
  }
  if (const std::string why = no_room_for(bytes); !why.empty()) {
    return refuse({kInvalidRequest, 4, why, {}});
  }
  call.bytes = bytes;
  if (call.device.empty() && method == calls::Devices::name) {
    call_bytes_ += bytes;
    calls_.emplace(id, std::move(call));
    return list_devices([this, id](const json& devices) { finish(id, {{"devices", devices}}); });
  }
  if (call.device.empty() &&
      (method == calls::Compile::name || method == calls::Standalone::name)) {
    call.device = "compiler";
  }
  if (call.device.empty()) {
    return refuse({kMethodNotFound,
                   2,
                   "The worker has no method \"" + safe_text(method, 80) +
                       "\" of its own; name the \"device\" that it is for.",
                   {}});
  }
  if (!is_child(call.device) && !is_gpu_name(call.device)) {
    return refuse({kInvalidParams,
                   3,
                   "There is no device \"" + safe_text(call.device, 80) +
                       "\" to run on: use emulator, or cuda:N as listed by \"devices\".",
                   {}});
  }
  call.slot = text_field(params, "slot");
  call.prefetch = text_field(params, "priority") == "prefetch";
  if (!kernel_dir_.empty() && !params.contains("kernel_dir")) params["kernel_dir"] = kernel_dir_;
  call.params = std::move(params);
  supersede(call);
  call_bytes_ += bytes;
  calls_.emplace(id, std::move(call));
  route(id);
}

// An older call in the same slot that has not begun would only delay the newer one.
void Router::supersede(const Call& newer) {
  if (newer.slot.empty() || newer.prefetch) return;
  std::vector<uint64_t> older;
  for (const auto& [id, call] : calls_) {
    if (call.slot == newer.slot && call.device == newer.device && call.method == newer.method) {
      older.push_back(id);
    }
  }
  for (const uint64_t id : older) {
    const auto found = calls_.find(id);
    if (found == calls_.end() || !found->second.pool) continue;
    found->second.pool->drop_if_queued(found->second.job,
                                       cancelled_error("Replaced by a newer request."));
  }
}

/// A call on several cards at once ("devices"); false if it is none.
bool Router::begin_gang(uint64_t id) {
  Call& call = calls_.at(id);
  const auto named = call.params.find("devices");
  if (named == call.params.end() || !named->is_array() || named->size() < 2) return false;
  std::vector<Gang::Member> members;
  for (const json& device : *named) {
    const std::string name = device.is_string() ? device.get<std::string>() : std::string();
    const auto same = [&](const Gang::Member& m) { return m.device == name; };
    if (!is_gpu_name(name) || std::any_of(members.begin(), members.end(), same)) {
      fail(id, {kInvalidParams,
                2,
                "\"" + safe_text(name, 80) +
                    "\" is no card of its own: several ranks need a cuda:N each.",
                {}});
      return true;
    }
    members.push_back({name, &pool(name)});
  }
  call.on_card = true;
  Gang::Outcome outcome;
  outcome.done = [this, id](json result) { finish(id, std::move(result)); };
  outcome.failed = [this, id](const RpcError& error) { fail(id, error); };
  outcome.progress = [this, id](const json& value) { output_.send(make_progress(id, value)); };
  gangs_[id] =
      std::make_shared<Gang>(loop_, std::move(members), std::move(call.params), std::move(outcome));
  gangs_[id]->start();
  return true;
}

void Router::route(uint64_t id) {
  if (begin_gang(id)) return;
  const Call& call = calls_.at(id);
  if (!needs_code(call.device, call.params)) {
    return run_on(id, pool_of(call));
  }
  if (call.device == "emulator") return compile_first(id, nullptr);
  // A GPU's code depends on its architecture, which the list of devices names.
  if (json limits = limits_of(call.device); limits.is_object()) return compile_first(id, limits);
  list_devices([this, id](const json&) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    if (found->second.cancelled) return fail(id, cancelled_error());
    compile_first(id, limits_of(found->second.device));
  });
}

void Router::compile_first(uint64_t id, const json& limits) {
  Call& call = calls_.at(id);
  json params = compile_params(call.params, call.device, limits);
  Job job = job_of(id, calls::Compile::name, std::move(params));
  job.progress = nullptr;  // of another form than the call's own
  job.binary = nullptr;
  job.done = [this, id](json result) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    Call& call = found->second;
    call.pool = nullptr;
    add_code(call.params, std::move(result));
    run_on(id, pool_of(call));
  };
  call.pool = &pool("compiler");
  call.job = call.pool->submit(std::move(job));
}

// A card's counters are read by a child that never touches CUDA: it forks. A trace is made beside
// the counts of the same launch, by an emulator of its own: it needs nothing that another call has
// left behind, as a step does.
Pool& Router::pool_of(const Call& call) {
  if (call.method == calls::Trace::name && call.device == device_of(Role::emulator)) {
    return pool(call.device + kBeside);
  }
  return is_gpu_name(call.device) && call.method == calls::Counters::name ? pool("counters")
                                                                          : *pool_for(call.device);
}

// Timing and counting never share a card.
bool Router::is_others_turn(const Call& call, const Pool& pool) const {
  return is_gpu_name(call.device) &&
         std::any_of(calls_.begin(), calls_.end(), [&](const auto& entry) {
           const Call& other = entry.second;
           return other.on_card && other.device == call.device && other.pool != &pool;
         });
}

void Router::next_turn() {
  std::vector<uint64_t> waiting;
  for (const auto& [id, call] : calls_) {
    if (call.next) waiting.push_back(id);
  }
  for (const uint64_t id : waiting) run_on(id, *std::exchange(calls_.at(id).next, nullptr));
}

void Router::run_on(uint64_t id, Pool& pool) {
  Call& call = calls_.at(id);
  if (is_others_turn(call, pool)) {
    call.next = &pool;
    return;
  }
  call.on_card = is_gpu_name(call.device);
  json params = std::exchange(call.params, json());
  Job job = job_of(id, call.method, std::move(params));
  call.pool = &pool;
  call.job = pool.submit(std::move(job));
}

Job Router::job_of(uint64_t id, std::string method, json params) {
  Job job;
  job.method = std::move(method);
  job.params = std::move(params);
  job.prefetch = calls_.at(id).prefetch;
  job.done = [this, id](json result) { finish(id, std::move(result)); };
  job.failed = [this, id](const RpcError& error) { fail(id, error); };
  job.progress = [this, id](const json& value) { output_.send(make_progress(id, value)); };
  job.binary = [this, id](const Frame& chunk) {
    Frame forwarded = chunk;
    forwarded.id = id;
    output_.send_binary(forwarded);
  };
  return job;
}

bool Router::forget(uint64_t id) {
  gangs_.erase(id);
  const auto found = calls_.find(id);
  if (found == calls_.end()) return false;
  call_bytes_ -= found->second.bytes;
  calls_.erase(found);
  return true;
}

void Router::finish(uint64_t id, json result) {
  if (!forget(id)) return;
  output_.send(make_result(id, std::move(result)));
  next_turn();
}

void Router::fail(uint64_t id, const RpcError& error) {
  if (!forget(id)) return;
  output_.send(make_error(id, error));
  next_turn();
}

void Router::cancel(uint64_t id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  found->second.cancelled = true;
  if (const auto gang = gangs_.find(id); gang != gangs_.end()) {
    return std::shared_ptr<Gang>(gang->second)->cancel();
  }
  if (found->second.next) return fail(id, cancelled_error());
  // While devices are searched there is no job; the call ends when the search does.
  if (found->second.pool) found->second.pool->cancel(found->second.job);
}

void Router::notice(const std::string& kind, const std::string& sentence) {
  output_.send(make_notification("$/notice", {{"kind", kind}, {"message", sentence}}));
}

json Router::status() const {
  json pools = json::array();
  for (const auto& [kind, pool] : pools_) pools.push_back(pool->status());
  return {{"pid", uv_os_getpid()},
          {"calls", calls_.size()},
          {"pools", pools},
          {"landlock", landlock_version()}};
}

json Router::restart(const json& params) {
  const std::string kind = text_field(params, "kind");
  json restarted = json::array();
  for (const auto& [name, pool] : pools_) {
    if (!kind.empty() && kind_of(name) != kind) continue;
    pool->restart();
    restarted.push_back(name);
  }
  return {{"restarted", restarted}};
}

void Router::pause(bool paused) {
  if (paused == paused_) return;
  paused_ = paused;
  for (const auto& [kind, pool] : pools_) pool->pause(paused);
}

void Router::stop() {
  for (const auto& [kind, pool] : pools_) pool->stop();
}

bool Router::over() const {
  return std::all_of(pools_.begin(), pools_.end(),
                     [](const auto& entry) { return entry.second->over(); });
}

}  // namespace tilescope::worker

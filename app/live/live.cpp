#include "app/live/live.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/playback.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;
using worker::Client;
using worker::RpcError;

constexpr double kDebounce = 0.040;  // seconds: the hand rests
constexpr int kCancelled = -32800;

/// Block tile → blockIdx, by way of the launch order.
BlockIndex shown_cta(const AppState& state) {
  const Derived& d = state.derived;
  return block_index(d.launch, first_worker(d.plan.work, state.selection.cta).cta);
}

/// Every tile one notch away on one slider, legal ones only.
std::vector<Edit> neighbours(const AppState& state) {
  std::vector<Edit> out;
  const KernelEntry& kernel = *state.derived.kernel;
  for (int i = 0; i < kernel.sliders.count; ++i) {
    const Slider& s = kernel.sliders.slider[i];
    const int now = get(state.edit.tile, s.field);
    for (int j = 0; j < s.count; ++j) {
      if (s.values[j] != now) continue;
      for (int other : {j + 1, j - 1}) {
        if (other < 0 || other >= s.count) continue;
        Edit e = state.edit;
        set(e.tile, s.field, s.values[other]);
        if (kernel.validate(e.tile, e.problem, state.limits).legal()) out.push_back(e);
      }
    }
  }
  return out;
}

}  // namespace

worker::KernelRequest request_of(const Edit& edit) {
  return {edit.kernel, edit.tile, edit.problem};
}

Live::Live(std::unique_ptr<Client> client, std::string why_no_worker)
    : client_(std::move(client)), why_no_worker_(std::move(why_no_worker)) {}

Live::~Live() = default;

void Live::on_activity(std::function<void()> wake) {
  if (client_) client_->on_activity(std::move(wake));
}

bool Live::busy(const AppState& state) const {
  return !running_.empty() || registers_serial_ != 0 || prover_.busy(state) ||
         state.origins.running ||
         (client_ && noticed_serial_ != seen_serial_ && state.derived.legal());
}

void Live::cancel_all() {
  for (uint64_t id : running_) client_->cancel(id);
  running_.clear();
}

void Live::fail(AppState& state, const RpcError& error) {
  if (error.code == kCancelled) return;
  state.results.stage = Stage::failed;
  state.results.error = error.message;
  if (error.data.is_object()) {
    if (const auto log = error.data.find("log"); log != error.data.end() && log->is_string()) {
      state.results.error_details = log->get<std::string>();
    }
  }
}

std::function<void(const RpcError&)> Live::failure(uint64_t serial) {
  return [this, serial](const RpcError& error) {
    running_.clear();
    if (serial == state_->edit_serial) fail(*state_, error);
  };
}

void Live::stop(AppState& state) {
  if (!client_) return;
  cancel_all();
  if (state.results.stage != Stage::failed) state.results.stage = Stage::idle;
}

void Live::run_again(AppState& state) {
  seen_serial_ = 0;
  changed_at_ = 0;
  state.results.error.clear();
}

void Live::restart_worker(AppState& state) {
  if (!client_) return;
  client_->restart();
  run_again(state);
}

void Live::ask_devices() {
  asked_devices_ = true;
  client_->request("", "devices", json::object(),
                   {.done =
                        [this](const json& result) {
                          const json& list =
                              result.is_object() ? result.value("devices", json::array()) : result;
                          state_->devices.clear();
                          for (const json& d : list) {
                            state_->devices.push_back(d.get<worker::DeviceInfo>());
                          }
                        },
                    .failed = [](const RpcError&) {},
                    .progress = {},
                    .binary = {}});
}

void Live::update(AppState& state) {
  state_ = &state;
  if (!client_) {
    if (state.results.error.empty()) {
      state.results.error = why_no_worker_;
      state.results.stage = Stage::failed;
    }
    state.proofs.wanted.clear();
    return;
  }
  if (!asked_devices_) ask_devices();
  prover_.answers_to(&state);
  origin_asker_.answers_to(&state);
  client_->poll();
  prover_.update(state, *client_);
  origin_asker_.update(state, *client_);
  state.notice = client_->notice();

  if (noticed_serial_ != state.edit_serial) {
    noticed_serial_ = state.edit_serial;
    changed_at_ = state.now;
    cancel_all();
    if (state.derived.legal()) {
      state.results.stage = Stage::debouncing;
      state.results.stage_since = state.now;
    } else {
      state.results.stage = Stage::idle;
    }
    state.results.error.clear();
    state.results.error_details.clear();
  }
  const bool rested = state.now - changed_at_ >= kDebounce || changed_at_ == 0;
  if (seen_serial_ != state.edit_serial && rested && state.derived.legal() &&
      state.derived.kernel) {
    seen_serial_ = state.edit_serial;
    begin(state);
  } else if (seen_serial_ == state.edit_serial && state.results.compile &&
             state.results.edit_serial == state.edit_serial && running_.empty() &&
             state.derived.legal() && state.results.stage != Stage::failed) {
    // The trace follows the chosen CTA and k step.
    const bool other_cta = !(traced_cta_ == state.selection.cta);
    bool has_k = false;
    if (state.results.timeline) {
      for (const auto& slice : state.results.timeline->slices()) {
        has_k = has_k || slice.k_step == state.playhead.k_step;
      }
    }
    if (other_cta || (!has_k && traced_k_ != state.playhead.k_step)) request_trace(state);
  }
  state_ = nullptr;
}

void Live::begin(AppState& state) {
  cancel_all();
  for (uint64_t id : ahead_) client_->cancel(id);
  ahead_.clear();
  registers_serial_ = 0;
  Results& r = state.results;
  r.stage = Stage::compiling;
  r.stage_since = state.now;
  json params = request_of(state.edit);
  params["slot"] = "edit";
  params["ptx_is_enough"] = true;  // for the steps; the assembler takes a third of the time
  const uint64_t serial = state.edit_serial;
  running_.push_back(client_->request("compiler", "compile", std::move(params),
                                      {.done =
                                           [this, serial](const json& result) {
                                             running_.clear();
                                             AppState& s = *state_;
                                             if (serial != s.edit_serial) return;
                                             s.results = {};
                                             s.results.edit_serial = serial;
                                             s.results.compile =
                                                 result.get<worker::CompileResult>();
                                             if (s.results.compile->registers == 0)
                                               request_registers(s);
                                             request_trace(s);
                                           },
                                       .failed = failure(serial),
                                       .progress = {},
                                       .binary = {}}));
}

/// The whole compile beside the trace: it leaves one compiler free for the next edit.
void Live::request_registers(AppState& state) {
  registers_serial_ = state.edit_serial;
  json params = request_of(state.edit);
  params["priority"] = "prefetch";
  const uint64_t serial = state.edit_serial;
  ahead_.push_back(client_->request("compiler", "compile", std::move(params),
                                    {.done =
                                         [this, serial](const json& result) {
                                           if (registers_serial_ == serial) registers_serial_ = 0;
                                           AppState& s = *state_;
                                           if (serial != s.edit_serial || !s.results.compile)
                                             return;
                                           const auto whole = result.get<worker::CompileResult>();
                                           s.results.compile->registers = whole.registers;
                                           s.results.compile->spill_bytes = whole.spill_bytes;
                                           s.results.compile->compile_ms = whole.compile_ms;
                                         },
                                     .failed =
                                         [this, serial](const RpcError&) {
                                           if (registers_serial_ == serial) registers_serial_ = 0;
                                         },
                                     .progress = {},
                                     .binary = {}}));
}

void Live::request_trace(AppState& state) {
  Results& r = state.results;
  r.stage = Stage::tracing;
  r.stage_since = state.now;
  traced_cta_ = state.selection.cta;
  traced_k_ =
      std::clamp(state.playhead.k_step, 0, std::max(0, state.derived.plan.work.k_slices - 1));
  json params = request_of(state.edit);
  params["ptx"] = r.compile->ptx;
  const auto [x, y, z] = shown_cta(state);
  params["cta"] = {x, y};
  params["k_step"] = traced_k_;
  const uint64_t serial = state.edit_serial;
  auto raw = std::make_shared<std::vector<std::byte>>();
  running_.push_back(client_->request(
      "emulator", "trace", std::move(params),
      {.done =
           [this, serial, raw](const json& result) {
             running_.clear();
             AppState& s = *state_;
             if (serial != s.edit_serial) return;
             auto trace = std::make_shared<worker::TraceResult>(result.get<worker::TraceResult>());
             trace->raw = worker::decode_raw(*raw);
             s.results.timeline = std::make_shared<Timeline>(*trace);
             s.results.trace = std::move(trace);
             settle_playhead(s);
             if (s.results.emulated) {
               s.results.stage = Stage::done;
             } else {
               request_counts(s);
             }
           },
       .failed = failure(serial),
       .progress = {},
       .binary =
           [raw](std::string_view type, std::span<const std::byte> bytes) {
             if (type == "trace.raw") raw->insert(raw->end(), bytes.begin(), bytes.end());
           }}));
}

void Live::finish(AppState& state) {
  state.results.stage = Stage::done;
  state.results.stage_since = state.now;
  remember_result(state);
}

void Live::request_neighbours(AppState& state) {
  for (const Edit& edit : neighbours(state)) {
    json params = request_of(edit);
    params["priority"] = "prefetch";
    ahead_.push_back(client_->request("compiler", "compile", std::move(params),
                                      {.done = [](const json&) {},
                                       .failed = [](const RpcError&) {},
                                       .progress = {},
                                       .binary = {}}));
  }
}

}  // namespace tilescope

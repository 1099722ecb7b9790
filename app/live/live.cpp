#include "app/live/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/state/counting.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/playback.h"
#include "app/state/second_opinion.h"
#include "app/state/verifying.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_trace.h"

namespace tilescope {
namespace {

using nlohmann::json;
using worker::Client;
using worker::RpcError;

constexpr double kDebounce = 0.040;  // seconds: the hand rests
constexpr int kCancelled = -32800;

int shown_slice(const AppState& state) {
  return std::clamp(state.playhead.k_step, 0, std::max(0, state.derived.plan.work.k_slices - 1));
}
/// The CTA that works on the chosen slice of the chosen tile, and as which of its work items.
TileWorker shown_worker(const AppState& state) {
  const Derived& d = state.derived;
  return worker_of(d.plan.work, state.selection.cta, shown_slice(state));
}

}  // namespace

worker::KernelRequest request_of(const Edit& edit, int sms) {
  return {edit.kernel, edit.tile, edit.problem, sms};
}

Live::Live(std::unique_ptr<Client> client, std::string why_no_worker)
    : client_(std::move(client)),
      why_no_worker_(std::move(why_no_worker)),
      running_(client_.get()),
      registers_(client_.get()),
      ahead_(client_.get()),
      devices_(client_.get()),
      results_asker_(client_.get()),
      sweeper_(client_.get()),
      verifier_(client_.get()),
      counter_(client_.get()),
      sass_reader_(client_.get()),
      opinion_asker_(client_.get()),
      layer_runner_(client_.get()) {}

Live::~Live() = default;

void Live::on_activity(std::function<void()> wake) {
  if (kernel_watch_) kernel_watch_->begin(wake);
  l2_asker_.on_activity(wake);
  layer_planner_.on_activity(wake);
  if (client_) client_->on_activity(std::move(wake));
}

bool Live::busy(const AppState& state) const {
  return !running_.idle() || !registers_.idle() || !devices_.idle() || prover_.busy(state) ||
         (client_ && results_asker_.busy(state)) || l2_asker_.busy(state) ||
         state.origins.running || !state.take_away.running.empty() ||
         !state.take_away.wanted.empty() || state.counting.running || state.counting.wanted ||
         state.disassembly.running || opinion_asker_.busy() || layer_planner_.busy(state) ||
         state.layer.run.wanted || state.layer.run.running ||
         (client_ && (!asked_devices_ || (seen_serial_ != state.edit_serial &&
                                          state.derived.legal() && state.derived.kernel)));
}

void Live::fail(AppState& state, const RpcError& error) {
  if (error.code == kCancelled) {  // not by us: what we cancel, we do not hear of any more
    state.results.stage = Stage::idle;
    return;
  }
  state.results.stage = Stage::failed;
  state.results.error = error.message;
  if (error.data.is_object()) {
    if (const auto log = error.data.find("log"); log != error.data.end() && log->is_string()) {
      state.results.error_details = log->get<std::string>();
    }
    if (error.data.contains("findings")) {
      state.results.findings = error.data["findings"].get<std::vector<worker::CodeFinding>>();
    }
    if (error.data.contains("needs_reset")) asked_devices_ = false;  // the card is gone
  }
}

std::function<void(const RpcError&)> Live::failure() {
  return [this](const RpcError& error) { fail(*state_, error); };
}

void Live::stop(AppState& state) {
  if (!client_) return;
  running_.drop();
  registers_.drop();
  ahead_.drop();
  results_asker_.stop();
  state.tune.stop_wanted = state.tune.sweep.running;
  stop_counting(state);
  stop_verifying(state);
  layer_runner_.drop(state);
  stopped_ = true;
  // Nor does it go on by itself.
  seen_serial_ = noticed_serial_ = state.edit_serial;
  traced_cta_ = state.selection.cta;
  traced_k_ = state.playhead.k_step;
  if (state.results.stage != Stage::failed) state.results.stage = Stage::idle;
}

void Live::run_again(AppState& state) {
  running_.drop();
  counter_.drop(state);
  results_asker_.again();
  sass_reader_.drop(state);
  opinion_asker_.drop(state);
  seen_serial_ = 0;
  changed_at_ = 0;
  state.results.error.clear();
  state.results.error_details.clear();
}

void Live::restart_worker(AppState& state) {
  if (!client_) return;
  client_->restart();
  layer_runner_.drop(state);
  layer_runner_.look_again();
  asked_devices_ = false;  // a card may have come back
  run_again(state);
}

nlohmann::json Live::params_of(const Edit& edit) const {
  json params = request_of(edit, state_->limits.sm_count);
  if (const worker::DeviceInfo* card = card_of(*state_)) {
    params["arch"] = arch_of(*state_);
    params["limits"] = card->limits;
  }
  return params;
}

void Live::update(AppState& state) {
  state_ = &state;
  if (client_) {
    update_worker(state);
  } else {
    if (state.results.error.empty()) {
      state.results.error = why_no_worker_;
      state.results.stage = Stage::failed;
    }
    state.proofs.wanted.clear();
    if (!std::exchange(state.tune.wanted, {}).empty()) say(state, why_no_worker_);
    if (std::exchange(state.counting.wanted, false)) state.counting.error = why_no_worker_;
    if (std::exchange(state.disassembly.wanted, false)) state.disassembly.error = why_no_worker_;
    if (state.opinion.wanted)
      state.opinion = {.of = opinion_question(state), .error = why_no_worker_};
    if (std::exchange(state.layer.run.wanted, false)) {
      state.layer.run = {
          .of = layer_question(state), .place = layer_place(state), .error = why_no_worker_};
    }
    if (!std::exchange(state.take_away.wanted, {}).empty()) state.take_away.error = why_no_worker_;
    if (!state.devices_known) devices_found(state, {});
    if (!state.recordings_known) recordings_found(state, {});
  }
  l2_asker_.update(state);
  layer_planner_.update(state);
  state_ = nullptr;
}

void Live::update_worker(AppState& state) {
  // First what is outdated is dropped, so that no answer to it is taken for one to the present
  // edit.
  if (noticed_serial_ != state.edit_serial) {
    noticed_serial_ = state.edit_serial;
    changed_at_ = state.now;
    running_.drop();
    registers_.drop();
    verifier_.drop();
    counter_.drop(state);
    sass_reader_.drop(state);
    if (state.derived.legal()) {
      state.results.stage = Stage::debouncing;
      state.results.stage_since = state.now;
    } else {
      state.results.stage = Stage::idle;
    }
    state.results.error.clear();
    state.results.error_details.clear();
  }
  follow_kernels(state);
  if (!asked_devices_) request_devices();
  prover_.answers_to(&state);
  origin_asker_.answers_to(&state);
  exporter_.answers_to(&state);
  results_asker_.answers_to(&state);
  sweeper_.answers_to(&state);
  verifier_.answers_to(&state);
  counter_.answers_to(&state);
  sass_reader_.answers_to(&state);
  opinion_asker_.answers_to(&state);
  layer_runner_.answers_to(&state);
  poll(state);
  prover_.update(state, *client_);
  origin_asker_.update(state, *client_);
  if (!state.take_away.wanted.empty()) exporter_.update(state, *client_, params_of(state.edit));
  state.notice = client_->notice();
  if (device_serial_ != state.device_serial) follow_device(state);
  if (sweeper_.take_lost() || layer_runner_.take_lost()) asked_devices_ = false;

  const bool rested = state.now - changed_at_ >= kDebounce || changed_at_ == 0;
  if (seen_serial_ != state.edit_serial && rested && state.derived.legal() &&
      state.derived.kernel) {
    seen_serial_ = state.edit_serial;
    begin(state);
  } else if (seen_serial_ == state.edit_serial && state.results.compile &&
             state.results.edit_serial == state.edit_serial && running_.idle() &&
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
  opinion_asker_.update(state);
  layer_runner_.update(state);
  results_asker_.update(state, edit_rests(state));
  sweeper_.update(state, edit_rests(state), [this](const Edit& edit) {
    json params = params_of(edit);
    params["time_limit"] = time_limit_;
    return params;
  });
  if (state.disassembly.wanted) {
    sass_reader_.update(state, params_of(state.edit),
                        state.results.compile && state.results.edit_serial == state.edit_serial);
  }
  if (state.counting.wanted || state.counting.stop) {
    json params = params_of(state.edit);
    params["time_limit"] = time_limit_;
    counter_.update(state, params, seen_serial_ == state.edit_serial && running_.idle());
  }
  verifier_.update(state, emulator_is_free(state), [&] { return params_of(state.edit); });
  if (const auto failure = verifier_.take_failure()) fail(state, *failure);
}

bool Live::emulator_is_free(const AppState& state) const {
  return verifies_beside_ && edit_rests(state) && !results_asker_.busy(state) &&
         !prover_.busy(state) && !state.origins.running && !state.tune.sweep.running &&
         !state.counting.running && !state.layer.run.running;
}

bool Live::edit_rests(const AppState& state) const {
  return running_.idle() && (seen_serial_ == state.edit_serial || !state.derived.legal());
}

/// A worker whose answers are not what they should be is started anew, and nothing is asked again
/// by itself.
void Live::poll(AppState& state) {
  try {
    client_->poll();
  } catch (const json::exception& error) {
    client_->restart();
    running_.drop();
    registers_.drop();
    verifier_.drop();
    state.proofs.running.clear();
    state.origins.running = false;
    counter_.drop(state);
    sass_reader_.drop(state);
    opinion_asker_.drop(state);
    layer_runner_.drop(state);
    state.results.stage = Stage::failed;
    state.results.error = fmt::format(
        "An answer of the worker is not understood ({}); it was restarted, your session is intact.",
        error.what());
  }
}

/// Another device: measured there, and begun anew if it needs other code.
void Live::follow_device(AppState& state) {
  device_serial_ = state.device_serial;
  const bool first = !std::exchange(device_known_, !state.device.empty());
  if (first && stopped_) return;                  // no choice, and no reason to go on
  if (seen_serial_ != state.edit_serial) return;  // not begun yet
  if (!state.derived.legal()) {
    running_.drop();
    state.results.stage = Stage::idle;
    return;
  }
  const bool counted = state.results.edit_serial == state.edit_serial && state.results.emulated;
  if (arch_ != arch_of(state) || (!counted && state.results.stage == Stage::failed)) {
    return run_again(state);
  }
  if (!counted) return;  // its turn comes
  running_.drop();
  counter_.drop(state);
  state.results.measured.reset();
  state.results.error.clear();
  state.results.error_details.clear();
  request_measured(state);
}

void Live::begin(AppState& state) {
  running_.drop();
  registers_.drop();
  ahead_.drop();
  stopped_ = false;
  arch_ = arch_of(state);
  Results& r = state.results;
  r.stage = Stage::compiling;
  r.stage_since = state.now;
  json params = params_of(state.edit);
  params["slot"] = "edit";
  params["ptx_is_enough"] = true;  // for the steps; the assembler takes a third of the time
  running_.ask("compiler", "compile", std::move(params),
               {.done =
                    [this](const json& result) {
                      AppState& s = *state_;
                      auto compiled = result.get<worker::CompileResult>();
                      s.results = {};
                      s.results.edit_serial = s.edit_serial;
                      s.results.compile = std::move(compiled);
                      if (s.results.compile->registers == 0) request_registers(s);
                      request_trace(s);
                    },
                .failed = failure(),
                .progress = {},
                .binary = {}});
}

/// The whole compile beside the trace: it leaves one compiler free for the next edit.
void Live::request_registers(AppState& state) {
  json params = params_of(state.edit);
  params["priority"] = "prefetch";
  registers_.ask("compiler", "compile", std::move(params),
                 {.done =
                      [this](const json& result) {
                        if (!state_->results.compile) return;
                        const auto whole = result.get<worker::CompileResult>();
                        worker::CompileResult& compile = *state_->results.compile;
                        compile.registers = whole.registers;
                        compile.spill_bytes = whole.spill_bytes;
                        compile.compile_ms = whole.compile_ms;
                      },
                  .failed = [](const RpcError&) {},
                  .progress = {},
                  .binary = {}});
}

void Live::request_trace(AppState& state) {
  Results& r = state.results;
  r.stage = Stage::tracing;
  r.stage_since = state.now;
  traced_cta_ = state.selection.cta;
  traced_k_ = shown_slice(state);
  json params = params_of(state.edit);
  params["ptx"] = r.compile->ptx;
  const TileWorker worker = shown_worker(state);
  params["cta"] = block_index(state.derived.launch, worker.cta);
  params["item"] = worker.item;
  params["k_step"] = traced_k_;
  auto parts = std::make_shared<worker::TraceParts>();
  running_.ask("emulator", "trace", std::move(params),
               {.done =
                    [this, parts](const json& answer) {
                      AppState& s = *state_;
                      auto trace = std::make_shared<worker::TraceResult>(parts->whole(answer));
                      s.results.timeline = std::make_shared<Timeline>(*trace);
                      s.results.trace = std::move(trace);
                      settle_playhead(s);
                      if (s.results.emulated) {
                        s.results.stage = Stage::done;
                      } else {
                        request_counts(s);
                      }
                    },
                .failed = failure(),
                .progress = {},
                .binary = [parts](std::string_view type,
                                  std::span<const std::byte> bytes) { parts->add(type, bytes); }});
}

void Live::finish(AppState& state) {
  state.results.stage = Stage::done;
  state.results.stage_since = state.now;
  remember_result(state);
}

}  // namespace tilescope

// After the trace: counts and verification, checks where something is wrong, and a measurement or
// what was recorded of one.
#include "app/live/live.h"
#include "worker/messages/messages_json.h"

namespace tilescope {

using nlohmann::json;
using worker::RpcError;

void Live::request_counts(AppState& state) {
  state.results.stage = Stage::emulating;
  state.results.stage_since = state.now;
  json params = request_of(state.edit);
  params["ptx"] = state.results.compile->ptx;
  const uint64_t serial = state.edit_serial;
  running_.push_back(
      client_->request("emulator", "emulate", std::move(params),
                       {.done =
                            [this, serial](const json& result) {
                              running_.clear();
                              AppState& s = *state_;
                              if (serial != s.edit_serial) return;
                              s.results.emulated = result.get<worker::EmulateResult>();
                              s.results.findings = s.results.emulated->findings;
                              const auto& verified = s.results.emulated->verified;
                              if (verified && !verified->ok) {
                                request_checks(s);
                              } else {
                                request_measured(s);
                              }
                              request_neighbours(s);
                            },
                        .failed =
                            [this, serial](const RpcError& error) {
                              running_.clear();
                              if (serial != state_->edit_serial) return;
                              fail(*state_, error);
                              if (error.data.is_object() && error.data.contains("fault")) {
                                request_checks(*state_);
                              }
                            },
                        .progress =
                            [this, serial](const json& progress) {
                              if (serial != state_->edit_serial || !progress.is_object()) return;
                              const double all = progress.value("all", 0.0);
                              if (all > 0)
                                state_->results.emulate_done = progress.value("done", 0.0) / all;
                            },
                        .binary = {}}));
}

void Live::request_measured(AppState& state) {
  if (state.view.bench_device.starts_with("cuda:")) {
    request_measurement(state);
  } else {
    request_recording(state);
  }
}

// The result is wrong, or the kernel faulted: the checks name the lines. One CTA of each class is
// enough for that, and quick.
void Live::request_checks(AppState& state) {
  json params = request_of(state.edit);
  params["ptx"] = state.results.compile->ptx;
  params["check"] = true;
  params["scope"] = "classes";
  params["verify"] = false;
  const uint64_t serial = state.edit_serial;
  const auto take = [this, serial](const json& holder) {
    running_.clear();
    AppState& s = *state_;
    if (serial != s.edit_serial) return;
    if (holder.is_object() && holder.contains("findings")) {
      s.results.findings = holder["findings"].get<std::vector<worker::CodeFinding>>();
    }
    if (s.results.emulated && s.results.stage != Stage::failed) request_measured(s);
  };
  running_.push_back(
      client_->request("emulator", "emulate", std::move(params),
                       {.done = take,
                        .failed = [take](const RpcError& error) { take(error.data); },
                        .progress = {},
                        .binary = {}}));
}

void Live::request_recording(AppState& state) {
  json params = request_of(state.edit);
  params["ptx"] = "";  // nothing is to be compiled for it
  const uint64_t serial = state.edit_serial;
  running_.push_back(client_->request(
      "emulator", "recorded", std::move(params),
      {.done =
           [this, serial](const json& result) {
             running_.clear();
             AppState& s = *state_;
             if (serial != s.edit_serial) return;
             // One's own kernel is not what was recorded.
             const bool same = s.kernel_dir.empty() ||
                               (s.results.compile && result.value("revision", std::string()) ==
                                                         s.results.compile->revision);
             if (same && result.value("found", false)) {
               s.results.measured = result.at("result").get<worker::MeasureResult>();
             }
             finish(s);
           },
       .failed =
           [this, serial](const RpcError&) {
             running_.clear();  // none is as good as no recording
             if (serial == state_->edit_serial) finish(*state_);
           },
       .progress = {},
       .binary = {}}));
}

void Live::request_measurement(AppState& state) {
  state.results.stage = Stage::measuring;
  state.results.stage_since = state.now;
  json params = request_of(state.edit);
  params["slot"] = "edit";
  const uint64_t serial = state.edit_serial;
  running_.push_back(
      client_->request(state.view.bench_device, "measure", std::move(params),
                       {.done =
                            [this, serial](const json& result) {
                              running_.clear();
                              if (serial != state_->edit_serial) return;
                              state_->results.measured = result.get<worker::MeasureResult>();
                              finish(*state_);
                            },
                        .failed = failure(serial),
                        .progress =
                            [this, serial](const json& progress) {
                              if (serial != state_->edit_serial || !progress.contains("samples"))
                                return;
                              state_->results.measured = progress.get<worker::MeasureResult>();
                            },
                        .binary = {}}));
}

}  // namespace tilescope

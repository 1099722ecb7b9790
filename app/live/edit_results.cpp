// After the trace: counts, verification and checks, then a measurement or what was recorded of one.
#include <nlohmann/json.hpp>

#include "app/live/edit_runner.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/known_results.h"
#include "worker/messages/messages_json.h"

namespace tilescope {

using nlohmann::json;
using worker::RpcError;

void EditRunner::request_counts(AppState& state) {
  state.results.stage = Stage::emulating;
  state.results.stage_since = state.now;
  json params = call_params(state, state.edit);
  params["ptx"] = state.results.compile->ptx;
  running_.ask("emulator", "emulate", std::move(params),
               {.done =
                    [this](AppState& s, const json& result) {
                      Results& r = s.results;
                      r.emulated = result.get<worker::EmulateResult>();
                      r.findings = r.emulated->checks.findings;
                      r.findings.insert(r.findings.end(), r.emulated->findings.begin(),
                                        r.emulated->findings.end());
                      request_measured(s);
                      request_neighbours(s);
                    },
                .failed = failure(),
                .progress =
                    [](AppState& s, const json& progress) {
                      if (!progress.is_object()) return;
                      const double all = progress.value("all", 0.0);
                      if (all > 0) s.results.emulate_done = progress.value("done", 0.0) / all;
                    }});
}

void EditRunner::check_all(AppState& state) {
  Results& r = state.results;
  if (!link_.client || r.edit_serial != state.edit_serial || !r.emulated || !r.compile) return;
  running_.drop();
  r.stage = Stage::checking;
  r.stage_since = state.now;
  json params = call_params(state, state.edit);
  params["ptx"] = r.compile->ptx;
  params["whole_k"] = true;
  running_.ask("emulator", "check", std::move(params),
               {.done =
                    [this](AppState& s, const json& result) {
                      Results& now = s.results;
                      now.emulated->checks = result.get<worker::CheckResult>();
                      now.findings = now.emulated->checks.findings;
                      now.findings.insert(now.findings.end(), now.emulated->findings.begin(),
                                          now.emulated->findings.end());
                      if (now.measured) return finish(s);
                      request_measured(s);  // which it came before
                    },
                .failed = failure()});
}

void EditRunner::request_measured(AppState& state) {
  // What the devices are is asked once, at the start: no recording stands where a card's figure
  // will.
  if (state.device.empty()) {
    state.results.stage = Stage::queued;  // follow_device() comes back to it
  } else if (is_card(state.device)) {
    request_measurement(state);
  } else if (is_recording(state.device)) {
    request_recording(state);
  } else {
    finish(state);
  }
}

void EditRunner::request_recording(AppState& state) {
  json params = call_params(state, state.edit);
  params["name"] = state.device.substr(state.device.find(':') + 1);
  params["whole_name"] = true;
  if (is_own_recording(state.device)) params["store"] = state.store;
  running_.ask(
      "store", "recorded", std::move(params),
      {
          .done =
              [this](AppState& s, const json& result) {
                if (!result.value("found", false)) return finish(s);
                const std::string arch = result.value("arch", std::string());
                const std::string revision = result.value("revision", std::string());
                s.results.measured = result.at("result").get<worker::MeasureResult>();
                if (result.contains("counters")) {
                  s.results.counters = result["counters"].get<worker::CountersResult>();
                }
                if (revision.empty() || arch.empty() || arch == s.results.compile->arch) {
                  take_recording(s, !revision.empty() && revision != s.results.compile->revision);
                } else {
                  request_revision(s, arch, revision);
                }
              },
          .failed = [this](AppState& s, const RpcError&) { finish(s); },  // as good as no recording
      });
}

void EditRunner::take_recording(AppState& state, bool older) {
  state.results.measured->older_kernel = older;
  if (state.results.counters) state.results.counters->older_kernel = older;
  // One's own kernel is not what was recorded.
  if (older && !state.kernel_dir.empty()) {
    state.results.measured.reset();
    state.results.counters.reset();
  }
  finish(state);
}

/// Recorded for another architecture than the present PTX is of: only that one can be compared.
void EditRunner::request_revision(AppState& state, const std::string& arch,
                                  const std::string& revision) {
  json params = request_of(state.edit, state.limits.sm_count);
  params["arch"] = arch;
  params["ptx_is_enough"] = true;
  running_.ask("compiler", "compile", std::move(params),
               {
                   .done =
                       [this, revision](AppState& s, const json& result) {
                         const auto compiled = result.get<worker::CompileResult>();
                         take_recording(s, revision != compiled.revision);
                       },
                   .failed = [this](AppState& s, const RpcError&) { finish(s); },
               });
}

void EditRunner::request_measurement(AppState& state) {
  state.results.stage = Stage::measuring;
  state.results.stage_since = state.now;
  json params = call_params(state, state.edit);
  params["slot"] = "edit";
  params["time_limit"] = time_limit_;
  if (!state.store.empty()) params["store"] = state.store;
  running_.ask(state.device, "measure", std::move(params),
               {.done =
                    [this](AppState& s, const json& result) {
                      Results& r = s.results;
                      r.measured = result.get<worker::MeasureResult>();
                      // A card that NVRTC does not list has no cubin: its driver knows the
                      // registers.
                      if (r.compile->registers == 0 && r.measured->registers) {
                        r.compile->registers = *r.measured->registers;
                        r.compile->spill_bytes = r.measured->spill_bytes.value_or(0);
                      }
                      const std::string not_kept = result.value("not_kept", std::string());
                      if (!not_kept.empty()) say(s, not_kept);
                      learn_result(s, s.edit, *r.measured, result.value("arch", ""),
                                   result.value("revision", ""));
                      finish(s);
                    },
                .failed =
                    [this](AppState& s, const RpcError& error) {
                      s.results.measured.reset();  // of samples before the failure
                      fail(s, error);
                    },
                .progress =
                    [](AppState& s, const json& progress) {
                      if (!progress.is_object() || !progress.contains("samples")) return;
                      s.results.measured = progress.get<worker::MeasureResult>();
                    }});
}

}  // namespace tilescope

#include "tests/live/fake_client.h"

#include <algorithm>
#include <utility>

#include "worker/messages/messages_json.h"
#include "worker/messages/messages_trace.h"

namespace tilescope {

using nlohmann::json;

bool FakeClient::Call::of_edit() const {
  return method != "devices" && method != "recordings" && method != "proofs" &&
         method != "results" && method != "verifyPart" &&
         params.value("priority", "") != "prefetch";
}

uint64_t FakeClient::request(std::string_view device, std::string_view method, json params,
                             Callbacks callbacks) {
  open_.push_back({next_, std::string(device), std::string(method), std::move(params),
                   std::move(callbacks), false});
  return next_++;
}

void FakeClient::cancel(uint64_t id) {
  for (Call& call : open_) call.cancelled = call.cancelled || call.id == id;
}

void FakeClient::poll() {
  // One at a time from a member: what an answer throws leaves the others where they are.
  while (!arrived_.empty()) {
    const auto answer = std::move(arrived_.front());
    arrived_.erase(arrived_.begin());
    answer();
  }
}

void FakeClient::restart() {
  ++restarts_;
  while (!open_.empty()) fail(open_.front().id, {-32001, 4, "The worker was restarted.", {}});
}

const FakeClient::Call* FakeClient::find(const std::string& method) const {
  for (const Call& call : open_) {
    if (call.method == method && !call.cancelled && call.params.value("priority", "") != "prefetch")
      return &call;
  }
  return nullptr;
}

FakeClient::Call FakeClient::take(uint64_t id) {
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const Call& call) { return call.id == id; });
  Call call = std::move(*found);
  open_.erase(found);
  return call;
}

void FakeClient::answer(uint64_t id, json result) {
  arrived_.push_back([call = take(id), result = std::move(result)] {
    if (call.callbacks.done) call.callbacks.done(result);
  });
  if (wake_) wake_();
}

void FakeClient::fail(uint64_t id, worker::RpcError error) {
  arrived_.push_back([call = take(id), error = std::move(error)] {
    if (call.callbacks.failed) call.callbacks.failed(error);
  });
  if (wake_) wake_();
}

void FakeClient::progress(uint64_t id, json progress) {
  const auto call =
      std::find_if(open_.begin(), open_.end(), [&](const Call& c) { return c.id == id; });
  arrived_.push_back([callbacks = call->callbacks, progress = std::move(progress)] {
    if (callbacks.progress) callbacks.progress(progress);
  });
}

void FakeClient::answer_well(uint64_t id) {
  const Call& call =
      *std::find_if(open_.begin(), open_.end(), [&](const Call& c) { return c.id == id; });
  const std::string& method = call.method;
  if (method == "devices") return answer(id, {{"devices", devices}});
  if (method == "recordings") return answer(id, {{"recordings", recordings}});
  if (method == "proofs") return answer(id, {{"proofs", json::object()}});
  if (method == "recorded") return answer(id, recorded);
  if (method == "results") return answer(id, {{"results", results}});
  if (method == "keptLayers") return answer(id, {{"layers", layers}});
  if (method == "keepLayer") return answer(id, {{"remark", ""}});
  if (method == "check") return answer(id, worker::CheckResult{4, 4096, true, {}});
  if (method == "compile") {
    worker::CompileResult compiled;
    compiled.ptx = ptx_of(call.params.get<worker::KernelRequest>());
    compiled.revision = "now";
    compiled.arch = call.params.value("arch", "sm_90");
    compiled.registers = call.params.value("ptx_is_enough", false) ? 0 : 100;
    return answer(id, compiled);
  }
  if (method == "trace") {
    worker::TraceResult trace;
    trace.cta = call.params.at("cta");
    trace.warps = 1, trace.epochs = 1, trace.k_slices = 64, trace.k_end = 64;
    trace.recorded_k_steps = {0, call.params.at("k_step").get<int>()};
    trace.events.resize(1);
    const json told = worker::send_trace(trace, [&call](std::string_view type, auto bytes) {
      if (call.callbacks.binary) call.callbacks.binary(type, bytes);
    });
    return answer(id, told);
  }
  if (method == "emulate") {
    worker::EmulateResult emulated;
    emulated.verified = worker::Verification{1e-7, 1e-5, true};
    if (few_ctas) {
      emulated.verified->elements = 65536, emulated.verified->of = 4096 * 4096;
      emulated.verified->ctas = 4, emulated.verified->of_ctas = 1024;
    }
    emulated.checks.ctas = 4;
    return answer(id, emulated);
  }
  if (method == "verifyPart") {
    worker::VerifiedPart part;
    part.sums.elements = 128 * 128 * call.params.at("groups").size();
    part.sums.reference = static_cast<double>(part.sums.elements);
    part.tolerance = 1e-5, part.usual_square = 1;
    return answer(id, part);
  }
  if (method == "counters") {
    worker::CountersResult counted;
    counted.device = call.device, counted.date = "2026-11-22", counted.standing = "measured";
    counted.values["dram__bytes_read.sum"] = 4.2e6;
    return answer(id, counted);
  }
  worker::MeasureResult measured;
  measured.device = call.device, measured.device_name = "Some card", measured.standing = "measured";
  measured.tflops = 100, measured.time_us = 10, measured.final = true;
  answer(id, measured);
}

worker::DeviceInfo card(const std::string& id, const std::string& name, int sm) {
  worker::DeviceInfo info;
  info.id = id, info.name = name;
  info.limits.sm = sm;
  return info;
}

std::string ptx_of(const worker::KernelRequest& request) { return json(request).dump(); }

}  // namespace tilescope

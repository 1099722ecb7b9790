#include "tests/live/fake_client.h"

#include <algorithm>
#include <utility>

#include "worker/messages/messages_json.h"

namespace tilescope {

using nlohmann::json;
namespace calls = worker::calls;

bool FakeClient::Call::of_edit() const {
  return !is<calls::Devices>() && !is<calls::Recordings>() && !is<calls::Proofs>() &&
         !is<calls::Results>() && !is<calls::VerifyPart>() &&
         params.value("priority", "") != "prefetch";
}

uint64_t FakeClient::request(std::string_view device, std::string_view method, json params,
                             Callbacks callbacks) {
  ++asked_[std::string(method)];
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
  if (call.is<calls::Devices>()) return answer(id, {{"devices", devices}});
  if (call.is<calls::Recordings>()) return answer(id, {{"recordings", recordings}});
  if (call.is<calls::Recorded>()) return answer(id, recorded);
  if (call.is<calls::Results>()) return answer(id, {{"results", results}});
  if (call.is<calls::KeptLayers>()) return answer(id, {{"layers", layers}});
  if (call.is<calls::Proofs>()) return answer_as<calls::Proofs>(call, {});
  if (call.is<calls::CheckStore>()) return answer_as<calls::CheckStore>(call, {});
  if (call.is<calls::KeepLayer>()) return answer_as<calls::KeepLayer>(call, {});
  if (call.is<calls::Check>()) return answer_as<calls::Check>(call, {4, 4096, true, {}});
  if (call.is<calls::Compile>()) {
    const auto request = call.request<calls::Compile>();
    calls::Compile::Answer compiled;
    compiled.result.ptx = ptx_of(request.of.request);
    compiled.result.revision = "now";
    compiled.result.arch = request.of.arch.empty() ? "sm_90" : request.of.arch;
    compiled.result.registers = request.ptx_is_enough ? 0 : 100;
    return answer_as<calls::Compile>(call, compiled);
  }
  if (call.is<calls::Trace>()) {
    const auto request = call.request<calls::Trace>();
    worker::TraceResult trace;
    trace.cta = request.cta;
    trace.warps = 1, trace.epochs = 1, trace.k_slices = 64, trace.k_end = 64;
    trace.recorded_k_steps = {0, request.k_step};
    trace.events.resize(1);
    return answer_as<calls::Trace>(call, trace);
  }
  if (call.is<calls::Emulate>()) {
    calls::Emulate::Answer emulated;
    worker::Verification& verified = emulated.result.verified.emplace();
    verified.norm = 1e-7, verified.tolerance = 1e-5, verified.ok = true;
    if (few_ctas) {
      verified.elements = 65536, verified.of = 4096 * 4096;
      verified.ctas = 4, verified.of_ctas = 1024;
    }
    emulated.result.checks.ctas = 4;
    return answer_as<calls::Emulate>(call, emulated);
  }
  if (call.is<calls::VerifyPart>()) {
    calls::VerifyPart::Answer answer;
    worker::ComparedSums& sums = answer.part.sums;
    sums.elements = 128 * 128 * call.request<calls::VerifyPart>().groups.size();
    sums.reference = static_cast<double>(sums.elements);
    answer.part.tolerance = 1e-5, answer.part.usual_square = 1;
    return answer_as<calls::VerifyPart>(call, answer);
  }
  if (call.is<calls::Counters>()) {
    worker::CountersResult counted;
    counted.device = call.device, counted.date = "2026-11-22", counted.standing = "measured";
    counted.values["dram__bytes_read.sum"] = 4.2e6;
    return answer_as<calls::Counters>(call, counted);
  }
  calls::Measure::Answer answer;
  worker::MeasureResult& measured = answer.result;
  measured.device = call.device, measured.device_name = "Some card", measured.standing = "measured";
  measured.tflops = 100, measured.time_us = 10, measured.final = true;
  answer_as<calls::Measure>(call, answer);
}

worker::DeviceInfo card(const std::string& id, const std::string& name, int sm) {
  worker::DeviceInfo info;
  info.id = id, info.name = name;
  info.limits.sm = sm;
  return info;
}

std::string ptx_of(const worker::KernelRequest& request) { return json(request).dump(); }

}  // namespace tilescope

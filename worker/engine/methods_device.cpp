// A GPU's calls. CUDA is not touched before the first of them, so that a missing driver is an
// answer, not a crash.
#include <map>

#include "worker/engine/compile/legal.h"
#include "worker/engine/compile/revision.h"
#include "worker/engine/compile/source_hash.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/measure.h"
#include "worker/engine/gpu/measure_own.h"
#include "worker/engine/gpu/nccl.h"
#include "worker/engine/layer/card_layer.h"
#include "worker/engine/methods.h"
#include "worker/engine/probe/probe_methods.h"
#include "worker/engine/store/sqlite_store.h"

namespace tilescope::worker {
namespace {

struct DeviceState {
  int ordinal = 0;
  std::unique_ptr<GpuSession> session;
  GpuSession& open() {
    if (!session) session = std::make_unique<GpuSession>(ordinal);
    return *session;
  }
  std::map<std::string, SqliteStore> stores;  // by folder; a person has one
};

void put_running(const DeviceState& state, const Running& running, MeasureOptions& options) {
  options.ordinal = state.ordinal;
  options.cancelled = running.cancelled;
  options.progress = [&running](const MeasureResult& r) { running.tell({.measured = r}); };
}

/// While a call waits for the card, which answers: our own kernels have no limit of time, and what
/// is right of a large problem takes minutes where double precision is slow. Who hears nothing
/// takes the driver to hang (worker/process/call_limit.cpp).
class SignsOfLife {
 public:
  SignsOfLife(GpuSession& session, const Running& running) : session_(session) {
    session.tell_waiting([&running] { running.tell(Progress{}); });
  }
  ~SignsOfLife() { session_.tell_waiting({}); }
  SignsOfLife(const SignsOfLife&) = delete;
  SignsOfLife& operator=(const SignsOfLife&) = delete;

 private:
  GpuSession& session_;
};

/// A card measures with what is left out of `options`.
MeasureResult run(DeviceState& state, const calls::Kernel& of, const calls::Code& given,
                  MeasureOptions options, const Running& running, Code& code) {
  GpuSession& session = state.open();
  const KernelEntry& kernel = require_legal(of.request, session.gpu().limits());
  put_running(state, running, options);
  code = code_of(given, of.request, session.gpu().arch(), running);
  const SignsOfLife signs(session, running);
  return measure(session, of.request, kernel, code, options);
}

/// Into the store, and what there is to be said of it into the answer.
void keep_result(DeviceState& state, const calls::Measure::Request& asked,
                 calls::Measure::Answer& answer, const Running& running) {
  KernelRequest ran = asked.of->request;
  ran.sms = state.open().gpu().limits().sm_count;
  const KernelEntry& kernel = *find_kernel(ran.kernel.c_str());
  Store& store =
      state.stores.try_emplace(asked.store, asked.store, std::vector<std::string>()).first->second;
  answer.not_kept = store.keep(recording_line(ran, answer.result, answer.arch, answer.revision,
                                              SourceHash(running.kernel_dir).of(ran, kernel)));
  for (const std::string& sentence : {store.take_notice(), answer.not_kept}) {
    if (!sentence.empty()) answer.remarks.push_back(sentence);
  }
}

void run_own(DeviceState& state, const calls::Measure::Request& asked, MeasureOptions options,
             const Running& running, calls::Measure::Answer& answer) {
  GpuSession& session = state.open();
  put_running(state, running, options);
  Code code;
  if (asked.code.cubin) code = given_code(asked.code);
  const SignsOfLife signs(session, running);
  OwnMeasured measured =
      measure_own(session, *asked.launch, {asked.other, asked.other_args}, code, options);
  answer.result = std::move(measured.result);
  answer.gemm = std::move(measured.gemm);
  answer.expected = std::move(measured.expected);
  answer.printed = std::move(measured.printed);
  answer.arch = session.gpu().arch();
  answer.revision = ptx_revision(asked.launch->ptx);
}

calls::Measure::Answer run_measure(DeviceState& state, const calls::Measure::Request& asked,
                                   const Running& running) {
  calls::Measure::Answer answer;
  MeasureOptions options;
  options.seconds = asked.seconds;
  options.rest = asked.rest;
  options.time_limit = asked.time_limit;
  options.library = asked.library;
  options.remark = [&answer](std::string s) { answer.remarks.push_back(std::move(s)); };
  if (asked.launch) {
    run_own(state, asked, options, running, answer);
    return answer;
  }
  Code code;
  answer.result = run(state, asked.of.value(), asked.code, options, running, code);
  answer.arch = code.compiled.arch, answer.revision = code.compiled.revision;
  if (!asked.store.empty() && answer.result.tflops) keep_result(state, asked, answer, running);
  return answer;
}

Verification run_verify(DeviceState& state, const calls::Verify::Request& asked,
                        const Running& running) {
  MeasureOptions options;
  options.time_limit = asked.time_limit;
  options.only_verify = true;
  options.remark = [](const std::string&) {};
  Code code;
  const MeasureResult measured = run(state, asked.of.of, asked.of.code, options, running, code);
  return measured.verified.value();
}

LayerAnswer run_layer_here(DeviceState& state, const calls::Layer::Request& asked,
                           const Running& running) {
  GpuSession& session = state.open();
  session.set_time_limit(asked.layer.time_limit);
  CardLayerRun run;
  run.rank = asked.rank;
  run.id = asked.id;
  run.options = {running.kernel_dir, running.cancelled};
  run.progress = [&](const std::string& stage, int done, int all) {
    running.tell({stage, static_cast<uint64_t>(done), static_cast<uint64_t>(all)});
  };
  return {.ranks = {run_layer_on_card(session.gpu(), session.tools(), asked.layer, run)}};
}

calls::LayerId::Answer make_layer_id(const calls::Nothing&, const Running&) {
  std::string why_not;
  const auto nccl = Nccl::open(&why_not);
  if (!nccl) fail(kMissing, why_not);
  return {nccl->unique_id()};
}

calls::Devices::Answer list_cards(const calls::Devices::Request&, const Running&) {
  calls::Devices::Answer list;
  const auto driver = CudaDriver::open();
  const int count = driver->device_count();
  for (int i = 0; i < count; ++i) {
    DeviceInfo info;
    info.id = "cuda:" + std::to_string(i);
    try {
      const Gpu gpu(i, false);
      info.name = gpu.name();
      info.driver = "CUDA " + driver->version();
      if (const auto nvml = Nvml::open(gpu.pci_bus_id()); nvml && !nvml->driver_version().empty()) {
        info.driver = nvml->driver_version() + " (" + info.driver + ")";
      }
      info.limits = gpu.limits();
      info.clock_mhz = gpu.clock_mhz();
      info.dram_gb_per_second = gpu.dram_gb_per_second();
      info.l2_bytes = gpu.l2_bytes();
    } catch (const RpcError& error) {
      if (info.name.empty()) info.name = "GPU " + std::to_string(i);
      info.available = false;
      info.why_not = error.message;
    }
    list.devices.push_back(info);
  }
  return list;
}

}  // namespace

MethodTable device_methods(int ordinal) {
  auto state = std::make_shared<DeviceState>();
  state->ordinal = ordinal;
  MethodTable table;
  serve<calls::Devices>(table, list_cards);
  if (ordinal < 0) return table;
  serve<calls::Measure>(table, [state](const auto& asked, const Running& running) {
    return run_measure(*state, asked, running);
  });
  serve<calls::Verify>(table, [state](const auto& asked, const Running& running) {
    return run_verify(*state, asked, running);
  });
  serve<calls::Layer>(table, [state](const auto& asked, const Running& running) {
    return run_layer_here(*state, asked, running);
  });
  serve<calls::LayerId>(table, make_layer_id);
  serve<calls::ProbeFragment>(table, [state](const auto& asked, const Running& running) {
    return probe_fragment(asked, *gpu_probe_machine(state->open().gpu()),
                          {running.cancelled, stage_teller(running, "proving")});
  });
  return table;
}

}  // namespace tilescope::worker

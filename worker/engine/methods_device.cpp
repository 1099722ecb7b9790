// A GPU's calls. Params: KernelRequest + "ptx" and "cubin" (else compiled here), and
//   "verify"   → Verification
//   "measure"  "seconds": 2, "rest": 3 (idle time between samples, as a multiple of theirs),
//              "time_limit": 10 (of one launch), "library": true → MeasureResult,
//              "arch" and "revision" of what ran, "remarks": sentences about what was left out;
//              MeasureResults as progress. "store": folder in whose store a right result is kept,
//              before it is answered, by this process: whatever ends after it, the result is there;
//              "not_kept": why it is not, if so
//   "layer"    LayerRequest (messages_layer.h); with "rank" and "id" that rank alone, beside those
//   of
//              other cards, else all one after another → {"ranks": [RankRun]}
//   "layerId"  → {"id"}: what the ranks of one run are given to find each other
//   "devices"  → {"devices": [DeviceInfo]}, for any ordinal
// CUDA is not touched before the first call, so that a missing driver is an answer, not a crash.
#include "worker/engine/compile/legal.h"
#include "worker/engine/compile/source_hash.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/measure.h"
#include "worker/engine/gpu/nccl.h"
#include "worker/engine/layer/card_layer.h"
#include "worker/engine/probe/probe_methods.h"
#include "worker/engine/store/sqlite_store.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

struct DeviceState {
  int ordinal = 0;
  std::unique_ptr<GpuSession> session;
  GpuSession& open() {
    if (!session) session = std::make_unique<GpuSession>(ordinal);
    return *session;
  }
  std::map<std::string, SqliteStore> stores;  // by folder; a person has one
};

/// MeasureResult, and what of the code that ran a recording needs: "arch", "revision".
json run(DeviceState& state, const json& params, CallContext& context, bool only_verify) {
  const KernelRequest request = request_of(params);
  GpuSession& session = state.open();
  const KernelEntry& kernel = require_legal(request, session.gpu().limits());
  MeasureOptions options;
  options.ordinal = state.ordinal;
  options.seconds = params.value("seconds", 2.0);
  options.rest = params.value("rest", options.rest);
  options.time_limit = params.value("time_limit", options.time_limit);
  options.library = params.value("library", true);
  options.only_verify = only_verify;
  options.cancelled = context.cancelled;
  if (context.progress) {
    options.progress = [&context](const MeasureResult& result) { context.progress(result); };
  }
  json remarks = json::array(), not_kept;
  options.remark = [&remarks](std::string s) { remarks.push_back(std::move(s)); };
  const Code code = code_of(params, request, session.gpu().arch(), context.cancelled);
  const MeasureResult measured = measure(session, request, kernel, code, options);
  if (const std::string folder = params.value("store", std::string());
      !folder.empty() && measured.tflops) {
    KernelRequest ran = request;
    ran.sms = session.gpu().limits().sm_count;
    Store& store =
        state.stores.try_emplace(folder, folder, std::vector<std::string>()).first->second;
    const std::string why_not =
        store.keep(recording_line(ran, measured, code.compiled.arch, code.compiled.revision,
                                  SourceHash(kernel_dir_of(params)).of(ran, kernel)));
    for (const std::string& sentence : {store.take_notice(), why_not}) {
      if (!sentence.empty()) remarks.push_back(sentence);
    }
    if (!why_not.empty()) not_kept = why_not;
  }
  json result = measured;
  result["remarks"] = std::move(remarks);
  if (!not_kept.is_null()) result["not_kept"] = std::move(not_kept);
  result["arch"] = code.compiled.arch;
  result["revision"] = code.compiled.revision;
  return result;
}

json run_layer_here(DeviceState& state, const json& params, CallContext& context) {
  const LayerRequest request = params.get<LayerRequest>();
  GpuSession& session = state.open();
  session.set_time_limit(request.time_limit);
  CardLayerRun run;
  run.rank = params.value("rank", -1);
  run.id = params.value("id", std::string());
  run.options = {kernel_dir_of(params), context.cancelled};
  run.progress = [&](const std::string& stage, int done, int all) {
    if (context.progress) context.progress({{"stage", stage}, {"done", done}, {"all", all}});
  };
  return {{"ranks", {run_layer_on_card(session.gpu(), session.tools(), request, run)}}};
}

json make_layer_id(const json&, CallContext&) {
  std::string why_not;
  const auto nccl = Nccl::open(&why_not);
  if (!nccl) fail(kMissing, why_not);
  return {{"id", nccl->unique_id()}};
}

json list_cards(const json&, CallContext&) {
  json list = json::array();
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
    list.push_back(info);
  }
  return {{"devices", std::move(list)}};
}

}  // namespace

MethodTable device_methods(int ordinal) {
  auto state = std::make_shared<DeviceState>();
  state->ordinal = ordinal;
  MethodTable table;
  table["devices"] = guarded(list_cards);
  if (ordinal < 0) return table;
  table["measure"] = guarded([state](const json& params, CallContext& context) {
    return run(*state, params, context, false);
  });
  table["verify"] = guarded([state](const json& params, CallContext& context) {
    return run(*state, params, context, true).at("verified");
  });
  table["layer"] = guarded([state](const json& params, CallContext& context) {
    return run_layer_here(*state, params, context);
  });
  table["layerId"] = guarded(make_layer_id);
  table["probeFragment"] = guarded([state](const json& params, CallContext& context) {
    return probe_fragment(params, context, *gpu_probe_machine(state->open().gpu()));
  });
  return table;
}

}  // namespace tilescope::worker

// The emulator's calls. Params: KernelRequest + "ptx" (else compiled here for "arch") and
//   all that run something: "max_memory", bytes that they may take, 0 = no limit
//   "emulate"  "scope": "automatic" | "whole" | "classes", "verify": true, "data": "random" |
//   "exact",
//              "seed", "threads", "max_lane_instructions"                   → EmulateResult +
//              "seed"
//              Beside the run the checks of one CTA of each class: its "checks".
//   "check"    "whole_k": false                                      → CheckResult
//   "counts"   the same without verification                                → EmulateResult
//   "verify"   the same, its "verified" alone                               → Verification
//   "verifyPart" "groups": numbers of CtaGroups (core/model/verification_order.h), "explain": true,
//              "seed", "threads", "max_lane_instructions"             → VerifiedPart + "seed"
//   "trace"    "cta": [x, y, z], "item", "k_step", "lanes": true, "max_lane_instructions"
//              → TraceResult, its events and lane addresses as binary frames (messages_trace.h).
//              Of any PTX with "launch": LaunchRequest in place of a kernel.
//   "run"      RunRequest (messages_run.h), of any PTX               → RunAnswer, and binary frames
//   "origin"   OriginQuestion (messages_origin.h)                    → OriginResult
//   "provenance" "cta"                                             → {"provenance"}
//   "layer"      LayerRequest + "arch", "threads"                → LayerResult (messages_layer.h)
//   "devices"                                                → {"devices": [DeviceInfo]}
#include "core/model/device_table.h"
#include "emulator/emulator.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/emulate/check.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/emulate/memory_limit.h"
#include "worker/engine/emulate/origin.h"
#include "worker/engine/emulate/run_launch.h"
#include "worker/engine/emulate/verify_part.h"
#include "worker/engine/error.h"
#include "worker/engine/layer/emulated_layer.h"
#include "worker/engine/methods.h"
#include "worker/engine/parallel.h"
#include "worker/engine/probe/probe_methods.h"
#include "worker/engine/trace/trace.h"
#include "worker/engine/trace/trace_launch.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_origin.h"
#include "worker/messages/messages_trace.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

EmulateOptions::Scope scope_of(const std::string& name) {
  using Scope = EmulateOptions::Scope;
  if (name == "automatic") return Scope::automatic;
  if (name == "whole") return Scope::whole;
  if (name == "classes") return Scope::classes;
  throw std::invalid_argument("\"" + name +
                              "\" is not a scope; known are automatic, whole, classes.");
}

DataSpec::Kind data_of(const std::string& name) {
  if (name == "random") return DataSpec::Kind::random;
  if (name == "exact") return DataSpec::Kind::exact;
  throw std::invalid_argument("\"" + name + "\" is not a kind of data; known are random, exact.");
}

std::string arch_of(const json& params) {
  const std::string arch = params.value("arch", std::string());
  return arch.empty() ? kDefaultArch : arch;
}

json run_emulation(const json& params, CallContext& context, bool verify) {
  const KernelRequest request = request_of(params);
  const std::string arch = arch_of(params);
  const KernelEntry& kernel = require_legal(request, limits_of(params, arch));
  EmulateOptions options;
  options.scope = scope_of(params.value("scope", std::string("automatic")));
  options.data.kind = data_of(params.value("data", std::string("random")));
  options.data.seed = params.contains("seed") ? params["seed"].get<uint64_t>() : random_seed();
  options.verify = verify && params.value("verify", true);
  options.check = params.value("check", false);
  options.threads = params.value("threads", host_threads());
  options.max_lane_instructions =
      params.value("max_lane_instructions", options.max_lane_instructions);
  options.cancelled = context.cancelled;
  if (context.progress) {
    // A hundred messages are enough for any bar.
    options.progress = [&context, last = uint64_t{0}](uint64_t done, uint64_t all) mutable {
      const uint64_t percent = all > 0 ? done * 100 / all : 100;
      if (percent == last) return;
      last = percent;
      context.progress({{"done", done}, {"all", all}});
    };
  }
  const Code code = code_of(params, request, arch, context.cancelled);
  json result = emulate(request, kernel, code.ptx, options);
  result["seed"] = options.data.seed;
  return result;
}

json run_layer(const json& params, CallContext& context) {
  const LayerRequest request = params.get<LayerRequest>();
  EmulateLayerOptions options;
  options.arch = arch_of(params);
  options.kernel_dir = kernel_dir_of(params);
  options.limits = limits_of(params, options.arch);
  options.threads = params.value("threads", host_threads());
  options.cancelled = context.cancelled;
  options.progress = [&context](const std::string& stage, int done, int all) {
    if (context.progress) context.progress({{"stage", stage}, {"done", done}, {"all", all}});
  };
  return emulate_layer(request, options);
}

json run_checks(const json& params, CallContext& context) {
  const KernelRequest request = request_of(params);
  const std::string arch = arch_of(params);
  const KernelEntry& kernel = require_legal(request, limits_of(params, arch));
  CheckOptions options;
  options.whole_k = params.value("whole_k", false);
  options.data.seed = params.contains("seed") ? params["seed"].get<uint64_t>() : random_seed();
  options.threads = params.value("threads", host_threads());
  options.cancelled = context.cancelled;
  const Code code = code_of(params, request, arch, context.cancelled);
  return check_classes(request, kernel, code.ptx, options);
}

json run_part(const json& params, CallContext& context) {
  const KernelRequest request = request_of(params);
  const std::string arch = arch_of(params);
  const KernelEntry& kernel = require_legal(request, limits_of(params, arch));
  VerifyPartOptions options;
  options.data.seed = params.contains("seed") ? params["seed"].get<uint64_t>() : random_seed();
  options.explain = params.value("explain", options.explain);
  options.threads = params.value("threads", host_threads());
  options.max_lane_instructions =
      params.value("max_lane_instructions", options.max_lane_instructions);
  options.cancelled = context.cancelled;
  const Code code = code_of(params, request, arch, context.cancelled);
  const auto groups = params.at("groups").get<std::vector<int>>();
  json result = verify_part(request, kernel, code.ptx, groups, options);
  result["seed"] = options.data.seed;
  return result;
}

TraceResult trace_of(const json& params, const TraceRequest& options) {
  if (has_launch(params)) return trace_launch(params["launch"].get<LaunchRequest>(), options);
  const KernelRequest request = request_of(params);
  const std::string arch = arch_of(params);
  const KernelEntry& kernel = require_legal(request, limits_of(params, arch));
  const Code code = code_of(params, request, arch, options.cancelled);
  return trace(request, kernel, code.ptx, options);
}

json run_trace(const json& params, CallContext& context) {
  TraceRequest options;
  options.cta = params.value("cta", BlockIndex());
  options.item = params.value("item", 0);
  options.k_step = params.value("k_step", options.k_step);
  options.max_lane_instructions =
      params.value("max_lane_instructions", options.max_lane_instructions);
  options.raw = params.value("lanes", true) && context.binary;
  options.cancelled = context.cancelled;
  const TraceResult result = trace_of(params, options);
  return context.binary ? send_trace(result, context.binary) : json(result);
}

json find_origin(const json& params, CallContext& context) {
  const KernelRequest request = request_of(params);
  const std::string arch = arch_of(params);
  const KernelEntry& kernel = require_legal(request, limits_of(params, arch));
  const Code code = code_of(params, request, arch, context.cancelled);
  return origin_of(request, kernel, code.ptx, params.get<OriginQuestion>(), context.cancelled);
}

json find_stored(const json& params, CallContext& context) {
  const KernelRequest request = request_of(params);
  const std::string arch = arch_of(params);
  const KernelEntry& kernel = require_legal(request, limits_of(params, arch));
  const Code code = code_of(params, request, arch, context.cancelled);
  const auto cta = params.value("cta", BlockIndex());
  return {{"provenance", stored_origins(request, kernel, code.ptx, cta, context.cancelled)}};
}

json list_devices(const json&, CallContext&) {
  DeviceInfo emulator;
  emulator.id = "emulator";
  emulator.name = "Emulator (" + std::to_string(host_threads()) +
                  (host_threads() == 1 ? " thread" : " threads") +
                  (emulator::uses_avx2() ? ", AVX2)" : ", portable)");
  emulator.limits = model::device_table().front().limits;
  return {{"devices", {emulator}}};
}

/// Within the memory that the call may take; what is short of it says so.
Method bounded(Method method) {
  return guarded([method = std::move(method)](const json& params, CallContext& context) {
    const uint64_t allowed = params.value("max_memory", kMostMemory);
    const MemoryLimit limit(allowed);
    try {
      return method(params, context);
    } catch (const std::bad_alloc&) {
      if (memory_allowed() == 0) throw;
      fail(kMissing, "The emulator needs more memory for this, " +
                         memory_way_out(allowed, "a smaller problem"));
    }
  });
}

}  // namespace

MethodTable emulator_methods() {
  MethodTable table;
  table["emulate"] = bounded([](const json& params, CallContext& context) {
    return run_emulation(params, context, true);
  });
  table["counts"] = bounded([](const json& params, CallContext& context) {
    return run_emulation(params, context, false);
  });
  table["verify"] = bounded([](const json& params, CallContext& context) {
    return run_emulation(params, context, true).at("verified");
  });
  table["check"] = bounded(run_checks);
  table["verifyPart"] = bounded(run_part);
  table["trace"] = bounded(run_trace);
  table["layer"] = bounded(run_layer);
  table["run"] = bounded(run_launch_call);
  table["origin"] = bounded(find_origin);
  table["provenance"] = bounded(find_stored);
  table["probeFragment"] = guarded([](const json& params, CallContext& context) {
    return probe_fragment(params, context, *emulator_probe_machine());
  });
  table["devices"] = guarded(list_devices);
  return table;
}

}  // namespace tilescope::worker

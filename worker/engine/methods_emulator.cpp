// The emulator's calls.
#include "core/model/device_table.h"
#include "emulator/emulator.h"
#include "worker/engine/access/accesses.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/emulate/check.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/emulate/memory_limit.h"
#include "worker/engine/emulate/origin.h"
#include "worker/engine/emulate/origin_launch.h"
#include "worker/engine/emulate/run_launch.h"
#include "worker/engine/emulate/stores.h"
#include "worker/engine/emulate/verify_part.h"
#include "worker/engine/error.h"
#include "worker/engine/layer/emulated_layer.h"
#include "worker/engine/methods.h"
#include "worker/engine/own/open_own.h"
#include "worker/engine/parallel.h"
#include "worker/engine/probe/probe_methods.h"
#include "worker/engine/step/step.h"
#include "worker/engine/trace/trace.h"
#include "worker/engine/trace/trace_launch.h"

namespace tilescope::worker {
namespace {

uint64_t seed_of(const std::optional<uint64_t>& seed) { return seed ? *seed : random_seed(); }
int threads_of(const std::optional<int>& threads) { return threads ? *threads : host_threads(); }

calls::Emulate::Answer run_emulation(const calls::Emulate::Request& asked, const Running& running) {
  const LegalKernel kernel = legal_kernel(asked.of);
  EmulateOptions options;
  options.scope = asked.scope;
  options.data = {asked.data, seed_of(asked.seed)};
  options.verify = asked.verify;
  options.check = asked.check;
  options.threads = threads_of(asked.bounds.threads);
  options.max_lane_instructions = asked.bounds.max_lane_instructions;
  options.cancelled = running.cancelled;
  // A hundred messages are enough for any bar.
  options.progress = [&running, last = uint64_t{0}](uint64_t done, uint64_t all) mutable {
    const uint64_t percent = all > 0 ? done * 100 / all : 100;
    if (percent == last) return;
    last = percent;
    running.tell({.done = done, .all = all});
  };
  const Code code = code_of(asked.code, kernel.request, kernel.arch, running);
  return {emulate(kernel.request, kernel.entry, code.ptx, options), options.data.seed};
}

calls::Counts::Answer run_counts(calls::Counts::Request asked, const Running& running) {
  asked.verify = false;
  return run_emulation(asked, running);
}

Verification run_verification(const calls::Verify::Request& asked, const Running& running) {
  calls::Emulate::Request of = asked.of;
  of.verify = true;
  return run_emulation(of, running).result.verified.value();
}

LayerAnswer run_layer(const calls::Layer::Request& asked, const Running& running) {
  EmulateLayerOptions options;
  options.arch = arch_or_default(asked.arch);
  options.kernel_dir = running.kernel_dir;
  options.limits = limits_or(asked.limits, options.arch);
  options.threads = threads_of(asked.threads);
  options.cancelled = running.cancelled;
  options.progress = [&running](const std::string& stage, int done, int all) {
    running.tell({stage, static_cast<uint64_t>(done), static_cast<uint64_t>(all)});
  };
  return {.whole = emulate_layer(asked.layer, options)};
}

CheckResult run_checks(const calls::Check::Request& asked, const Running& running) {
  const LegalKernel kernel = legal_kernel(asked.of);
  CheckOptions options;
  options.whole_k = asked.whole_k;
  options.data.seed = seed_of(asked.seed);
  options.threads = threads_of(asked.bounds.threads);
  options.max_lane_instructions = asked.bounds.max_lane_instructions;
  options.cancelled = running.cancelled;
  const Code code = code_of(asked.code, kernel.request, kernel.arch, running);
  return check_classes(kernel.request, kernel.entry, code.ptx, options);
}

calls::VerifyPart::Answer run_part(const calls::VerifyPart::Request& asked,
                                   const Running& running) {
  const LegalKernel kernel = legal_kernel(asked.of);
  VerifyPartOptions options;
  options.data.seed = seed_of(asked.seed);
  options.explain = asked.explain;
  options.threads = threads_of(asked.bounds.threads);
  options.max_lane_instructions = asked.bounds.max_lane_instructions;
  options.cancelled = running.cancelled;
  const Code code = code_of(asked.code, kernel.request, kernel.arch, running);
  return {verify_part(kernel.request, kernel.entry, code.ptx, asked.groups, options),
          options.data.seed};
}

TraceResult run_trace(const calls::Trace::Request& asked, const Running& running) {
  TraceRequest options;
  options.cta = asked.cta;
  options.item = asked.item;
  options.k_step = asked.k_step;
  options.max_lane_instructions = asked.bounds.max_lane_instructions;
  options.raw = asked.lanes;
  options.cancelled = running.cancelled;
  if (asked.launch) return trace_launch(*asked.launch, options);
  const LegalKernel kernel = legal_kernel(asked.of.value());
  const Code code = code_of(asked.code, kernel.request, kernel.arch, running);
  return trace(kernel.request, kernel.entry, code.ptx, options);
}

Body<calls::Step> stepping() {
  return [keeper = std::make_shared<StepKeeper>()](const calls::Step::Request& asked,
                                                   const Running& running) {
    if (asked.launch || !asked.kept.empty()) {
      return keeper->step(asked, nullptr, running.cancelled);
    }
    const LegalKernel kernel = legal_kernel(asked.of.value());
    const Code code = code_of(asked.code, kernel.request, kernel.arch, running);
    const SteppedKernel stepped{kernel.request, kernel.entry, code.ptx};
    return keeper->step(asked, &stepped, running.cancelled);
  };
}

AccessAnswer watch_accesses(const calls::Accesses::Request& asked, const Running& running) {
  AccessOptions options;
  options.cta = asked.cta;
  options.whole_grid = asked.whole_grid;
  options.max_lane_instructions = asked.bounds.max_lane_instructions;
  options.cancelled = running.cancelled;
  if (asked.launch) return accesses_of_launch(*asked.launch, options);
  const LegalKernel kernel = legal_kernel(asked.of.value());
  const Code code = code_of(asked.code, kernel.request, kernel.arch, running);
  return accesses_of_kernel(kernel.request, kernel.entry, code.ptx, options);
}

calls::Run::Answer run_ptx(const calls::Run::Request& asked, const Running& running) {
  LaunchRun ran = run_launch(asked.run, running.cancelled);
  return {std::move(ran.answer),
          ran.document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
          std::move(ran.output)};
}

OriginResult find_origin(const calls::Origin::Request& asked, const Running& running) {
  if (asked.launch) return origin_of_launch(asked, running.cancelled);
  const LegalKernel kernel = legal_kernel(asked.of.value());
  const Code code = code_of(asked.code, kernel.request, kernel.arch, running);
  return origin_of(kernel.request, kernel.entry, code.ptx, asked.question, running.cancelled);
}

calls::Provenance::Answer find_stored(const calls::Provenance::Request& asked,
                                      const Running& running) {
  const LegalKernel kernel = legal_kernel(asked.of);
  const Code code = code_of(asked.code, kernel.request, kernel.arch, running);
  return {std::make_shared<const nlohmann::json>(
      stored_origins(kernel.request, kernel.entry, code.ptx, asked.cta, running.cancelled))};
}

calls::Devices::Answer describe_emulator(const calls::Devices::Request&, const Running&) {
  DeviceInfo emulator;
  emulator.id = "emulator";
  emulator.name = "Emulator (" + std::to_string(host_threads()) +
                  (host_threads() == 1 ? " thread" : " threads") +
                  (emulator::uses_avx2() ? ", AVX2)" : ", portable)");
  emulator.limits = model::device_table().front().limits;
  return {{emulator}};
}

template <class Request>
uint64_t memory_of(const Request& asked) {
  if constexpr (requires { asked.bounds; }) {
    return asked.bounds.max_memory;
  } else if constexpr (requires { asked.max_memory; }) {
    return asked.max_memory;
  } else {
    return asked.of.bounds.max_memory;
  }
}

/// Within the memory that the call may take; what is short of it says so.
template <class C>
void serve_bounded(MethodTable& table, Body<C> body) {
  serve<C>(table,
           [body = std::move(body)](const typename C::Request& asked, const Running& running) {
             const uint64_t allowed = memory_of(asked);
             const MemoryLimit limit(allowed);
             try {
               return body(asked, running);
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
  serve_bounded<calls::Emulate>(table, run_emulation);
  serve_bounded<calls::Counts>(table, run_counts);
  serve_bounded<calls::Verify>(table, run_verification);
  serve_bounded<calls::Check>(table, run_checks);
  serve_bounded<calls::VerifyPart>(table, run_part);
  serve_bounded<calls::Trace>(table, run_trace);
  serve_bounded<calls::Step>(table, stepping());
  serve_bounded<calls::Accesses>(table, watch_accesses);
  serve_bounded<calls::Layer>(table, run_layer);
  serve_bounded<calls::Run>(table, run_ptx);
  serve_bounded<calls::Origin>(table, find_origin);
  serve_bounded<calls::Stores>(table,
                               [](const calls::Stores::Request& asked, const Running& running) {
                                 return stores_of(asked, running.cancelled);
                               });
  serve_bounded<calls::Provenance>(table, find_stored);
  serve<calls::Open>(table, [](const auto& asked, const Running& running) {
    return open_own(asked, running.cancelled);
  });
  serve<calls::ProbeFragment>(table, [](const auto& asked, const Running& running) {
    return probe_fragment(asked, *emulator_probe_machine(),
                          {running.cancelled, stage_teller(running, "proving")});
  });
  serve<calls::Devices>(table, describe_emulator);
  return table;
}

}  // namespace tilescope::worker

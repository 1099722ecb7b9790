// The calls of the compilers' children, as far as a page can answer them.
#include "page/standins/page_methods.h"

#include <nlohmann/json.hpp>

#include "page/calls/l2_call.h"
#include "page/calls/page_roles.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/exported_source.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/error.h"
#include "worker/engine/methods.h"
#include "worker/engine/own/open_own.h"

namespace tilescope::worker {

MethodTable compiler_methods() {
  MethodTable table;
  serve<calls::Compile>(
      table, [](const calls::Compile::Request& request, const Running&) -> calls::Compile::Answer {
        const LegalKernel kernel = legal_kernel(request.of);
        const auto found = Compiler::shared().compile(kernel.request, kernel.arch);
        return {found->result, "NVRTC, when this page was made", found->log, {}};
      });
  serve<calls::Open>(table, [](const calls::Open::Request& request, const Running& running) {
    return open_own(request, running.cancelled);
  });
  serve<calls::Standalone>(
      table,
      [](const calls::Standalone::Request& request, const Running&) -> calls::Standalone::Answer {
        const LegalKernel kernel = legal_kernel(request.of);
        return {exported_source(kernel.request, kernel.entry, {})};
      });
  serve<calls::Disassemble>(
      table, [](const calls::Disassemble::Request&, const Running&) -> SassListing {
        fail(kMissing, "A browser has no nvdisasm: machine code is shown by the desktop program.");
      });
  serve<calls::Tools>(
      table, [](const calls::Nothing&, const Running&) -> calls::Tools::Answer { return {}; });
  return table;
}

}  // namespace tilescope::worker

namespace tilescope::web {
namespace {

/// What elsewhere a thread of the window works out.
worker::MethodTable planner_methods() {
  worker::MethodTable table;
  table[L2Call::name] =
      worker::guarded([](const nlohmann::json& params, worker::CallContext& context) {
        const L2Call asked = read_l2_call(params);
        const KernelPlan plan = worker::plan_of(asked.of, worker::kernel_of(asked.of));
        const model::L2Traffic traffic = model::simulate_l2(plan, asked.of.problem, asked.machine);
        context.binary(L2Call::tiles, std::as_bytes(std::span(traffic.tiles)));
        return write_l2_traffic(traffic);
      });
  return table;
}

}  // namespace

worker::MethodTable page_methods(std::string_view role) {
  if (role == kCompiler) return worker::compiler_methods();
  if (role == kStore) return worker::store_methods();
  if (role == kPlanner) return planner_methods();
  return worker::emulator_methods();
}

}  // namespace tilescope::web

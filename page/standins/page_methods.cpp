// The calls of the compilers' children, as far as a page can answer them.
#include "page/standins/page_methods.h"

#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/exported_source.h"
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

worker::MethodTable page_methods(std::string_view role) {
  if (role == "compiler") return worker::compiler_methods();
  if (role == "store") return worker::store_methods();
  return worker::emulator_methods();
}

}  // namespace tilescope::web

// The calls of the compilers' children.
#include <filesystem>

#include "core/files/base64.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/cubin.h"
#include "worker/engine/compile/exported_source.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/counters/count_launch.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/nccl.h"
#include "worker/engine/methods.h"
#include "worker/engine/own/open_own.h"
#include "worker/engine/sass/assemble.h"
#include "worker/engine/sass/disassemble.h"

namespace tilescope::worker {
namespace {

calls::Compile::Answer compile(const calls::Compile::Request& request, const Running& running) {
  const LegalKernel kernel = legal_kernel(request.of);
  Compiler& compiler = Compiler::shared();
  const auto compiled = compiler.compile(kernel.request, kernel.arch, running.kernel_dir,
                                         running.cancelled, request.ptx_is_enough);
  calls::Compile::Answer answer{
      compiled->result, "NVRTC " + compiler.nvrtc()->version(), compiled->log, {}};
  if (request.with_cubin && !compiled->cubin.empty()) answer.cubin = files::base64(compiled->cubin);
  return answer;
}

calls::Open::Answer open_file(const calls::Open::Request& request, const Running& running) {
  return open_own(request, running.cancelled);
}

calls::Standalone::Answer standalone(const calls::Standalone::Request& request,
                                     const Running& running) {
  const LegalKernel kernel = legal_kernel(request.of);
  return {exported_source(kernel.request, kernel.entry, running.kernel_dir)};
}

/// `opened`: a PTX, as it was read.
SassListing ptx_disassembled(const OpenAnswer& opened, const OpenRequest& request,
                             const std::string& entry, const Running& running) {
  const Assembled made = assemble(opened.ptx, running.cancelled);
  SassListing listing =
      disassemble(made.cubin, std::filesystem::path(request.file).filename().string(),
                  running.cancelled, entry);
  listing.arch = made.arch;
  if (const auto info = read_cubin(made.cubin, entry)) {
    listing.registers = info->registers;
    listing.spill_bytes = info->local_bytes;
  }
  return listing;
}

SassListing own_disassembled(OpenRequest request, const std::string& entry,
                             const Running& running) {
  if (std::filesystem::path(request.file).extension() == ".ptx") {
    return ptx_disassembled(open_own(request, running.cancelled), request, entry, running);
  }
  request.only = "cu";
  request.with_cubin = true;
  const OpenAnswer opened = open_own(request, running.cancelled);
  const auto cubin = files::from_base64(opened.cubin);
  if (!cubin || cubin->empty()) {
    fail(kMissing, "There is no machine code of " + request.file + " for " + opened.arch + ": " +
                       opened.compiler + " makes PTX alone of it, and the driver the rest.");
  }
  SassListing listing = disassemble(*cubin, std::filesystem::path(request.file).filename().string(),
                                    running.cancelled, entry);
  listing.arch = opened.arch;
  for (const OpenedKernel& kernel : opened.kernels) {
    if (kernel.signature.entry != entry) continue;
    listing.registers = kernel.registers;
    listing.spill_bytes = kernel.spill_bytes;
  }
  return listing;
}

SassListing disassembled(const calls::Disassemble::Request& request, const Running& running) {
  if (request.own) return own_disassembled(*request.own, request.entry, running);
  const LegalKernel kernel = legal_kernel(request.of.value());
  const auto compiled = Compiler::shared().compile(kernel.request, kernel.arch, running.kernel_dir,
                                                   running.cancelled);
  if (compiled->cubin.empty()) {
    fail(kMissing, "This NVRTC makes PTX alone for " + kernel.arch +
                       ", and the driver the machine code; update NVRTC to see it.");
  }
  SassListing listing = disassemble(compiled->cubin, kernel.entry.file, running.cancelled);
  listing.arch = compiled->result.arch;
  listing.registers = compiled->result.registers;
  listing.spill_bytes = compiled->result.spill_bytes;
  return listing;
}

calls::Tools::Answer tools(const calls::Nothing&, const Running& running) {
  calls::Tools::Answer all;
  for (const NeededTool& needed : {ncu_tool(), nvdisasm_tool(), ptxas_tool()}) {
    const UsableTool tool = usable_tool(needed, running.cancelled);
    all.tools.push_back({needed.search.name, tool.file, tool.version, tool.why_not});
  }
  std::string why_not;
  const auto nccl = Nccl::open(&why_not);
  all.tools.push_back({"NCCL", nccl ? nccl->file() : "", nccl ? nccl->name() : "", why_not});
  return all;
}

}  // namespace

MethodTable compiler_methods() {
  MethodTable table;
  serve<calls::Compile>(table, compile);
  serve<calls::Open>(table, open_file);
  serve<calls::Standalone>(table, standalone);
  serve<calls::Disassemble>(table, disassembled);
  serve<calls::Tools>(table, tools);
  return table;
}

}  // namespace tilescope::worker

// "compile": KernelRequest + {"arch", "limits", "kernel_dir", "with_cubin", "ptx_is_enough"} →
// CompileResult + {"compiler", "log"} and, if asked for and possible, "cubin" in base64. With
// "ptx_is_enough", registers and spills are 0 unless they are known already.
// "standalone": KernelRequest + {"limits", "kernel_dir"} → {"source"}: an exported kernel, one .cu.
// "disassemble": KernelRequest + {"arch", "limits", "kernel_dir"} → SassListing
// "tools": {} → {"tools": [{"what", "file", "version", "why_not"}]}: NVIDIA's programs that this
// project runs, whichever child does, and NCCL, which the cards' children open.
#include "worker/engine/base64.h"
#include "worker/engine/compile/exported_source.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/counters/count_launch.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/nccl.h"
#include "worker/engine/methods.h"
#include "worker/engine/sass/disassemble.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

json compile(const json& params, CallContext& context) {
  const KernelRequest request = request_of(params);
  std::string arch = params.value("arch", std::string());
  if (arch.empty()) arch = kDefaultArch;
  require_legal(request, limits_of(params, arch));
  Compiler& compiler = Compiler::shared();
  const auto compiled = compiler.compile(request, arch, kernel_dir_of(params), context.cancelled,
                                         params.value("ptx_is_enough", false));
  json result = compiled->result;
  result["compiler"] = "NVRTC " + compiler.nvrtc()->version();
  result["log"] = compiled->log;
  if (params.value("with_cubin", false) && !compiled->cubin.empty()) {
    result["cubin"] = base64(compiled->cubin);
  }
  return result;
}

json standalone(const json& params, CallContext&) {
  const KernelRequest request = request_of(params);
  const KernelEntry& kernel = require_legal(request, limits_of(params, kDefaultArch));
  return {{"source", exported_source(request, kernel, kernel_dir_of(params))}};
}

json disassembled(const json& params, CallContext& context) {
  const KernelRequest request = request_of(params);
  std::string arch = params.value("arch", std::string());
  if (arch.empty()) arch = kDefaultArch;
  const KernelEntry& kernel = require_legal(request, limits_of(params, arch));
  const auto compiled =
      Compiler::shared().compile(request, arch, kernel_dir_of(params), context.cancelled);
  if (compiled->cubin.empty()) {
    fail(kMissing, "This NVRTC makes PTX alone for " + arch +
                       ", and the driver the machine code; update NVRTC to see it.");
  }
  SassListing listing = disassemble(compiled->cubin, kernel.file, context.cancelled);
  listing.arch = compiled->result.arch;
  listing.registers = compiled->result.registers;
  listing.spill_bytes = compiled->result.spill_bytes;
  return listing;
}

json tools(const json&, CallContext& context) {
  json list = json::array();
  for (const NeededTool& needed : {ncu_tool(), nvdisasm_tool()}) {
    const UsableTool tool = usable_tool(needed, context.cancelled);
    list.push_back({{"what", needed.search.name},
                    {"file", tool.file},
                    {"version", tool.version},
                    {"why_not", tool.why_not}});
  }
  std::string why_not;
  const auto nccl = Nccl::open(&why_not);
  list.push_back({{"what", "NCCL"},
                  {"file", nccl ? nccl->file() : ""},
                  {"version", nccl ? nccl->name() : ""},
                  {"why_not", why_not}});
  return {{"tools", std::move(list)}};
}

}  // namespace

MethodTable compiler_methods() {
  return {{"compile", guarded(compile)},
          {"standalone", guarded(standalone)},
          {"disassemble", guarded(disassembled)},
          {"tools", guarded(tools)}};
}

}  // namespace tilescope::worker

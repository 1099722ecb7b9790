#include "worker/engine/own/own_nvcc.h"

#include <chrono>
#include <filesystem>
#include <optional>

#include "core/files/whole_file.h"
#include "worker/engine/cuda_folders.h"
#include "worker/engine/error.h"
#include "worker/engine/own/own_source.h"
#include "worker/engine/tools/run_tool.h"
#include "worker/engine/tools/scratch_folder.h"

namespace tilescope::worker {
namespace {
namespace fs = std::filesystem;

std::string first_nvcc_error(const std::string& log) {
  size_t at = 0;
  while (at < log.size()) {
    const size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    at = end + 1;
    if (line.find("error") != line.npos) return line;
  }
  return {};
}

}  // namespace

NvccRun compile_with_nvcc(const std::string& file, const std::vector<std::string>& instances,
                          const OwnOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  NvccRun run;
  const FoundTool tool = find_tool({"nvcc", "TILESCOPE_NVCC", cuda_tool_folders()});
  run.found = !tool.file.empty();
  const ScratchFolder scratch;
  if (!run.found || scratch.path().empty()) return run;
  std::error_code error;
  const std::string whole = fs::absolute(file, error).string();
  std::string source = whole;
  if (!instances.empty()) {
    // A kernel is compiled where its address is taken.
    std::string text = "#include \"" + whole + "\"\n";
    for (size_t i = 0; i < instances.size(); ++i) {
      text += "void* tilescope_instance_" + std::to_string(i) + "() { return (void*)(" +
              instances[i] + "); }\n";
    }
    source = scratch.path() + "/instances.cu";
    if (!files::replace_file(source, text).empty()) return run;
  }
  const std::string out = scratch.path() + "/own.ptx";
  std::string arch = options.arch;
  if (arch.starts_with("sm_")) arch.replace(0, 3, "compute_");
  // With what most projects' own builds give it: it only lets more through.
  ToolRun call{{tool.file, "-ptx", "-lineinfo", "--expt-relaxed-constexpr",
                "--expt-extended-lambda", "-arch=" + arch, "-o", out, source},
               options.seconds};
  call.cancelled = options.cancelled;
  for (const std::string& define : options.defines) call.argv.push_back("-D" + define);
  for (const std::string& folder : options.include_folders) call.argv.push_back("-I" + folder);
  const ToolResult result = run_tool(call);
  if (result.end == ToolResult::End::cancelled) fail_cancelled();
  run.compiler = "nvcc";
  run.log = result.out + result.err;
  if (result.ok()) {
    const auto ptx = files::read_file(out, kMostOwnPtx * 2);
    run.ok = ptx.has_value();
    if (ptx) run.ptx = *ptx;
  }
  if (!run.ok) {
    run.error = first_nvcc_error(run.log);
    if (run.error.empty()) run.error = "nvcc " + end_of(result, call);
  }
  run.ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return run;
}

}  // namespace tilescope::worker

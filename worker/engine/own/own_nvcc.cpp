#include "worker/engine/own/own_nvcc.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "core/files/scratch_folder.h"
#include "core/files/whole_file.h"
#include "worker/engine/compile/plain_name.h"
#include "worker/engine/cuda_folders.h"
#include "worker/engine/error.h"
#include "worker/engine/own/own_source.h"
#include "worker/engine/tools/run_tool.h"

namespace tilescope::worker {
namespace {
namespace fs = std::filesystem;

std::string first_nvcc_error(const std::string& log) {
  size_t at = 0;
  while (at < log.size()) {
    const size_t end = std::min(log.find('\n', at), log.size());
    std::string line = log.substr(at, end - at);
    at = end + 1;
    if (line.find("error") != line.npos) return line;
  }
  return {};
}

/// nvcc has a shell start its parts, with its own arguments between double quotes: a file of the
/// name `$(date).cu` runs date. Nor may a name end the quotes of the #include that is written here.
bool is_safe_for_nvcc(const std::string& word) {
  return is_plain_name(word) && word.find_first_of("$`") == word.npos;
}

/// Of a file, and of options as they came with the call: why nvcc is not started, or nothing.
std::string refused_word(const std::string& whole, const OwnOptions& options) {
  std::vector<std::string> words = {whole, options.arch};
  words.insert(words.end(), options.defines.begin(), options.defines.end());
  words.insert(words.end(), options.include_folders.begin(), options.include_folders.end());
  const auto bad = std::ranges::find_if_not(words, is_safe_for_nvcc);
  if (bad == words.end()) return {};
  return shown_name(*bad) + " has a quote, a $, a `, a backslash or a control character in it";
}

}  // namespace

NvccRun compile_with_nvcc(const std::string& file, const std::vector<std::string>& instances,
                          const OwnOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  NvccRun run;
  const FoundTool tool = find_tool({"nvcc", "TILESCOPE_NVCC", cuda_tool_folders()});
  run.found = !tool.file.empty();
  if (!run.found) return run;
  std::error_code error;
  const std::string whole = fs::absolute(file, error).string();
  run.refused = refused_word(whole, options);
  // Text may be given in place of a file that is none, or not there any more.
  if (files::file_there(whole) != files::FileThere::regular)
    run.refused = "there is no regular file " + whole;
  const files::ScratchFolder scratch;
  if (scratch.path().empty() && run.refused.empty()) {
    run.refused = "there is no folder for what it writes (set TMPDIR to one that can be written)";
  }
  if (!run.refused.empty()) return run;
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

#include "worker/engine/sass/assemble.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "core/files/scratch_folder.h"
#include "core/files/whole_file.h"
#include "worker/engine/cuda_folders.h"
#include "worker/engine/error.h"
#include "worker/engine/sass/disassemble.h"

namespace tilescope::worker {
namespace {

constexpr double kAssemblySeconds = 60;
constexpr uint64_t kMostBytes = 256u << 20;

/// Of `.target sm_90a, debug`; what ptxas knows at least where there is none.
std::string target_of(const std::string& ptx) {
  constexpr std::string_view kTarget = "\n.target";
  const size_t line = ptx.find(kTarget);
  const size_t begin =
      line == ptx.npos ? ptx.npos : ptx.find_first_not_of(" \t", line + kTarget.size());
  if (begin == ptx.npos || ptx.compare(begin, 3, "sm_") != 0) return "sm_75";
  return ptx.substr(begin, ptx.find_first_of(" \t\r\n,", begin) - begin);
}

}  // namespace

NeededTool ptxas_tool() {
  return {.search = {.name = "ptxas",
                     .variable = "TILESCOPE_PTXAS",
                     .folders = cuda_tool_folders(),
                     .folders_first = true},
          .does = "makes machine code of a PTX",
          .version = nvdisasm_tool().version,
          .fix =
              "install a CUDA toolkit, or set TILESCOPE_PTXAS to it; of a .cu machine code is "
              "shown without."};
}

Assembled assemble(const std::string& ptx, const std::atomic<bool>* cancelled) {
  Assembled made{.cubin = {}, .arch = target_of(ptx)};
  const std::string& arch = made.arch;
  const UsableTool tool = usable_tool(ptxas_tool(), cancelled);
  if (!tool.why_not.empty()) fail(kMissing, tool.why_not);
  const files::ScratchFolder scratch;
  const std::string source = scratch.path() + "/own.ptx", out = scratch.path() + "/own.cubin";
  if (scratch.path().empty()) {
    fail(kFailed, "No folder for ptxas could be made; set TMPDIR to one that can be written.");
  }
  if (const std::string why = files::replace_file(source, ptx); !why.empty()) fail(kFailed, why);
  const ToolRun run{.argv = {tool.file, "--generate-line-info", "-arch=" + arch, "-o", out, source},
                    .seconds = kAssemblySeconds,
                    .cancelled = cancelled};
  const ToolResult result = run_tool(run);
  if (result.end == ToolResult::End::cancelled) fail_cancelled();
  const auto cubin = result.ok() ? files::read_file(out, kMostBytes) : std::nullopt;
  if (!cubin || cubin->empty()) {
    const std::string words = last_line(result.err);
    fail(kFailed,
         fmt::format("{} {} and made no {} code{}", tool.file, end_of(result, run), arch,
                     words.empty() ? "." : ", saying \"" + words + "\"."),
         {{"log", result.err.substr(0, 8192)}});
  }
  made.cubin.resize(cubin->size());
  std::memcpy(made.cubin.data(), cubin->data(), cubin->size());
  return made;
}

}  // namespace tilescope::worker

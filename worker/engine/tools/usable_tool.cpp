#include "worker/engine/tools/usable_tool.h"

#include <fmt/format.h>

#include "worker/engine/error.h"

namespace tilescope::worker {

UsableTool usable_tool(const NeededTool& needed, const std::atomic<bool>* cancelled) {
  constexpr double kSeconds = 60;  // ncu takes some, the first time on a slow disk
  const char* name = needed.search.name;
  const FoundTool found = find_tool(needed.search);
  UsableTool tool;
  tool.file = found.file;
  if (found.file.empty()) {
    tool.why_not = fmt::format("{}, which {}, was not found in {}: {}", name, needed.does,
                               found.searched, needed.fix);
    return tool;
  }
  const ToolRun run{{found.file, "--version"}, kSeconds, 1u << 20, cancelled};
  const ToolResult said = run_tool(run);
  if (said.end == ToolResult::End::cancelled) fail_cancelled();
  if (said.ok()) tool.version = needed.version(said.out);
  if (tool.version.empty()) {
    tool.why_not = fmt::format("{} {} when asked for its version: {}", found.file,
                               said.ok() ? "gave none" : end_of(said, run), needed.fix);
  } else if (needed.too_old && needed.too_old(tool.version)) {
    tool.why_not = fmt::format("{} {} ({}) is too old, {} is needed: {}", name, tool.version,
                               found.file, needed.oldest, needed.fix);
  }
  return tool;
}

}  // namespace tilescope::worker

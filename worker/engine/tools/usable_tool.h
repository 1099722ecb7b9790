// One of NVIDIA's programs as something here needs it: found, asked for its version, and why it
// will not do. Whoever runs it and `doctor` say the same.
#pragma once
#include "worker/engine/tools/run_tool.h"

namespace tilescope::worker {

struct NeededTool {
  ToolSearch search;
  const char* does = "";                                      // "reads a card's counters"
  std::string (*version)(const std::string& said) = nullptr;  // of --version; empty: it says none
  bool (*too_old)(const std::string& version) = nullptr;      // null: any version will do
  const char* oldest = "";                                    // that is not: "2022.3"
  const char* fix = "";                                       // "install …, or set … to it."
};

struct UsableTool {
  std::string file;     // empty: not found
  std::string version;  // "2025.3.1"; empty: it says none
  std::string why_not;  // one sentence with the way out; empty: it can be used
};
/// Throws where it is cancelled.
UsableTool usable_tool(const NeededTool& needed, const std::atomic<bool>* cancelled = nullptr);

}  // namespace tilescope::worker

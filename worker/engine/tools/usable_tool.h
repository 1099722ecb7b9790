// Finds one of NVIDIA's programs (ncu, nvdisasm), asks it for its version and says whether it is
// new enough, and if not, why and what to do. Both `doctor` and the code that runs the program ask
// here, so that they tell a user the same.
#pragma once
#include "worker/engine/tools/run_tool.h"

namespace tilescope::worker {

struct NeededTool {
  ToolSearch search;
  const char* does = "";  // for the sentence: "reads a card's counters"
  /// The version in what --version prints; empty if there is none in it.
  std::string (*version)(const std::string& said) = nullptr;
  bool (*too_old)(const std::string& version) = nullptr;  // null: any version will do
  const char* oldest = "";  // for the sentence: the oldest version that will do, "2022.3"
  const char* fix = "";     // the way out: "install …, or set … to it."
};

struct UsableTool {
  std::string file;     // empty: not found
  std::string version;  // "2025.3.1"; empty: it does not say
  std::string why_not;  // one sentence with the way out; empty: the program can be used
};
/// Runs `--version` of the program that is found. Throws if `cancelled` becomes true meanwhile.
UsableTool usable_tool(const NeededTool& needed, const std::atomic<bool>* cancelled = nullptr);

}  // namespace tilescope::worker

#include <utility>

#include "core/programs/search_path.h"
#include "worker/engine/shared_library.h"
#include "worker/engine/tools/run_tool.h"

namespace tilescope::worker {

FoundTool find_tool(const ToolSearch& search) {
  FoundTool found;
  const std::string given = environment(search.variable);
  if (!given.empty()) {
    found.searched = std::string(search.variable) + "=" + given;
    for (const std::string& file : candidates_at(given, {search.name})) {
      if (can_be_run(file)) found.file = file;
    }
    return found;
  }
  std::vector<std::string> folders;
  const auto look_in = [&](const std::string& folder, const std::string& name) {
    folders.push_back(folder);
    found.searched += (found.searched.empty() ? "" : ", ") + name;
  };
  const auto look_in_own = [&] {
    for (const std::string& folder : search.folders) look_in(folder, folder);
  };
  if (search.folders_first) look_in_own();
  found.searched += found.searched.empty() ? "$PATH" : ", $PATH";
  for (std::string& folder : search_path()) folders.push_back(std::move(folder));
  for (const char* toolkit : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string root = environment(toolkit);
    if (!root.empty()) look_in(root + "/bin", std::string("$") + toolkit + "/bin");
  }
  look_in("/usr/local/cuda/bin", "/usr/local/cuda/bin");
  if (!search.folders_first) look_in_own();
  for (const std::string& folder : folders) {
    const std::string file = folder + "/" + search.name;
    if (!can_be_run(file)) continue;
    found.file = file;
    return found;
  }
  return found;
}

}  // namespace tilescope::worker

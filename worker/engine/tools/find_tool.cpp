#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "worker/engine/shared_library.h"
#include "worker/engine/tools/run_tool.h"

namespace tilescope::worker {
namespace {

bool is_program(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> all;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

}  // namespace

FoundTool find_tool(const ToolSearch& search) {
  FoundTool found;
  const std::string given = environment(search.variable);
  if (!given.empty()) {
    found.searched = std::string(search.variable) + "=" + given;
    for (const std::string& file : candidates_at(given, {search.name})) {
      if (is_program(file)) found.file = file;
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
  for (const std::string& folder : parts(environment("PATH"), ':')) folders.push_back(folder);
  for (const char* toolkit : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string root = environment(toolkit);
    if (!root.empty()) look_in(root + "/bin", std::string("$") + toolkit + "/bin");
  }
  look_in("/usr/local/cuda/bin", "/usr/local/cuda/bin");
  if (!search.folders_first) look_in_own();
  for (const std::string& folder : folders) {
    const std::string file = folder + "/" + search.name;
    if (!is_program(file)) continue;
    found.file = file;
    return found;
  }
  return found;
}

}  // namespace tilescope::worker

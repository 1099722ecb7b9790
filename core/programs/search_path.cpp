#include "core/programs/search_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace tilescope {

std::vector<std::string> search_path() {
  const char* set = std::getenv("PATH");
  const std::string_view text = set ? set : "";
  std::vector<std::string> folders;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    const std::string_view folder = text.substr(begin, end - begin);
    if (folder.starts_with('/')) folders.emplace_back(folder);
    begin = end + 1;
  }
  if (folders.empty()) return {"/bin", "/usr/bin"};
  return folders;
}

bool can_be_run(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

std::string program_file(const std::string& name) {
  if (name.find('/') != name.npos) return name;
  if (name.empty()) return {};
  for (const std::string& folder : search_path()) {
    if (std::string file = folder + "/" + name; can_be_run(file)) return file;
  }
  return {};
}

}  // namespace tilescope

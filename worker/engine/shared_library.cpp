#include "worker/engine/shared_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace tilescope::worker {
namespace {

// What a library leaves behind when it is closed can only be put down to it while it is there.
#ifdef __SANITIZE_ADDRESS__
constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
#else
constexpr int kMode = RTLD_NOW | RTLD_LOCAL;
#endif

}  // namespace

std::unique_ptr<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& candidates,
                                                   std::string* why) {
  for (const std::string& candidate : candidates) {
    if (void* handle = dlopen(candidate.c_str(), kMode)) {
      return std::unique_ptr<SharedLibrary>(new SharedLibrary(handle, candidate));
    }
    const char* message = dlerror();
    if (why && message) *why += (why->empty() ? "" : "\n") + std::string(message);
  }
  return nullptr;
}

void* SharedLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

std::vector<std::string> candidates_at(const std::string& file_or_folder,
                                       const std::vector<std::string>& names) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(file_or_folder, ignored)) return {file_or_folder};
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back(file_or_folder + "/" + name);
  return paths;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace tilescope::worker

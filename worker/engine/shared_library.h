// Libraries opened at run time: no CUDA library is ever linked.
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace tilescope::worker {

class SharedLibrary {
 public:
  /// Opens the first candidate that opens (a path, or a name for the loader's own search); null if
  /// none does. `why`, if given, gets the loader's message about each.
  static std::unique_ptr<SharedLibrary> open(const std::vector<std::string>& candidates,
                                             std::string* why = nullptr);
  /// Never closed: CUDA's libraries keep threads and exit handlers of their own.
  ~SharedLibrary() = default;

  const std::string& name() const { return name_; }
  void* symbol(const char* name) const;  // null if there is none
  template <class Function>
  bool load(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(symbol(name));
    return function != nullptr;
  }

 private:
  SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  void* handle_;
  std::string name_;
};

/// `file` itself if it names a file, else each of `names` in that folder.
std::vector<std::string> candidates_at(const std::string& file_or_folder,
                                       const std::vector<std::string>& names);
/// The value of an environment variable, empty if unset.
std::string environment(const char* name);

}  // namespace tilescope::worker

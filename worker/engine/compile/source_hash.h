// Says without compiling whether a kernel's source is still the one that was measured: a hash of
// its text and of all that it includes.
#pragma once
#include <map>
#include <string>
#include <unordered_map>

#include "kernels/registry.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

/// The headers of a kernel are read and hashed once, and what was asked is remembered, so that
/// thousands of tiles are cheap.
class SourceHash {
 public:
  explicit SourceHash(std::string kernel_dir) : kernel_dir_(std::move(kernel_dir)) {}
  /// 32 hexadecimal digits: of the entry, and of all that it includes.
  std::string of(const KernelRequest& request, const KernelEntry& kernel);
  /// Of any source, and of all that it includes.
  std::string of_text(const std::string& text) const;
  /// Of what a kernel includes alone. Of one whose includes are refused (included_headers.h) it is
  /// a hash that nothing else has.
  const std::string& headers(const KernelEntry& kernel);

 private:
  struct Same {
    bool operator()(const KernelRequest& a, const KernelRequest& b) const;
  };
  struct Spread {
    size_t operator()(const KernelRequest& request) const;
  };
  std::string headers_of(const std::string& text) const;
  std::string kernel_dir_;
  std::map<std::string, std::string> headers_;  // by the kernel's file
  std::unordered_map<KernelRequest, std::string, Spread, Same> known_;
};

}  // namespace tilescope::worker

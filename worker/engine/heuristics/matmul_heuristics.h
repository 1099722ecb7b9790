// NVIDIA's nvMatmulHeuristics, opened at run time where it is there. It runs in a child of its own,
// since a call that it does not like ends the process.
#pragma once
#include <memory>
#include <string>

#include "worker/engine/heuristics/matmul_heuristics_api.h"
#include "worker/engine/shared_library.h"
#include "worker/messages/messages.h"
#include "worker/messages/second_opinion.h"

namespace tilescope::worker {

class MatmulHeuristics {
 public:
  /// TILESCOPE_MATMUL_HEURISTICS (the library or its folder), else the wheel that the build
  /// fetched, else the loader; null if there is none that fits: `why_not` says why. It stays open:
  /// its own end, too, ends the process where there is no driver (it closes what it never opened).
  static const MatmulHeuristics* open(std::string* why_not);

  std::string version() const;  // "0.1.0"
  const std::string& file() const { return library_->name(); }
  /// Fails with exit code 3 for a card, types or a kernel that it does not know. `wanted`: how
  /// many of its tiles.
  SecondOpinion ask(const KernelRequest& request, const std::string& device_name, int wanted) const;

 private:
  MatmulHeuristics() = default;
  std::unique_ptr<SharedLibrary> library_;
  heuristics::Functions f_{};
  void* handle_ = nullptr;
};

}  // namespace tilescope::worker

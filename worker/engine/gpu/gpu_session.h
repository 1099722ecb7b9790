// What a device child keeps from call to call: the card, the problem's operands and reference, the
// library that kernels are compared with.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "worker/engine/gpu/gpu_problem.h"
#include "worker/engine/gpu/nvml.h"
#include "worker/engine/gpu/vendor_library.h"

namespace tilescope::worker {

struct LibraryChoice {
  const VendorLibrary* library = nullptr;
  int candidate = -1;
  bool run(const LibraryOperands& on) const { return library->run(candidate, on); }
};

class GpuSession {
 public:
  explicit GpuSession(int ordinal);
  const Gpu& gpu() const { return *gpu_; }
  void set_time_limit(double seconds) { gpu_->set_time_limit(seconds); }
  void tell_waiting(std::function<void()> told) { gpu_->tell_waiting(std::move(told)); }
  /// Made when first asked for.
  const GpuTools& tools();
  const Nvml* nvml() const { return nvml_.get(); }
  /// Operands and reference, made anew (with fresh random data) if the problem is another one.
  GpuProblem& problem(const Problem& problem);
  /// Frees them, for what needs the memory.
  void forget_problem();
  /// The fastest right candidate of all libraries, ready for the session's problem; null if there
  /// is none. Asked after problem().
  const LibraryChoice* library();
  /// Why library() is null, in a sentence.
  const std::string& why_no_library() const { return why_no_library_; }

 private:
  void choose_library();
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<Nvml> nvml_;
  std::unique_ptr<GpuTools> tools_;
  std::unique_ptr<GpuProblem> problem_;
  std::vector<std::unique_ptr<VendorLibrary>> libraries_;
  std::string why_no_library_;
  bool libraries_opened_ = false, choice_ready_ = false;
  LibraryChoice choice_;
};

}  // namespace tilescope::worker

#include <algorithm>

#include "worker/engine/emulate/verify.h"
#include "worker/engine/gpu/measure.h"
#include "worker/engine/gpu/statistics.h"

namespace tilescope::worker {

GpuSession::GpuSession(int ordinal)
    : gpu_(std::make_unique<Gpu>(ordinal)), nvml_(Nvml::open(gpu_->pci_bus_id())) {}

GpuProblem& GpuSession::problem(const Problem& problem) {
  if (!tools_) tools_ = std::make_unique<GpuTools>(*gpu_);
  if (!problem_ || problem_->problem() != problem) {
    problem_.reset();  // first, so that its memory is free for the new one
    library_ready_ = false;
    problem_ = std::make_unique<GpuProblem>(*gpu_, *tools_, problem,
                                            DataSpec{DataSpec::Kind::random, random_seed()});
  }
  return *problem_;
}

const CublasLt* GpuSession::library() {
  if (!library_opened_) {
    library_ = CublasLt::open(&why_no_library_);
    library_opened_ = true;
  }
  if (!library_ || !problem_) return nullptr;
  if (!library_ready_) {
    candidate_ = -1;
    if (library_->prepare(problem_->problem())) choose_candidate();
    why_no_library_ =
        candidate_ >= 0 ? "" : library_->name() + " has no right result for this problem.";
    library_ready_ = true;
  }
  return candidate_ >= 0 ? library_.get() : nullptr;
}

void GpuSession::choose_candidate() {
  const GpuProblem& p = *problem_;
  const std::string name = "cuBLASLt";
  const auto run = [&](int i) {
    return library_->run(i, p.a(), p.b(), p.c(), p.workspace(), gpu_->stream());
  };
  // A library result is held to the same standard as ours.
  const double tolerance = tolerance_of(p.problem(), p.problem().type_a != ElementType::f32);
  double best = 0;
  GpuEvent start(*gpu_), end(*gpu_);
  for (int i = 0; i < library_->candidates(); ++i) {
    p.reset_c();
    if (!run(i)) continue;
    gpu_->synchronize(name);
    if (!p.verify(tolerance).ok) continue;
    std::vector<double> times;
    for (int repeat = 0; repeat < 5; ++repeat) {
      p.flush_l2();
      start.record();
      run(i);
      end.record();
      end.wait(name);
      times.push_back(end.microseconds_since(start));
    }
    const double time = median(times);
    if (candidate_ < 0 || time < best) candidate_ = i, best = time;
  }
}

}  // namespace tilescope::worker

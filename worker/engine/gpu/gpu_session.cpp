#include <algorithm>

#include "worker/engine/emulate/verify.h"
#include "worker/engine/gpu/gpu_session.h"
#include "worker/engine/gpu/statistics.h"

namespace tilescope::worker {

GpuSession::GpuSession(int ordinal)
    : gpu_(std::make_unique<Gpu>(ordinal)), nvml_(Nvml::open(gpu_->pci_bus_id())) {}

GpuProblem& GpuSession::problem(const Problem& problem) {
  if (!tools_) tools_ = std::make_unique<GpuTools>(*gpu_);
  if (!problem_ || problem_->problem() != problem) {
    problem_.reset();  // first, so that its memory is free for the new one
    choice_ready_ = false;
    problem_ = std::make_unique<GpuProblem>(*gpu_, *tools_, problem,
                                            DataSpec{DataSpec::Kind::random, random_seed()});
  }
  return *problem_;
}

const LibraryChoice* GpuSession::library() {
  if (!libraries_opened_) {
    libraries_ = open_libraries(&why_no_library_);
    libraries_opened_ = true;
  }
  if (libraries_.empty() || !problem_) return nullptr;
  if (!choice_ready_) {
    choose_library();
    why_no_library_ =
        choice_.library ? "" : libraries_[0]->name() + " has no right result for this problem.";
    choice_ready_ = true;
  }
  return choice_.library ? &choice_ : nullptr;
}

void GpuSession::choose_library() {
  const GpuProblem& p = *problem_;
  choice_ = {};
  // A library result is held to the same standard as ours.
  const double tolerance = tolerance_of(p.problem(), p.problem().type_a != ElementType::f32);
  double best = 0;
  GpuEvent start(*gpu_), end(*gpu_);
  for (const auto& library : libraries_) {
    if (!library->prepare(p.problem())) continue;
    for (int i = 0; i < library->candidates(); ++i) {
      p.reset_c();
      const auto run = [&] { return library->run(i, p.library_operands()); };
      if (!run()) continue;
      gpu_->synchronize(library->name());
      if (!p.verify(tolerance).ok) continue;
      std::vector<double> times;
      for (int repeat = 0; repeat < 5; ++repeat) {
        p.flush_l2();
        start.record();
        run();
        end.record();
        end.wait(library->name());
        times.push_back(end.microseconds_since(start));
      }
      const double time = median(times);
      if (!choice_.library || time < best) choice_ = {library.get(), i}, best = time;
    }
  }
}

}  // namespace tilescope::worker

#include "worker/engine/gpu/gpu_session.h"

#include <algorithm>

#include "worker/engine/emulate/verify.h"
#include "worker/engine/gpu/statistics.h"

namespace tilescope::worker {

GpuSession::GpuSession(int ordinal)
    : gpu_(std::make_unique<Gpu>(ordinal)), nvml_(Nvml::open(gpu_->pci_bus_id())) {}

const GpuTools& GpuSession::tools() {
  if (!tools_) tools_ = std::make_unique<GpuTools>(*gpu_);
  return *tools_;
}

GpuProblem& GpuSession::problem(const Problem& problem) {
  tools();
  if (!problem_ || problem_->problem() != problem) {
    problem_.reset();  // first, so that its memory is free for the new one
    choice_ready_ = false;
    problem_ = std::make_unique<GpuProblem>(*gpu_, *tools_, problem,
                                            DataSpec{DataSpec::Kind::random, random_seed()});
  }
  return *problem_;
}

void GpuSession::forget_problem() {
  problem_.reset();
  choice_ready_ = false;
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
  struct Candidate {
    LibraryChoice choice;
    std::vector<double> times;
  };
  std::vector<Candidate> candidates;
  GpuEvent start(*gpu_), end(*gpu_);
  const auto take = [&](Candidate& c) {
    p.l2_flush().enqueue();
    start.record();
    c.choice.run(p.library_operands());
    end.record();
    end.wait(c.choice.library->name());
    c.times.push_back(end.microseconds_since(start));
  };
  for (const auto& library : libraries_) {
    if (!library->prepare(p.problem())) continue;
    for (int i = 0; i < library->candidates(); ++i) {
      p.reset_c();
      if (!library->run(i, p.library_operands())) continue;
      gpu_->synchronize(library->name());
      if (!p.verify(tolerance).ok) continue;
      candidates.push_back({{library.get(), i}, {}});
      for (int repeat = 0; repeat < 3; ++repeat) take(candidates.back());
    }
  }
  const auto faster = [](const Candidate& a, const Candidate& b) {
    return median(a.times) < median(b.times);
  };
  std::ranges::sort(candidates, faster);
  // The best few are near one another: in turns, so that the clock's drift chooses none of them.
  constexpr size_t kFinalists = 4;
  if (candidates.size() > kFinalists)
    candidates.erase(candidates.begin() + kFinalists, candidates.end());
  for (int round = 0; candidates.size() > 1 && round < 10; ++round) {
    for (Candidate& c : candidates) take(c);
  }
  if (!candidates.empty()) choice_ = std::ranges::min_element(candidates, faster)->choice;
}

}  // namespace tilescope::worker

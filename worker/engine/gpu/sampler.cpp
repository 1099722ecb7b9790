#include "worker/engine/gpu/sampler.h"

namespace tilescope::worker {

Sampler::Sampler(const Gpu& gpu, const GpuProblem& problem, std::string name,
                 std::function<void()> enqueue)
    : gpu_(gpu),
      problem_(problem),
      name_(std::move(name)),
      enqueue_(std::move(enqueue)),
      start_(gpu),
      end_(gpu) {
  estimate_us_ = sample(L2::hot);
  if (launches_per_sample(estimate_us_) > 1) take_several();
}

void Sampler::take_several() {
  launches_ = launches_of_short(estimate_us_);
  graph_ = LaunchGraph::capture(gpu_, launches_, enqueue_);
  if (!graph_) return;
  graph_->enqueue();  // the first time it is sent to the card as a whole
  gpu_.synchronize(name_);
}

double Sampler::sample(L2 l2, const std::function<void()>& while_running) {
  // What goes before also hides the time that a launch takes to reach an idle card.
  if (l2 == L2::cold) {
    problem_.flush_l2();
  } else {
    enqueue_();
  }
  start_.record();
  if (graph_) {
    graph_->enqueue();
  } else {
    for (int i = 0; i < launches_; ++i) enqueue_();
  }
  end_.record();
  if (while_running) while_running();
  end_.wait(name_);
  return end_.microseconds_since(start_) / launches_;
}

}  // namespace tilescope::worker

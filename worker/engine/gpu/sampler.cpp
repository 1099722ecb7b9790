#include "worker/engine/gpu/sampler.h"

#include <utility>

namespace tilescope::worker {

Sampler::Sampler(const Gpu& gpu, const L2Flush& flush, Timed timed)
    : gpu_(gpu), flush_(flush), timed_(std::move(timed)), start_(gpu), end_(gpu) {
  if (timed_.one_by_one) return;
  estimate_us_ = sample(L2::hot);
  if (launches_per_sample(estimate_us_) > 1) take_several();
}

void Sampler::take_several() {
  if (timed_.one_by_one) return;
  launches_ = launches_of_short(estimate_us_);
  graph_ = LaunchGraph::capture(gpu_, launches_, timed_.enqueue);
  if (!graph_) return;
  graph_->enqueue();  // the first time it is sent to the card as a whole
  gpu_.synchronize(timed_.name);
}

double Sampler::sample(L2 l2, const std::function<void()>& while_running) {
  if (timed_.before) timed_.before();
  // What goes before also hides the time that a launch takes to reach an idle card.
  if (l2 == L2::cold) {
    flush_.enqueue();
  } else {
    timed_.enqueue();
  }
  start_.record();
  if (graph_) {
    graph_->enqueue();
  } else {
    for (int i = 0; i < launches_; ++i) timed_.enqueue();
  }
  end_.record();
  if (while_running) while_running();
  end_.wait(timed_.name);
  return end_.microseconds_since(start_) / launches_;
}

}  // namespace tilescope::worker

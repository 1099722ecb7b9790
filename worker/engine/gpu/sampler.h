// Times launches of one thing: with the L2 flushed before each, and as the launch before left it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/engine/gpu/l2_flush.h"
#include "worker/engine/gpu/launch_graph.h"
#include "worker/engine/gpu/statistics.h"

namespace tilescope::worker {

enum class L2 { cold, hot };

/// What is timed. It has run before: its code is loaded.
struct Timed {
  std::string name;
  std::function<void()> enqueue;
  /// Enqueues what is to go before a sample and is not timed; may be empty.
  std::function<void()> before = {};
  /// Each launch needs what goes before: then there are no samples of several launches, and no hot
  /// ones.
  bool one_by_one = false;
};

class Sampler {
 public:
  Sampler(const Gpu& gpu, const L2Flush& flush, Timed timed);
  /// Whether its figure is the cold one (the L2 is flushed before each launch). It is, unless
  /// launches are so short that a sample needs several of them.
  L2 usual() const { return launches_ == 1 ? L2::cold : L2::hot; }
  bool has_hot() const { return !timed_.one_by_one; }
  /// Takes several launches per sample though one would do: to be compared with a kernel that needs
  /// several.
  void take_several();
  /// Microseconds of one launch. `while_running` is called when the launches are under way.
  double sample(L2 l2, const std::function<void()>& while_running = {});

 private:
  const Gpu& gpu_;
  const L2Flush& flush_;
  Timed timed_;
  GpuEvent start_, end_;
  int launches_ = 1;
  std::unique_ptr<LaunchGraph> graph_;  // of the launches of a sample, where there are several
  double estimate_us_ = 0;
};

/// Cold and hot samples of one thing.
struct Series {
  std::vector<Sample> cold, hot;
  std::vector<Sample>& of(L2 l2) { return l2 == L2::cold ? cold : hot; }
  const std::vector<Sample>& of(L2 l2) const { return l2 == L2::cold ? cold : hot; }
};

}  // namespace tilescope::worker

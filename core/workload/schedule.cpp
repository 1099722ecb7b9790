#include "core/workload/schedule.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tilescope::workload {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Task {
  int step = 0, chunk = 0;
  double left = 0, begin = 0;  // microseconds of its own
  double asked = 0;            // when nothing but SMs was missing
  double ready = -1;           // of a transfer: when it gets SMs; −1: not asked for yet
  bool running = false;
  Cause cause = {};     // the last that it waited for
  ChunkOf holder = {};  // whose CTAs had the SMs that it waited for
};

/// Ranks and the link between them as they go on from event to event.
class Machine {
 public:
  Machine(const Workload& w, const ChunkTime& time, const Beside& beside)
      : w_(w), beside_(beside), ranks_(static_cast<size_t>(w.layer.ranks)) {
    done_.resize(w.steps.size());
    for (size_t s = 0; s < w.steps.size(); ++s) {
      const Step& step = w.steps[s];
      const size_t all = is_collective(step) ? 1 : ranks_.size();
      done_[s].assign(static_cast<size_t>(step.chunks), static_cast<int>(all));
      for (int chunk = 0; chunk < step.chunks; ++chunk) {
        const int n = static_cast<int>(s);
        if (is_collective(step)) {
          link_.queue.push_back({.step = n, .chunk = chunk, .left = time(n, chunk, -1)});
        } else {
          for (size_t r = 0; r < all; ++r) {
            ranks_[r].queue.push_back(
                {.step = n, .chunk = chunk, .left = time(n, chunk, static_cast<int>(r))});
          }
        }
      }
    }
  }

  Schedule run() {
    while (start_all()) {
      double step = kNever;
      for (Lane* lane : lanes()) {
        if (lane->task()) step = std::min(step, lane->task()->left / speed(*lane));
      }
      if (const double waiting = wait_of_link(); waiting > 0) step = std::min(step, waiting);
      // Speeds are those of before anything ends: asked for all, then gone on by.
      std::vector<std::pair<Lane*, double>> moved;
      for (Lane* lane : lanes()) {
        if (lane->task()) moved.emplace_back(lane, step * speed(*lane));
      }
      now_ += step;
      for (const auto& [lane, by] : moved) {
        Task& task = lane->queue[lane->at];
        task.left -= by;
        if (task.left <= 1e-9) end(*lane, task);
      }
    }
    out_.total_us = now_;
    return std::move(out_);
  }

 private:
  struct Lane {
    std::vector<Task> queue;
    size_t at = 0;
    const Task* task() const {
      return at < queue.size() && queue[at].running ? &queue[at] : nullptr;
    }
  };

  std::vector<Lane*> lanes() {
    std::vector<Lane*> all;
    for (Lane& rank : ranks_) all.push_back(&rank);
    all.push_back(&link_);
    return all;
  }
  bool whole(int step) const {
    const std::vector<int>& left = done_[static_cast<size_t>(step)];
    return std::ranges::all_of(left, [](int n) { return n == 0; });
  }
  /// What has to end before a task of this step and chunk begins; nothing: it may.
  std::optional<Cause> blocker(ChunkOf task, bool on_link) const {
    using Kind = Cause::Kind;
    const Step& step = w_.steps[static_cast<size_t>(task.step)];
    for (int s = 0; s < static_cast<int>(w_.steps.size()); ++s) {
      const Step& other = w_.steps[static_cast<size_t>(s)];
      const bool earlier_pass = other.pass == Pass::forward && step.pass == Pass::backward;
      if (earlier_pass && !whole(s)) return Cause{Kind::pass, {s}};
      // Without overlap a rank waits for each transfer that it has given something to.
      if (on_link || w_.layer.overlap || !is_collective(other) || s == task.step) continue;
      for (int chunk = 0; chunk < other.chunks; ++chunk) {
        if (asked_for(s, chunk) && left(s, chunk) > 0) return Cause{Kind::alone, {s, chunk}};
      }
    }
    for (const int before : step.after) {
      const Step& other = w_.steps[static_cast<size_t>(before)];
      // Chunk by chunk where both are cut alike.
      const bool alike = is_collective(step) && other.chunks == step.chunks;
      if (alike ? left(before, task.chunk) > 0 : !whole(before)) {
        return Cause{Kind::operand, {before, alike ? task.chunk : -1}};
      }
    }
    return std::nullopt;
  }
  int left(int step, int chunk) const {
    return done_[static_cast<size_t>(step)][static_cast<size_t>(chunk)];
  }
  /// All ranks have what this chunk of a collective reads.
  bool asked_for(int step, int chunk) const { return !blocker({step, chunk}, true); }
  /// True while anything runs.
  bool start_all() {
    bool any = false;
    // Ranks first: what begins at the same time as a transfer has the SMs.
    for (Lane* lane : lanes()) {
      if (lane->at >= lane->queue.size()) continue;
      Task& task = lane->queue[lane->at];
      if (!task.running) start(*lane, task);
      any |= task.running;
    }
    return any;
  }
  void start(const Lane& lane, Task& task) {
    const bool on_link = &lane == &link_;
    if (task.ready < 0) {  // nobody has been waiting for SMs yet
      if (const auto cause = blocker({task.step, task.chunk}, on_link)) {
        task.cause = *cause;
        return;
      }
      if (task.cause.kind == Cause::Kind::none && lane.at > 0) {
        const Task& before = lane.queue[lane.at - 1];
        task.cause = {Cause::Kind::lane, {before.step, before.chunk}};
      }
      task.asked = task.ready = now_;
      if (on_link) {
        const auto [wait, holder] = longest_wait();
        task.ready += wait;
        if (wait > 0) task.holder = holder;
      }
    }
    if (task.ready <= now_ + 1e-9) task.running = true, task.begin = now_;
  }
  double speed(const Lane& lane) const {
    return &lane != &link_ && link_.task() ? beside_.product : 1;
  }
  /// Until a CTA of what each rank runs has ended, and whose is the last.
  std::pair<double, ChunkOf> longest_wait() const {
    std::pair<double, ChunkOf> longest;
    for (size_t r = 0; beside_.wait && r < ranks_.size(); ++r) {
      const Task* task = ranks_[r].task();
      if (!task) continue;
      const double cta = beside_.wait(task->step, task->chunk, static_cast<int>(r));
      const double wait = std::min(cta, task->left);
      if (wait > longest.first) longest = {wait, {task->step, task->chunk}};
    }
    return longest;
  }
  /// Of a transfer that is asked for and does not run yet.
  double wait_of_link() const {
    if (link_.at >= link_.queue.size()) return 0;
    const Task& task = link_.queue[link_.at];
    return task.running || task.ready < 0 ? 0 : task.ready - now_;
  }
  void end(Lane& lane, const Task& task) {
    const int rank = &lane == &link_ ? -1 : static_cast<int>(&lane - ranks_.data());
    out_.bars.push_back({.step = task.step,
                         .chunk = task.chunk,
                         .rank = rank,
                         .begin_us = task.begin,
                         .end_us = now_,
                         .cause = task.cause,
                         .asked_us = task.asked,
                         .holder = task.holder});
    --done_[static_cast<size_t>(task.step)][static_cast<size_t>(task.chunk)];
    if (w_.steps[static_cast<size_t>(task.step)].pass == Pass::forward) out_.forward_us = now_;
    ++lane.at;
  }

  const Workload& w_;
  const Beside& beside_;
  std::vector<Lane> ranks_;
  Lane link_;
  std::vector<std::vector<int>> done_;  // how many have yet to end, by step and chunk
  double now_ = 0;
  Schedule out_;
};

}  // namespace

Schedule schedule(const Workload& w, const ChunkTime& time, const Beside& beside) {
  return Machine(w, time, beside).run();
}

}  // namespace tilescope::workload

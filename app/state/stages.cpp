#include "app/state/stages.h"

#include <algorithm>
#include <map>

namespace tilescope {
namespace {

using StageEvent = Timeline::StageEvent;
using State = viz::StageState::State;

/// One stage while the events pass by.
struct Ring {
  int k_slice = -1;
  int copies = 0;
  bool filled = false;          // its copies were seen
  bool read = false;            // its slice, by a warp
  std::map<int, int> group_of;  // warp → the last group that its copies belong to
  // Copies of zeros alone name no slice: they go with the others of their group, or, stored by
  // ordinary instructions (group −1), with those since the stage was read.
  std::map<int, int> zeros;

  void hold(int k) {
    if (k == k_slice) return;
    k_slice = k, copies = 0;
    filled = read = false;
    group_of.clear();
  }
  int all_copies() const {
    const int group = group_of.empty() ? -1 : group_of.begin()->second;
    const auto more = zeros.find(group);
    return copies + (more == zeros.end() ? 0 : more->second);
  }
};

State state_of(const Ring& ring, int per_slice, int now, bool over,
               const std::map<int, int>& groups_done) {
  if (ring.k_slice < 0) return State::empty;
  if (over || ring.k_slice < now) return State::done;
  if (ring.k_slice == now || ring.read) return State::in_use;
  if (ring.filled && ring.all_copies() < per_slice) return State::filling;
  const bool waited = std::all_of(ring.group_of.begin(), ring.group_of.end(), [&](const auto& of) {
    const auto done = groups_done.find(of.first);
    return of.second < 0 || (done != groups_done.end() && done->second > of.second);
  });
  return waited ? State::ready : State::issued;
}

}  // namespace

std::vector<viz::StageState> stages_at(const Timeline& timeline, const KernelPlan& plan,
                                       int column) {
  std::vector<Ring> rings(static_cast<size_t>(std::max(0, plan.stages())));
  std::map<int, int> groups_done;  // warp → groups waited for
  for (const StageEvent& e : timeline.stage_events()) {
    if (e.column > column) break;
    int& done = groups_done[e.warp];
    done = std::max(done, e.groups_done);
    if (e.kind == StageEvent::Kind::wait || e.stage >= plan.stages()) continue;
    Ring& ring = rings[static_cast<size_t>(e.stage)];
    if (e.kind == StageEvent::Kind::read) {
      if (e.warp >= plan.warps()) continue;  // who takes its elements apart does not multiply
      ring.hold(e.k_step);
      ring.read = true;
      ring.zeros.erase(-1);
      continue;
    }
    const int copies = e.recorded ? std::min(e.columns, column - e.column + 1) : e.count;
    if (e.k_step < 0) {
      ring.zeros[e.group] += copies;
      continue;
    }
    ring.hold(e.k_step);
    ring.filled = true;
    ring.copies += copies;
    ring.group_of[e.warp] = e.group;
  }
  // Warp instructions that fill a stage: one for each box, or for a chunk of each lane.
  const auto instructions = [](const CopyMap& map) {
    return by_boxes(map.kind) ? map.chunks() : ceil_div(map.chunks(), 32);
  };
  const int per_slice = std::max(1, instructions(plan.copy_a) + instructions(plan.copy_b));
  const auto& slices = timeline.slices();
  const bool over = !slices.empty() && slices.back().k_step == timeline.k_end() - 1 &&
                    column >= slices.back().end;
  const int now = timeline.last_k_step(column);
  std::vector<viz::StageState> stages;
  for (const Ring& ring : rings) {
    viz::StageState s;
    s.stage = static_cast<int>(stages.size());
    s.k_slice = ring.k_slice;
    s.copies = per_slice;
    s.state = state_of(ring, per_slice, now, over, groups_done);
    // Whoever reads a stage has it whole, whether its copies were recorded or not.
    if (s.state == State::filling) {
      s.fraction = static_cast<float>(ring.all_copies()) / static_cast<float>(per_slice);
    }
    stages.push_back(s);
  }
  return stages;
}

}  // namespace tilescope

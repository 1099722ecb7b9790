#include "worker/engine/trace/trace_fold.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace tilescope::worker {
namespace {

using FoldKind = TraceEvent::Kind;

/// False for what is recorded but not shown.
bool kind_of(const emulator::Event& raw, const DataEvent& event, FoldKind& kind) {
  using emulator::EventKind;
  switch (raw.kind) {
    case EventKind::copy:
      kind = FoldKind::copy;
      return true;
    case EventKind::wait:  // committing a group waits for nothing
      kind = FoldKind::wait;
      return !event.instruction ||
             event.instruction->opcode.find("commit") == std::string_view::npos;
    case EventKind::barrier:
      kind = FoldKind::barrier;
      return true;
    case EventKind::load_global:
    case EventKind::load_shared:
      kind = FoldKind::load;
      return true;
    case EventKind::store_global:
    case EventKind::store_shared:
      kind = FoldKind::store;
      return true;
    case EventKind::fma:
      kind = FoldKind::fma;
      return true;
    case EventKind::mma:
      kind = FoldKind::mma;
      return true;
    case EventKind::other:
      return false;
  }
  return false;
}

struct MmaShape {
  int m = 1, n = 1, k = 1;
};
/// "mma.sync.aligned.m16n8k16.…" → 16, 8, 16.
MmaShape mma_shape(std::string_view opcode) {
  MmaShape shape;
  // The part that is an m and a number: "wmma.mma.sync.aligned.row.col.m16n16k16" has other m's.
  size_t at = opcode.find(".m");
  while (at != opcode.npos &&
         !(at + 2 < opcode.size() && opcode[at + 2] >= '0' && opcode[at + 2] <= '9')) {
    at = opcode.find(".m", at + 1);
  }
  if (at == opcode.npos) return shape;
  ++at;
  for (int* extent : {&shape.m, &shape.n, &shape.k}) {
    if (at >= opcode.size()) break;
    const auto [end, error] =
        std::from_chars(opcode.data() + at + 1, opcode.data() + opcode.size(), *extent);
    if (error != std::errc()) return {};
    at = static_cast<size_t>(end - opcode.data());
  }
  return shape;
}

struct Origin {
  int row = -1, col = -1;
};
void lower(int& to, int value) {
  if (value >= 0 && (to < 0 || value < to)) to = value;
}

class Folder {
 public:
  Folder(const EventFollower& follower, const emulator::Trace& trace, TraceResult& result)
      : follower_(follower), trace_(trace), result_(result) {}

  /// A warp's first row and column of C, from all of its mma.
  void learn_origins(const std::vector<DataEvent>& events) {
    origins_.resize(trace_.warps);
    for (const DataEvent& event : events) {
      lower(origins_[event.warp].row, event.mma_row);
      lower(origins_[event.warp].col, event.mma_col);
    }
  }

  void add_raw(const DataEvent& event) {
    const emulator::Event& raw = trace_.events[event.event];
    RawAccess access;
    access.matrix = event.matrix;
    access.step = raw.step, access.ptx_line = raw.ptx_line;
    access.touched = event.touched;
    if (raw.kind == emulator::EventKind::mma) {
      const MmaShape shape = mma_shape(event.instruction ? event.instruction->opcode : "");
      const Origin& origin = origins_[event.warp];
      const auto index = [](int at, int first, int step) {
        return static_cast<int16_t>(at < 0 || first < 0 ? -1 : (at - first) / step);
      };
      access.mma_m = index(event.mma_row, origin.row, shape.m);
      access.mma_n = index(event.mma_col, origin.col, shape.n);
      access.mma_k = index(event.mma_k, event.slice_k, shape.k);
    } else if (raw.kind != emulator::EventKind::fma) {
      access.bytes = raw.bytes;
      access.shared = event.shared && raw.kind != emulator::EventKind::copy;
      fill(access, raw.address_slot, raw.active);
      if (raw.kind == emulator::EventKind::copy) partners_.push_back(&raw);
    }
    if (raw.kind == emulator::EventKind::fma) add_fma(event);
    result_.raw.push_back(std::move(access));
  }

  /// An fma that follows others: there is but one record for them all.
  void add_fma(const DataEvent& event) { fmas_.push_back(event); }

  /// Behind the global sides of copies come their shared sides.
  void end_fold(const TraceEvent& last) {
    if (last.first_raw < 0) return;
    if (last.kind == FoldKind::fma) result_.raw.back().touched = follower_.touched_by(fmas_);
    fmas_.clear();
    const auto first_raw = static_cast<size_t>(last.first_raw);
    for (size_t i = 0; i < partners_.size(); ++i) {
      const emulator::Event& event = *partners_[i];
      RawAccess& global = result_.raw[first_raw + i];
      RawAccess access;
      access.bytes = event.bytes, access.shared = true, access.matrix = global.matrix;
      access.step = global.step, access.ptx_line = global.ptx_line;
      fill(access, event.address_slot2, event.active);
      global.shared_partner = static_cast<int32_t>(result_.raw.size());
      result_.raw.push_back(access);
    }
    partners_.clear();
  }

 private:
  void fill(RawAccess& access, int32_t slot, uint32_t active) const {
    access.address.fill(kNoAddress);
    if (slot < 0) return;
    const auto& from = trace_.addresses[static_cast<size_t>(slot)];
    for (size_t lane = 0; lane < 32; ++lane) {
      if ((active >> lane & 1) == 0) continue;
      if (access.shared) {
        access.address[lane] = from[lane];
      } else if (from[lane] != 0) {
        const emulator::Memory::Location at = follower_.locate(from[lane]);
        access.address[lane] = at.offset;
        if (access.matrix < 0) access.matrix = static_cast<int8_t>(at.buffer);
      }
    }
  }

  const EventFollower& follower_;
  const emulator::Trace& trace_;
  std::vector<DataEvent> fmas_;  // of the fold under way
  TraceResult& result_;
  std::vector<Origin> origins_;
  std::vector<const emulator::Event*> partners_;
};

}  // namespace

void fold_events(std::vector<DataEvent> shown, const EventFollower& follower,
                 const emulator::Trace& trace, const std::function<int(int ptx_line)>& kernel_line,
                 bool with_raw, TraceResult& result) {
  const auto raw_of = [&](const DataEvent& e) -> const emulator::Event& {
    return trace.events[e.event];
  };
  std::stable_sort(shown.begin(), shown.end(), [&](const DataEvent& a, const DataEvent& b) {
    const emulator::Event &x = raw_of(a), &y = raw_of(b);
    return std::tuple(x.epoch, x.warp, x.index) < std::tuple(y.epoch, y.warp, y.index);
  });
  Folder folder(follower, trace, result);
  folder.learn_origins(shown);
  std::map<int, int> lines;

  const emulator::Event* first = nullptr;  // of this epoch in this warp
  uint32_t first_index = 0;
  const DataEvent* before = nullptr;  // the last one that is in the result
  for (const DataEvent& event : shown) {
    const emulator::Event& raw = raw_of(event);
    if (!first || first->epoch != raw.epoch || first->warp != raw.warp) {
      first = &raw;
      first_index = raw.epoch == 0 ? 0 : raw.index;
    }
    FoldKind kind{};
    if (!kind_of(raw, event, kind)) continue;
    const bool same_epoch =
        before && raw_of(*before).epoch == raw.epoch && raw_of(*before).warp == raw.warp;
    const auto line = lines.try_emplace(raw.ptx_line, -1).first;
    if (line->second < 0) line->second = kernel_line(raw.ptx_line);
    TraceEvent* last = result.events.empty() ? nullptr : &result.events.back();
    const bool folds = same_epoch && last && last->kind == kind && last->line == line->second &&
                       last->lanes == raw.active && last->matrix == event.matrix &&
                       last->shared == event.shared && last->k_step == event.k_step &&
                       last->stage == event.stage && last->loop == event.loop &&
                       kind != FoldKind::wait && kind != FoldKind::barrier &&
                       raw_of(*before).index + 1 == raw.index &&
                       (kind != FoldKind::mma || before->mma_k == event.mma_k);
    if (folds) {
      ++last->count;
      last->elements += event.elements;
      last->groups_done = event.groups_done;
    } else {
      if (with_raw && last) folder.end_fold(*last);
      TraceEvent folded;
      folded.epoch = raw.epoch, folded.index = raw.index - first_index;
      folded.warp = raw.warp;
      folded.kind = kind;
      folded.line = line->second, folded.ptx_line = raw.ptx_line;
      folded.k_step = event.k_step, folded.stage = event.stage, folded.loop = event.loop;
      folded.lanes = raw.active;
      folded.matrix = event.matrix;
      folded.shared = event.shared;
      folded.elements = event.elements;
      folded.group = event.group, folded.groups_done = event.groups_done;
      const bool has_raw = kind != FoldKind::wait && kind != FoldKind::barrier;
      folded.first_raw = with_raw && has_raw ? static_cast<int32_t>(result.raw.size()) : -1;
      result.events.push_back(folded);
    }
    before = &event;
    if (!with_raw || result.events.back().first_raw < 0) continue;
    if (folds && kind == FoldKind::fma) {
      folder.add_fma(event);
    } else {
      folder.add_raw(event);
    }
  }
  if (with_raw && !result.events.empty()) folder.end_fold(result.events.back());
}

}  // namespace tilescope::worker

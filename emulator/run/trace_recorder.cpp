#include "emulator/run/trace_recorder.h"

#include <algorithm>
#include <numeric>

namespace tilescope::emulator {
namespace {

constexpr uint32_t kVaries = ~0u;

// Room for many more at once: what is not used of it costs nothing, while copies do.
template <class T>
void make_room(std::vector<T>& v) {
  constexpr size_t kFirst = 1024, kLarge = 1u << 16;
  if (v.size() < v.capacity()) return;
  v.reserve(std::max(kFirst, v.capacity() < kLarge ? 8 * v.capacity() : 2 * v.capacity()));
}

std::array<uint64_t, 32> active_only(const uint64_t* addresses, uint32_t mask) {
  std::array<uint64_t, 32> a{};
  for (size_t i = 0; i < 32; ++i) a[i] = (mask >> i) & 1u ? addresses[i] : 0;
  return a;
}

bool meet(const TraceRanges::Ranges& ranges, uint32_t first, uint32_t end) {
  return std::ranges::any_of(ranges,
                             [&](const auto& r) { return first < r.second && r.first < end; });
}

}  // namespace

std::optional<EventKind> event_kind(RowKind kind, bool fma) {
  switch (kind) {
    case RowKind::fma:
      return fma ? std::optional(EventKind::fma) : std::nullopt;
    case RowKind::mma:
    case RowKind::warpgroup_product:
      return EventKind::mma;
    case RowKind::copy:
    case RowKind::bulk_load:
      return EventKind::copy;
    case RowKind::wait:
    case RowKind::warpgroup_wait:
    case RowKind::poll:  // where it has found the phase ended
      return EventKind::wait;
    case RowKind::load_global:
    case RowKind::load_generic:
      return EventKind::load_global;
    case RowKind::store_global:
    case RowKind::bulk_store:
    case RowKind::store_generic:
      return EventKind::store_global;
    case RowKind::load_shared:
      return EventKind::load_shared;
    case RowKind::store_shared:
      return EventKind::store_shared;
    case RowKind::atomic:
      return EventKind::other;
    default:
      return kind >= RowKind::barrier_sync ? std::optional(EventKind::barrier) : std::nullopt;
  }
}

Recorder::Recorder(const RunState& state, Dim3 cta, size_t warps)
    : state_(state),
      options_(*state.options->trace),
      loops_(state.entry->code, warps),
      last_(warps),
      at_end_(warps) {
  trace_.cta = cta;
  trace_.warps = static_cast<uint32_t>(warps);
  trace_.events_in_warp.assign(warps, 0);
  if (options_.ranges && options_.keep_last_per_warp == 0) learn_blocks();
}

void Recorder::learn_blocks() {
  const Code& code = state_.entry->code;
  for (const Block& block : code.blocks) {
    uint32_t events = 0;
    for (uint32_t i = block.begin; i < block.end && events != kVaries; ++i) {
      const Inst& in = code.instructions[i];
      const RowKind kind = state_.rows.rows[in.row]->kind;
      // What ends a block is told by itself.
      if (kind == RowKind::poll || !event_kind(kind, options_.fma)) continue;
      events = in.guard == 0 ? events + 1 : kVaries;
    }
    events_in_block_.push_back(events);
  }
}

bool Recorder::only_counts(size_t block, uint32_t warp, uint32_t epoch) {
  if (events_in_block_.empty()) return false;
  const uint32_t events = events_in_block_[block];
  if (events == kVaries || in_ranges(warp, epoch, events)) return false;
  keeping_ = false;
  return true;
}

bool Recorder::in_ranges(uint32_t warp, uint32_t epoch, uint32_t events) const {
  const TraceRanges& ranges = *options_.ranges;
  if (ranges.iterations) {
    const auto [loop, iteration] = loops_.place(warp);
    if (loop < 0 || static_cast<size_t>(loop) >= ranges.iterations->size()) return true;
    const auto i = static_cast<uint32_t>(iteration);
    return meet((*ranges.iterations)[static_cast<size_t>(loop)], i, i + 1);
  }
  if (ranges.by_epoch) return meet(ranges.kept, epoch, epoch + 1);
  const uint32_t index = trace_.events_in_warp[warp];
  return meet(ranges.kept, index, index + events);
}

void Recorder::count_block(size_t block, uint32_t warp) {
  trace_.events_in_warp[warp] += events_in_block_[block];
  loops_.count_events(warp, events_in_block_[block]);
  next_order_ += events_in_block_[block];
}

bool Recorder::begin(const Context& c, const Inst& in, uint32_t active, uint32_t epoch,
                     uint64_t step) {
  const Row& row = *state_.rows.rows[in.row];
  const auto kind = event_kind(row.kind, options_.fma);
  if (!kind) return false;
  const uint32_t index = trace_.events_in_warp[c.warp];
  keeping_ = (!options_.ranges || in_ranges(c.warp, epoch, 1)) &&
             (!options_.keep || options_.keep(TraceClock{epoch, c.warp, index}));
  if (!keeping_ && options_.keep_last_per_warp == 0) return true;
  current_.recorded = false;
  current_.first.reset();
  current_.second.reset();
  Event& e = current_.event = {};
  e.epoch = epoch;
  e.index = index;
  e.step = step;
  e.warp = static_cast<uint16_t>(c.warp);
  e.kind = *kind;
  e.bytes = row.bytes;
  e.active = active;
  e.loop = loops_.place(c.warp).loop, e.iteration = loops_.place(c.warp).iteration;
  e.ptx_line = state_.entry->code.info[static_cast<size_t>(&in - c.code)].ptx_line;
  return true;
}

void Recorder::access(Space space, bool is_store, const uint64_t* addresses, uint32_t mask, int) {
  if (!keeping_ && options_.keep_last_per_warp == 0) return;
  if (space != Space::global && space != Space::shared) return;
  if (keeps_at_once()) {
    if (current_.event.address_slot < 0) current_.event.address_slot = put(addresses, mask);
  } else if (!current_.first) {  // wmma: of several
    current_.first = active_only(addresses, mask);
  }
  Event& e = current_.event;  // a generic access shows its space only now
  if (e.kind == EventKind::load_global && space == Space::shared) e.kind = EventKind::load_shared;
  if (e.kind == EventKind::store_global && space == Space::shared) e.kind = EventKind::store_shared;
  (void)is_store;
}

void Recorder::copy_target(const uint64_t* addresses, uint32_t mask) {
  if (!keeping_ && options_.keep_last_per_warp == 0) return;
  if (keeps_at_once()) {  // of a bulk copy's many pieces the first ones
    if (current_.event.address_slot2 < 0) current_.event.address_slot2 = put(addresses, mask);
  } else if (!current_.second) {
    current_.second = active_only(addresses, mask);
  }
}

int32_t Recorder::put(const uint64_t* addresses, uint32_t mask) {
  if (trace_.events.size() >= options_.max_events) return -1;
  make_room(trace_.addresses);
  if (mask == ~0u) {
    trace_.addresses.push_back(*reinterpret_cast<const Addresses*>(addresses));
  } else {
    trace_.addresses.push_back(active_only(addresses, mask));
  }
  return static_cast<int32_t>(trace_.addresses.size()) - 1;
}

void Recorder::end(const Context& c) {
  ++trace_.events_in_warp[c.warp];
  loops_.count_events(c.warp, 1);
  current_.order = next_order_++;
  if (!keeping_ && options_.keep_last_per_warp == 0) return;
  Event& e = current_.event;
  uint32_t pending = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    if ((e.active >> i) & 1u) pending = std::max(pending, c.groups[i]);
  }
  e.pending_groups = static_cast<uint16_t>(std::min(pending, 0xffffu));
  if (keeping_) {
    store(current_);
    current_.recorded = true;
  }
  if (options_.keep_last_per_warp == 0) return;
  auto& last = last_[c.warp];
  last.push_back(current_);
  if (last.size() > options_.keep_last_per_warp) last.pop_front();
}

void Recorder::store(Pending& p) {
  if (trace_.events.size() >= options_.max_events) {
    trace_.truncated = true;
    return;
  }
  auto slot = [&](std::optional<Addresses>& a) {
    if (!a) return -1;
    trace_.addresses.push_back(*a);
    a.reset();
    return static_cast<int32_t>(trace_.addresses.size()) - 1;
  };
  if (!keeps_at_once()) {
    p.event.address_slot = slot(p.first);
    p.event.address_slot2 = slot(p.second);
  }
  make_room(trace_.events);
  trace_.events.push_back(p.event);
  if (options_.keep_last_per_warp > 0) order_.push_back(p.order);
}

Trace Recorder::take(std::vector<uint32_t> epochs) {
  trace_.epochs_in_warp = std::move(epochs);
  trace_.loops = loops_.loops();
  if (options_.keep_last_per_warp == 0) return std::move(trace_);
  for (auto& last : last_) {
    for (Pending& p : last) {
      if (!p.recorded) store(p);
    }
  }
  last_.clear();
  std::vector<size_t> by_order(trace_.events.size());
  std::iota(by_order.begin(), by_order.end(), size_t{0});
  std::sort(by_order.begin(), by_order.end(),
            [&](size_t a, size_t b) { return order_[a] < order_[b]; });
  std::vector<Event> sorted;
  sorted.reserve(by_order.size());
  for (size_t i : by_order) sorted.push_back(trace_.events[i]);
  trace_.events = std::move(sorted);
  return std::move(trace_);
}

}  // namespace tilescope::emulator

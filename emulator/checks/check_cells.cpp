// The checks of shared memory that nearly every access passes: what is left over, check_shared.cpp
// looks at and explains.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/checks/check_shared.h"

namespace tilescope::emulator {
namespace {

typedef uint32_t Four __attribute__((vector_size(16)));

Four load_four(const uint32_t* p) {
  Four v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
void store(uint32_t* p, Four v) { std::memcpy(p, &v, sizeof v); }
void store_four(uint32_t* p, uint32_t value) { store(p, Four{value, value, value, value}); }
bool any(Four v) {
  uint64_t words[2];
  std::memcpy(words, &v, sizeof words);
  return (words[0] | words[1]) != 0;
}
constexpr uint32_t kTop = 1u << 31;  // of a difference of clocks or phases, which have fewer bits

}  // namespace

bool SharedChecker::all_know() const {
  if (busy_ != 0 || clocks_->ctas > 1) return false;
  if (std::ranges::find(multiplies_, uint8_t{1}) != multiplies_.end()) return false;
  for (uint32_t v = 0; v < warps_; ++v) {
    if (clock(v) >= clock_limit() - 1) return false;
    for (uint32_t w = 0; w < state_.warps; ++w) {
      if (clocks_->known[w][v] + 1 < clock(v)) return false;
    }
  }
  return true;
}

// Written in this CTA, in an earlier phase: may be read.
inline bool SharedChecker::is_settled(size_t first, size_t cells) const {
  const uint32_t from = first_phase_, phases = phase_ - first_phase_;
  if (cells == 4) {
    const Four since = load_four(wrote_.data() + first) - Four{from, from, from, from};
    const Four early = (since - Four{phases, phases, phases, phases}) & ~since;
    return !any(~early & kTop);
  }
  for (size_t i = first; i < first + cells; ++i) {
    if (wrote_[i] < from || wrote_[i] >= phase_) return false;
  }
  return true;
}

// In this phase nobody has been there, and no copy is on its way: may be written.
inline bool SharedChecker::is_untouched(size_t first, size_t cells) const {
  if (cells == 4) {
    const Four last = load_four(touched_.data() + first), wrote = load_four(wrote_.data() + first);
    const Four now = {phase_, phase_, phase_, phase_};
    return !any(~((last - now) & (wrote - now)) & kTop);
  }
  for (size_t i = first; i < first + cells; ++i) {
    if (touched_[i] >= phase_ || wrote_[i] >= phase_) return false;
  }
  return true;
}

void SharedChecker::touch(size_t first, size_t cells, uint32_t read, uint32_t warp) {
  if (read_[warp].empty()) read_[warp].assign(cells_, 0);
  uint32_t* last = read_[warp].data() + first;
  uint32_t* touched = touched_.data() + first;
  if (cells == 4) {
    if (read & kManyLanes) {
      store_four(last, read);
    } else {
      const Four now = {read, read, read, read}, apart = load_four(last) ^ now;
      // Another lane, or several, at the same clock.
      const Four many = ((apart >> kReadBits) == 0) & (apart != 0) & kManyLanes;
      store(last, now | many);
    }
    store_four(touched, phase_);
    return;
  }
  for (size_t i = 0; i < cells; ++i) {
    const uint32_t apart = last[i] ^ read;
    last[i] = read | (apart != 0 && apart < (1u << kReadBits) ? kManyLanes : 0u);
    touched[i] = phase_;
  }
}

inline void SharedChecker::mark(size_t first, size_t cells, uint32_t stamp, uint32_t inst,
                                uint32_t phase, uint32_t lane) {
  if (cells == 4) {
    const uint32_t lanes = lane * 0x01010101u;
    std::memcpy(write_lane_.data() + first, &lanes, sizeof lanes);
    store_four(written_.data() + first, stamp);
    store_four(writer_.data() + first, inst);
    store_four(wrote_.data() + first, phase);
    store_four(touched_.data() + first, phase_);
    return;
  }
  for (size_t i = first; i < first + cells; ++i) {
    written_[i] = stamp;
    writer_[i] = inst;
    write_lane_[i] = static_cast<uint8_t>(lane);
    wrote_[i] = phase;
    touched_[i] = phase_;
  }
}

void SharedChecker::note_reads(const Context& c, uint32_t inst, const uint64_t* addresses,
                               uint32_t mask, size_t cells, bool shares, uint32_t reader,
                               uint32_t when) {
  const uint32_t now = when << kReadBits | (shares ? kManyLanes : 0u);
  const auto next = [&](uint32_t m) { return addresses[std::countr_zero(m)]; };
  for (uint32_t m = mask; m;) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t address = addresses[lane];
    const size_t first = address >> shift_;
    m &= m - 1;
    bool same = m && next(m) == address;  // a broadcast
    touch(first, cells, now | lane | (same ? kManyLanes : 0u), reader);
    if (!is_settled(first, cells)) {
      lane_address_ = address;
      one_by_one_ = false;
      read_lane(c, inst, lane, first, cells);
      if (one_by_one_) continue;
    }
    for (; same; same = m && next(m) == address) m &= m - 1;
  }
}

void SharedChecker::note_write(const Context& c, uint32_t inst, uint32_t lane, size_t first,
                               size_t cells, uint32_t stamp, uint32_t phase, bool atomic) {
  if (!is_untouched(first, cells) && !may_write(inst, lane, first, cells, atomic)) {
    explain_write(c, inst, lane, first, cells, atomic);
  }
  mark(first, cells, stamp, inst, phase, lane);
}

bool SharedChecker::land(size_t first, size_t cells, uint32_t inst, uint32_t stamp) {
  if (cells == 4 && !any(load_four(writer_.data() + first) ^ Four{inst, inst, inst, inst})) {
    store_four(written_.data() + first, stamp);
    store_four(wrote_.data() + first, phase_);
    store_four(touched_.data() + first, phase_);
    return true;
  }
  bool somewhere = false;
  for (size_t i = first; i < first + cells; ++i) {
    if (writer_[i] != inst) continue;
    written_[i] = stamp;
    wrote_[i] = touched_[i] = phase_;
    somewhere = true;
  }
  return somewhere;
}

void SharedChecker::read_lane(const Context& c, uint32_t inst, uint32_t lane, size_t first,
                              size_t cells) {
  if (fine_for_ != who_) {
    fine_for_ = who_;
    fine_ = kNothingFine;
  }
  if (cells == 4) {
    const Four w = load_four(written_.data() + first);
    if (!any(w ^ Four{fine_, fine_, fine_, fine_})) return;
    for (size_t i = 0; i < 4; ++i) {
      if (w[i] != fine_) check_written(c, inst, lane, first + i);
    }
    return;
  }
  for (size_t i = 0; i < cells; ++i) {
    if (written_[first + i] != fine_) check_written(c, inst, lane, first + i);
  }
}

// Of a cell that has been written in this CTA: by this lane, or in order with it. Lanes of one
// instruction are judged by what they store.
bool SharedChecker::is_behind_write(uint32_t inst, uint32_t lane, size_t cell) const {
  const uint32_t w = written_[cell];
  if (warp_of(w) != who_) return is_ordered(who_, w);
  return writer_[cell] == inst || clocks_->lanes[who_].knows(lane, write_lane_[cell], clock_of(w));
}

// Of what lanes of the same warp have read.
bool SharedChecker::is_behind_read(uint32_t warp, uint32_t lane, uint32_t read) const {
  const uint32_t clock = read >> kReadBits;
  if (clock < base_) return true;
  if (read & kManyLanes) return clocks_->lanes[warp].may_know(clock);
  return clocks_->lanes[warp].knows(lane, read & 31u, clock);
}

// In the common case nothing else is known of a cell than what this warp knows.
bool SharedChecker::may_write(uint32_t inst, uint32_t lane, size_t first, size_t cells,
                              bool atomic) {
  const uint32_t* own = read_[who_].data();
  for (size_t i = first; i < first + cells; ++i) {
    if (!read_[who_].empty() && !is_behind_read(who_, lane, own[i])) return false;
    const uint32_t w = written_[i];
    if (clock_of(w) < base_) continue;
    if (w & kFlight) return false;
    if (!is_behind_write(inst, lane, i) && !(atomic && (w & kAtomic))) return false;
  }
  const Clocks& known = clocks_->known[who_];
  if (cells == 4) {
    for (uint32_t v = 0; v < read_.size(); ++v) {
      if (read_[v].empty()) continue;
      const uint32_t k = v == who_ ? ~0u >> 1 : last_read(known[v]);
      const Four r = load_four(read_[v].data() + first);
      // A read has 31 bits: the difference's top bit says which is greater.
      if (any((Four{k, k, k, k} - r) & kTop)) return false;
    }
    return true;
  }
  for (uint32_t v = 0; v < read_.size(); ++v) {
    if (v == who_ || read_[v].empty()) continue;
    const uint32_t* read = read_[v].data() + first;
    for (size_t i = 0; i < cells; ++i) {
      if (read[i] > last_read(known[v])) return false;
    }
  }
  return true;
}

}  // namespace tilescope::emulator

// What an access of shared memory that is not in order with those before it is told.
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/checks/check_shared.h"

namespace tilescope::emulator {
namespace {

std::string shared_words(const char* what, const std::string& place) {
  return std::string(what) + " of shared memory at " + place;
}

}  // namespace

// Named as the CTA whose access is under way sees them.
std::string SharedChecker::place_words(uint64_t address) const {
  return hex(address) + (by_ == this ? std::string() : " of " + cta_words(cta_));
}

std::string SharedChecker::name_of(uint32_t warp) const {
  const uint32_t rank = warp / warps_, local = warp % warps_;
  const uint32_t first = first_product_of(state_, plan_);
  const auto warpgroup = [&] {
    const uint32_t warp = 4 * (local - first);
    return "the products of warps " + std::to_string(warp) + " to " + std::to_string(warp + 3);
  };
  const std::string who = local >= first && first < warps_ ? warpgroup()
                          : local >= state_.warps          ? std::string("a bulk copy")
                                                           : "warp " + std::to_string(local);
  return who + (rank == by_->rank_ ? std::string()
                                   : " of " + cta_words(member_of(state_.cluster, cta_, rank)));
}

uint32_t SharedChecker::named() const {
  const uint32_t local = who_ - by_->first_;
  return local >= state_.warps ? by_->issuer_ : local;
}

/// `with_write`: the access before, by a lane (32 = several) of warp `by`, is the cell's last
/// write.
void SharedChecker::add_race(uint32_t inst, uint32_t lane, size_t cell, const char* what,
                             bool with_write, uint32_t by, uint32_t by_lane) {
  const uint64_t address = uint64_t{cell} << shift_;
  const uint32_t other = with_write ? writer_[cell] : kNoInst;
  by_->findings_.add(
      by_->cta_, sighting(Fault::Kind::race, lane, address, inst, other, by == who_), [&] {
        const std::string before =
            (with_write ? "'s write" + line_words(state_, other) : std::string("'s read"));
        if (by != who_) {
          return "race: " + shared_words(what, place_words(address)) + " follows " + name_of(by) +
                 before + " with no barrier between that both pass";
        }
        const std::string who = by_lane < 32 ? "lane " + std::to_string(by_lane) : "another lane";
        return "race between lanes: " + shared_words(what, place_words(address)) + " follows " +
               who + before +
               " in the same warp, and nothing between makes the two lanes wait for each other";
      });
}

// A read of one cell: has it been written, is it there, and is its writer in order with this lane?
void SharedChecker::check_written(const Context& c, uint32_t inst, uint32_t lane, size_t cell) {
  const uint32_t w = written_[cell], by = warp_of(w);
  const uint64_t address = uint64_t{cell} << shift_;
  const bool both_atomic = (w & kAtomic) && (plan_.flags[inst] & CheckPlan::kSync);
  one_by_one_ = one_by_one_ || (by == who_ && !clocks_->lanes[by].all_know(clock_of(w)));
  if (clock_of(w) < base_) {
    const uint64_t behind = address > lane_address_ ? address - lane_address_ : 0;
    one_by_one_ = true;
    by_->taints_.read_unwritten(c, inst, lane, address, behind, bytes_);
  } else if (w & kFlight) {
    by_->findings_.add(
        by_->cta_, sighting(Fault::Kind::copy_pending, lane, address, inst, writer_[cell]), [&] {
          return shared_words("a read", place_words(address)) +
                 " comes before the cp.async.wait_group of " + name_of(by) + " for its cp.async" +
                 line_words(state_, writer_[cell]);
        });
  } else if (!both_atomic && !is_behind_write(kNoInst, lane, cell)) {
    add_race(inst, lane, cell, "a read", true, by, write_lane_[cell]);
  } else if (!(w & kAtomic) && (by != who_ || clocks_->lanes[by].all_know(clock_of(w)))) {
    fine_ = w;
    fine_for_ = who_;
  }
}

// A read by what goes beside the threads (wgmma, a bulk copy) of what a thread has stored.
void SharedChecker::check_proxy(uint32_t inst, const uint64_t* addresses, uint32_t mask,
                                size_t cells) {
  uint32_t fine = kNothingFine;  // what a warp has stored at once lies side by side
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const size_t first = addresses[lane] >> shift_;
    for (size_t cell = first; cell < first + cells; ++cell) {
      const uint32_t w = written_[cell];
      if (w == fine) continue;
      const uint32_t by = warp_of(w);
      if (clock_of(w) < base_ || (w & kFlight) || by % warps_ >= state_.warps ||
          clock_of(w) <= clocks_->proxied[by]) {
        fine = w;
        continue;
      }
      const uint64_t address = uint64_t{cell} << shift_;
      by_->findings_.add(
          by_->cta_, sighting(Fault::Kind::proxy, lane, address, inst, writer_[cell]), [&] {
            return shared_words("a read", place_words(address)) + " beside the threads follows " +
                   name_of(by) + "'s store" + line_words(state_, writer_[cell]) +
                   " with no fence.proxy.async between: what it reads may be old; put one behind "
                   "the store, before the barrier";
          });
      return;
    }
  }
}

void SharedChecker::explain_write(const Context& c, uint32_t inst, uint32_t lane, size_t first,
                                  size_t cells, bool atomic) {
  for (size_t i = first; i < first + cells; ++i) {
    const uint32_t w = written_[i], by = warp_of(w);
    const uint64_t address = uint64_t{i} << shift_;
    if (clock_of(w) >= base_) {
      if (w & kFlight) {
        by_->findings_.add(
            by_->cta_, sighting(Fault::Kind::copy_pending, lane, address, inst, writer_[i]), [&] {
              return shared_words("a write", place_words(address)) + " hits what " + name_of(by) +
                     "'s cp.async" + line_words(state_, writer_[i]) + " is still copying to";
            });
        return;
      }
      if (!is_behind_write(inst, lane, i) && !(atomic && (w & kAtomic))) {
        if (!stores_the_same(c, inst, lane, i)) {
          return add_race(inst, lane, i, "a write", true, by, write_lane_[i]);
        }
        add_equal_store(inst, lane, i);
      }
    }
    for (uint32_t v = 0; v < read_.size(); ++v) {
      if (read_[v].empty()) continue;
      const uint32_t read = read_[v][i];
      if (v == who_ ? is_behind_read(v, lane, read) : read <= last_read(clocks_->known[who_][v])) {
        continue;
      }
      return add_race(inst, lane, i, "a write", false, v, read & kManyLanes ? 32u : read & 31u);
    }
  }
}

// Memory still holds what was written last.
bool SharedChecker::stores_the_same(const Context& c, uint32_t inst, uint32_t lane,
                                    size_t cell) const {
  if (written_[cell] & kAtomic) return false;
  const StoredValue value(state_, c, c.code[inst], bytes_);
  if (!value.is_known()) return false;
  std::byte bytes[StoredValue::kMostBytes];
  value.read(lane, bytes);
  const uint64_t address = uint64_t{cell} << shift_;
  return std::memcmp(bytes + (address - lane_address_), c.peers[rank_]->shared + address,
                     size_t{1} << shift_) == 0;
}

void SharedChecker::add_equal_store(uint32_t inst, uint32_t lane, size_t cell) {
  const uint64_t address = uint64_t{cell} << shift_;
  auto [it, is_new] = equal_stores_.try_emplace({inst, writer_[cell]});
  EqualStore& equal = it->second;
  if (is_new) {
    equal.seen = sighting(Fault::Kind::equal_stores, lane, address, inst, writer_[cell]);
  }
  equal.warps.insert({who_, warp_of(written_[cell])});
  ++equal.count;
}

void SharedChecker::finish() {
  for (const auto& store : equal_stores_) {
    const auto& equal = store.second;  // by name: clang 14's lambdas take no structured binding
    findings_.add(
        cta_, equal.seen,
        [&, warps = equal.warps.size()] {
          return shared_words("a write", hex(equal.seen.address)) +
                 " puts there what is there already: stored by " +
                 (warps == 1 ? "several lanes of a warp" : std::to_string(warps) + " warps") +
                 ", equal, with nothing between that orders them; one of them would do";
        },
        equal.count, true);
  }
  equal_stores_.clear();
  find_left_behind();
}

// Whoever uses an mbarrier must come behind its init by something else than the mbarrier.
void SharedChecker::mbarrier(uint32_t inst, const uint64_t* addresses, uint32_t mask) {
  const bool is_init = plan_.flags[inst] & CheckPlan::kInit;
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t address = addresses[lane];
    if (is_init) {
      if (inits_.size() < 65536) inits_[address] = {inst, who_, lane, clock(who_)};
      note_busy(who_);
      check_early_use(inst, lane, address);
      continue;
    }
    check_init(inst, lane, address);
  }
  const bool asks =
      state_.rows.rows[state_.entry->code.instructions[inst].row]->kind == RowKind::poll;
  if (!is_init) sync(inst, addresses, mask, !asks);
}

void SharedChecker::check_init(uint32_t inst, uint32_t lane, uint64_t address) {
  const auto it = inits_.find(address);
  if (it == inits_.end()) {
    if (by_ != this) used_early_[address] = {who_, remote_[who_]};
    return;
  }
  const Init& init = it->second;
  const bool same_warp = init.warp == who_;
  if (same_warp ? clocks_->lanes[who_].knows(lane, init.lane, init.clock)
                : init.clock <= clocks_->known[who_][init.warp]) {
    return;
  }
  by_->findings_.add(
      by_->cta_, sighting(Fault::Kind::race, lane, address, inst, init.inst, same_warp), [&] {
        return "race: the mbarrier at " + place_words(address) +
               " in shared memory is used, and nothing orders that behind its mbarrier.init by " +
               name_of(init.warp) + ", lane " + std::to_string(init.lane) +
               line_words(state_, init.inst);
      });
}

void SharedChecker::check_early_use(uint32_t inst, uint32_t lane, uint64_t address) {
  const auto it = used_early_.find(address);
  if (it == used_early_.end()) return;
  const auto& [who, use] = it->second;
  if (clocks_->known[who_][who] < use.clock) {
    by_->findings_.add(by_->cta_, sighting(Fault::Kind::race, lane, address, inst, use.inst),
                       [&, who = who] {
                         return "race: the mbarrier.init at " + place_words(address) +
                                " in shared memory follows a use by " + name_of(who) +
                                line_words(state_, it->second.second.inst) +
                                ", which nothing orders behind it; let the cluster meet between";
                       });
  }
  used_early_.erase(it);
}

// Of an access from another CTA: this one must still be there.
void SharedChecker::note_remote(uint32_t inst, const uint64_t* addresses, uint32_t mask) {
  if (mask == 0) return;
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  remote_[who_] = {clock(who_), inst, named(), lane, addresses[lane]};
}

// When the CTA has ended: some thread of it must have known of each access from outside, or it may
// end before that comes.
void SharedChecker::find_left_behind() {
  for (const auto& [who, last] : remote_) {
    bool known = false;
    for (uint32_t w = first_; w < first_ + state_.warps; ++w) {
      known = known || clocks_->known[w][who] >= last.clock;
    }
    if (known) continue;
    const Dim3 by = member_of(state_.cluster, cta_, who / warps_);
    const uint64_t address = last.address;
    findings_.add(by, {Fault::Kind::cta_left, last.warp, last.lane, address, last.inst}, [&] {
      return "an access to shared memory at " + hex(address) + " of " + cta_words(cta_) +
             ", which nothing makes wait for it: that CTA may have left by then; let it wait at "
             "the cluster's barrier, or for this mbarrier, before it ends";
    });
  }
  remote_.clear();
}

}  // namespace tilescope::emulator

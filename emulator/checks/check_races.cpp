// What an access of shared memory that is not in order with those before it is told.
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/checks/check_shared.h"

namespace tilescope::emulator {
namespace {

std::string shared_words(const char* what, uint64_t address) {
  return std::string(what) + " of shared memory at " + hex(address);
}

}  // namespace

/// `with_write`: the access before, by a lane (32 = several) of warp `by`, is the cell's last
/// write.
void SharedChecker::add_race(const Context& c, uint32_t inst, uint32_t lane, size_t cell,
                             const char* what, bool with_write, uint32_t by, uint32_t by_lane) {
  const uint64_t address = uint64_t{cell} << shift_;
  const uint32_t other = with_write ? writer_[cell] : kNoInst;
  findings_.add(
      cta_, {Fault::Kind::race, named(c.warp), lane, address, inst, other, by == c.warp}, [&] {
        const std::string before =
            (with_write ? "'s write" + line_words(state_, other) : std::string("'s read"));
        if (by != c.warp) {
          return "race: " + shared_words(what, address) + " follows " + name_of(by) + before +
                 " with no barrier between that both pass";
        }
        const std::string who = by_lane < 32 ? "lane " + std::to_string(by_lane) : "another lane";
        return "race between lanes: " + shared_words(what, address) + " follows " + who + before +
               " in the same warp, and nothing between makes the two lanes wait for each other";
      });
}

// A read of one cell: has it been written, is it there, and is its writer in order with this lane?
void SharedChecker::check_written(const Context& c, uint32_t inst, uint32_t lane, size_t cell) {
  const uint32_t w = written_[cell], by = w & 31u;
  const uint64_t address = uint64_t{cell} << shift_;
  const bool both_atomic = (w & kAtomic) && (plan_.flags[inst] & CheckPlan::kSync);
  one_by_one_ = one_by_one_ || (by == c.warp && !lanes_[by].all_know(clock_of(w)));
  if (clock_of(w) < base_) {
    const uint64_t behind = address > lane_address_ ? address - lane_address_ : 0;
    one_by_one_ = true;
    taints_.read_unwritten(c, inst, lane, address, behind, bytes_);
  } else if (w & kFlight) {
    findings_.add(cta_, {Fault::Kind::copy_pending, c.warp, lane, address, inst, writer_[cell]},
                  [&] {
                    return shared_words("a read", address) +
                           " comes before the cp.async.wait_group of warp " + std::to_string(by) +
                           " for its cp.async" + line_words(state_, writer_[cell]);
                  });
  } else if (!both_atomic && !is_behind_write(c, kNoInst, lane, cell)) {
    add_race(c, inst, lane, cell, "a read", true, by, write_lane_[cell]);
  } else if (!(w & kAtomic) && (by != c.warp || lanes_[by].all_know(clock_of(w)))) {
    fine_ = w;
    fine_for_ = c.warp;
  }
}

void SharedChecker::explain_write(const Context& c, uint32_t inst, uint32_t lane, size_t first,
                                  size_t cells, bool atomic) {
  for (size_t i = first; i < first + cells; ++i) {
    const uint32_t w = written_[i], by = w & 31u;
    const uint64_t address = uint64_t{i} << shift_;
    if (clock_of(w) >= base_) {
      if (w & kFlight) {
        findings_.add(
            cta_, {Fault::Kind::copy_pending, c.warp, lane, address, inst, writer_[i]}, [&] {
              return shared_words("a write", address) + " hits what warp " + std::to_string(by) +
                     "'s cp.async" + line_words(state_, writer_[i]) + " is still copying to";
            });
        return;
      }
      if (!is_behind_write(c, inst, lane, i) && !(atomic && (w & kAtomic))) {
        if (!stores_the_same(c, inst, lane, i)) {
          return add_race(c, inst, lane, i, "a write", true, by, write_lane_[i]);
        }
        add_equal_store(c, inst, lane, i);
      }
    }
    for (uint32_t v = 0; v < warps_; ++v) {
      const uint32_t read = read_[v * cells_ + i];
      if (v == c.warp ? is_behind_read(v, lane, read) : read <= last_read(known_[c.warp][v])) {
        continue;
      }
      return add_race(c, inst, lane, i, "a write", false, v, read & kManyLanes ? 32u : read & 31u);
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
  return std::memcmp(bytes + (address - lane_address_), c.shared + address, size_t{1} << shift_) ==
         0;
}

void SharedChecker::add_equal_store(const Context& c, uint32_t inst, uint32_t lane, size_t cell) {
  const uint64_t address = uint64_t{cell} << shift_;
  auto [it, is_new] = equal_stores_.try_emplace({inst, writer_[cell]});
  EqualStore& equal = it->second;
  if (is_new) {
    equal.seen = {Fault::Kind::equal_stores, c.warp, lane, address, inst, writer_[cell]};
  }
  equal.warps |= 1u << c.warp | 1u << (written_[cell] & 31u);
  ++equal.count;
}

void SharedChecker::finish() {
  for (const auto& store : equal_stores_) {
    const auto& equal = store.second;  // by name: clang 14's lambdas take no structured binding
    findings_.add(
        cta_, equal.seen,
        [&, warps = std::popcount(equal.warps)] {
          return shared_words("a write", equal.seen.address) +
                 " puts there what is there already: stored by " +
                 (warps == 1 ? "several lanes of a warp" : std::to_string(warps) + " warps") +
                 ", equal, with nothing between that orders them; one of them would do";
        },
        equal.count, true);
  }
  equal_stores_.clear();
}

// Whoever uses an mbarrier must come behind its init by something else than the mbarrier.
void SharedChecker::mbarrier(const Context& c, uint32_t inst, const uint64_t* addresses,
                             uint32_t mask) {
  const bool is_init = plan_.flags[inst] & CheckPlan::kInit;
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t address = addresses[lane];
    if (is_init) {
      if (inits_.size() < 65536) inits_[address] = {inst, c.warp, lane, clock(c.warp)};
      busy_ |= 1u << c.warp;
      seen_ |= 1u << c.warp;
      continue;
    }
    const auto it = inits_.find(address);
    if (it == inits_.end()) continue;
    const Init& init = it->second;
    const bool same_warp = init.warp == c.warp;
    if (same_warp ? lanes_[c.warp].knows(lane, init.lane, init.clock)
                  : init.clock <= known_[c.warp][init.warp]) {
      continue;
    }
    findings_.add(cta_, {Fault::Kind::race, c.warp, lane, address, inst, init.inst, same_warp},
                  [&] {
                    return "race: the mbarrier at " + hex(address) +
                           " in shared memory is used, and nothing "
                           "orders that behind its mbarrier.init by warp " +
                           std::to_string(init.warp) + ", lane " + std::to_string(init.lane) +
                           line_words(state_, init.inst);
                  });
  }
  if (!is_init) sync(c, inst, addresses, mask);
}

}  // namespace tilescope::emulator

#include "emulator/checks/checker.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace tilescope::emulator {
namespace {

uint32_t index_of(const Context& c, const Inst& in) { return static_cast<uint32_t>(&in - c.code); }

}  // namespace

ClusterChecks::ClusterChecks(const RunState& state, const CheckPlan& plan)
    : clocks(state.cluster_ctas(), SharedChecker::warps_of(state, plan)),
      log(plan),
      checkers(state.cluster_ctas(), nullptr),
      to_end(state.cluster_ctas()) {}

Checker::Checker(const RunState& state, const CheckPlan& plan, uint64_t* time)
    : state_(state),
      plan_(plan),
      findings_(state),
      global_(plan),
      taints_(state, plan, findings_),
      shared_(state, plan, findings_, taints_),
      flight_(state, plan, findings_),
      phases_(plan, findings_),
      pool_(state, findings_),
      time_(time),
      defined_(size_t{plan.doubtful_count} * state.warps),
      local_written_((size_t{state.entry->code.local_bytes} * 32 * state.warps + 63) / 64) {}

void Checker::start(Dim3 cta, ClusterChecks* cluster, uint32_t rank) {
  cta_ = cta;
  cluster_ = cluster;
  rank_ = rank;
  if (cluster) cluster->checkers[rank] = this;
  bad_inst_ = nullptr;
  bad_matrix_ = false;
  std::fill(defined_.begin(), defined_.end(), 0u);
  std::fill(local_written_.begin(), local_written_.end(), 0u);
  taints_.start(cta);
  flight_.start(cta);
  phases_.start();
  pool_.start();
  shared_.start(cta, cluster ? &cluster->clocks : nullptr, rank);
}

Checker::Report Checker::take() {
  shared_.finish();
  pool_.finish(cta_);
  phases_.finish(cta_);
  Report report{std::move(findings_), std::move(global_)};
  findings_ = Findings(state_);
  global_ = GlobalLog(plan_);
  if (cluster_ && --cluster_->to_end == 0) report.global = std::move(cluster_->log);
  cluster_ = nullptr;
  return report;
}

void Checker::set_registers(const Context& c, const Inst& in, uint32_t count) {
  pool_.set(c.warp, index_of(c, in), count);
}

bool Checker::tolerate(const Context& c, const Inst& in, Fault::Kind kind, uint32_t lane,
                       uint64_t address, const char* what) {
  if (bad_inst_ != &in) bad_lanes_ = 0;
  bad_inst_ = &in;
  bad_lanes_ |= 1u << lane;
  bad_matrix_ = true;
  findings_.add(cta_, {kind, c.warp, lane, address, index_of(c, in), kNoInst},
                [&] { return access_words(state_, kind, cta_, address, what); });
  return true;
}

uint32_t Checker::legal_lanes(const Context& c, const Inst& in) {
  if (bad_inst_ != &in) return c.mask;
  bad_inst_ = nullptr;
  return c.mask & ~bad_lanes_;
}

void Checker::access(const Context& c, const Inst& in, Space space, bool is_store,
                     const uint64_t* addresses, int bytes) {
  const uint32_t mask = legal_lanes(c, in), inst = index_of(c, in);
  switch (space) {
    case Space::shared:
      shared_access(c, inst, is_store, addresses, bytes, mask);
      if (plan_.flags[inst] & CheckPlan::kBarrier) {
        each_owner(c, addresses, mask, [&](Checker& owner, const uint64_t* at, uint32_t lanes) {
          owner.phases_.access(c, in, inst, owner.bytes_of(c), at, lanes);
        });
      }
      break;
    case Space::global:
      log().access(c, inst, is_store, addresses, bytes, mask, time_);
      break;
    case Space::local:
      return local(c, inst, is_store, addresses, bytes, mask);
    default:
      return;
  }
  if (is_store && !(plan_.flags[inst] & (CheckPlan::kSync | CheckPlan::kBarrier))) {
    lanes_disagree(c, in, space, addresses, bytes, mask);
  }
}

template <class F>
void Checker::each_owner(const Context& c, const uint64_t* addresses, uint32_t mask, F f) {
  each_rank(addresses, mask, rank_, [&](uint32_t rank, const uint64_t* offsets, uint32_t lanes) {
    if (rank == rank_) return f(*this, offsets, lanes);
    const bool is_there = cluster_ && rank < cluster_->checkers.size() &&
                          !c.peers[rank]->gone;  // else it was refused
    if (is_there) f(*cluster_->checkers[rank], offsets, lanes);
  });
}
template <class F>
void Checker::each_memory(const Context& c, const uint64_t* addresses, uint32_t mask, F f) {
  each_owner(c, addresses, mask, [&](Checker& owner, const uint64_t* offsets, uint32_t lanes) {
    f(owner.shared_, offsets, lanes);
  });
}

const std::byte* Checker::bytes_of(const Context& c) const {
  return rank_ == c.cluster_rank ? c.shared : c.peers[rank_]->shared;
}

void Checker::shared_access(const Context& c, uint32_t inst, bool is_store,
                            const uint64_t* addresses, int bytes, uint32_t mask) {
  const bool is_async = plan_.flags[inst] & CheckPlan::kAsync;
  if (!is_async && !cluster_) return shared_.access(c, inst, is_store, addresses, bytes, mask);
  each_memory(c, addresses, mask, [&](SharedChecker& memory, const uint64_t* at, uint32_t lanes) {
    if (is_async) {
      shared_.bulk(memory, c, inst, is_store, at, bytes, lanes, false);
    } else if (&memory == &shared_) {
      shared_.access(c, inst, is_store, at, bytes, lanes);
    } else {
      memory.access_by(shared_, c, inst, is_store, at, bytes, lanes);
    }
  });
}

void Checker::local(const Context& c, uint32_t inst, bool is_store, const uint64_t* addresses,
                    int bytes, uint32_t mask) {
  const size_t lane_bytes = state_.entry->code.local_bytes;
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
    const size_t first = (size_t{c.warp} * 32 + lane) * lane_bytes + addresses[lane];
    const uint64_t bits = ((bytes < 64 ? 1ull << bytes : 0) - 1) << (first % 64);
    uint64_t& word = local_written_[first / 64];  // an aligned access lies in one word
    if (is_store) {
      word |= bits;
    } else if ((word & bits) == 0 &&
               !(plan_.flags[inst] &
                 CheckPlan::kParameter)) {  // a struct's padding may be read with its neighbours
      const uint64_t address = addresses[lane];
      findings_.add(cta_, {Fault::Kind::unwritten, c.warp, lane, address, inst, kNoInst}, [&] {
        return "a read of local memory at " + hex(address) +
               ", which this thread has not written; give the variable a value first";
      });
    }
  }
}

// Calls `same(a, b)` for lanes with one address, a < b; that finds whether they write the same.
template <class Same>
void Checker::same_address(const Context& c, const Inst& in, Space space, const uint64_t* addresses,
                           uint32_t mask, Same same) {
  uint64_t last = 0;
  bool ascending = true;
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint64_t a = addresses[std::countr_zero(m)];
    ascending = ascending && a >= last;
    last = a + 1;
  }
  if (ascending) return;
  uint8_t table[128];
  std::memset(table, 0xff, sizeof table);
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
    uint32_t slot = static_cast<uint32_t>((addresses[lane] * 0x9e3779b97f4a7c15u) >> 57);
    while (table[slot] != 0xff && addresses[table[slot]] != addresses[lane])
      slot = (slot + 1) % 128;
    if (table[slot] == 0xff) {
      table[slot] = static_cast<uint8_t>(lane);
      continue;
    }
    const uint32_t first = table[slot];
    if (same(first, lane)) continue;
    add_lane_conflict(c, in, space, first, lane, addresses[lane]);
  }
}

void Checker::add_lane_conflict(const Context& c, const Inst& in, Space space, uint32_t first,
                                uint32_t lane, uint64_t at) {
  findings_.add(
      cta_, {Fault::Kind::lane_conflict, c.warp, lane, at, index_of(c, in), kNoInst}, [&] {
        const bool global = space == Space::global;
        return "race in one instruction: lane" +
               (first == lane
                    ? " " + std::to_string(lane) + " writes"
                    : "s " + std::to_string(first) + " and " + std::to_string(lane) + " write") +
               " different values to " + (global ? "global" : "shared") + " memory at " + hex(at) +
               (global ? buffer_words(state_, at) : "") +
               ", and any of them may stay; give each lane an address of its own";
      });
}

void Checker::lanes_disagree(const Context& c, const Inst& in, Space space,
                             const uint64_t* addresses, int bytes, uint32_t mask) {
  const StoredValue value(state_, c, in, bytes);
  if (!value.is_known()) return;  // wmma.store: pieces()
  same_address(c, in, space, addresses, mask,
               [&](uint32_t a, uint32_t b) { return value.is_same(a, b); });
}

void Checker::pieces(const Context& c, const Inst& in, Space space, const uint64_t* addresses,
                     const std::byte* values, uint32_t count, int bytes) {
  if (std::exchange(bad_matrix_, false)) return;  // where they would go is not where they went
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return addresses[a] < addresses[b]; });
  const size_t size = static_cast<size_t>(bytes);
  for (uint32_t i = 1; i < count; ++i) {
    const uint32_t a = order[i - 1], b = order[i];
    const uint64_t at = addresses[b];
    if (addresses[a] != at || std::memcmp(values + a * size, values + b * size, size) == 0)
      continue;
    add_lane_conflict(c, in, space, a % 32, b % 32, at);
  }
}

void Checker::copy(const Context& c, const Inst& in, const uint64_t* shared, std::byte* const* from,
                   const uint32_t* from_bytes, int bytes) {
  const uint32_t mask = legal_lanes(c, in);
  shared_.copy(c, index_of(c, in), shared, bytes, mask);
  same_address(c, in, Space::shared, shared, mask, [&](uint32_t a, uint32_t b) {
    return from_bytes[a] == from_bytes[b] &&
           (from_bytes[a] == 0 || std::memcmp(from[a], from[b], from_bytes[a]) == 0);
  });
}

void Checker::bulk(const Context& c, const Inst& in, const BulkPieces& p) {
  const uint32_t inst = index_of(c, in);
  if (p.from[0] != ~0ull) {
    if (p.from_space == Space::shared) {
      shared_.bulk(shared_, c, inst, false, p.from, p.bytes, c.mask, p.to_space == Space::global);
    } else if (!p.again) {
      log().access(c, inst, false, p.from, p.bytes, c.mask, time_);
    }
  }
  if (p.to_space == Space::global) {
    return log().access(c, inst, true, p.to, p.bytes, c.mask, time_, p.reduces);
  }
  each_memory(c, p.to, c.mask, [&](SharedChecker& memory, const uint64_t* at, uint32_t lanes) {
    shared_.bulk(memory, c, inst, true, at, p.bytes, lanes, false);
  });
}

void Checker::complete(const Context& c, const Inst& in, uint64_t barrier) {
  const uint32_t inst = index_of(c, in);
  each_owner(c, &barrier, 1, [&](Checker& owner, const uint64_t* at, uint32_t) {
    if (at[0] + sizeof(uint64_t) > c.shared_bytes) return;  // refused, and told of
    shared_.complete_bulk(owner.shared_, c, inst, at[0]);
    owner.phases_.look(owner.bytes_of(c), at[0]);
  });
}

void Checker::before(const Context& c, const Inst& in, uint32_t active) {
  const uint32_t inst = index_of(c, in);
  if (!plan_.watched_instruction[inst]) return;
  flight_.before(c, inst, active);
  if (plan_.doubtful_count == 0) return;
  const Code& code = state_.entry->code;
  uint32_t* defined = defined_.data() + size_t{c.warp} * plan_.doubtful_count;
  const bool packs = plan_.flags[inst] & CheckPlan::kPacks;
  const bool moves = packs || plan_.flags[inst] & CheckPlan::kMove;
  uint32_t known = active, some = 0;  // lanes in which all that is read is known, or some of it
  const auto read = [&](uint32_t reg, uint32_t lanes, bool may_be_unset) {
    const uint32_t doubtful = plan_.doubtful[reg];
    some |= doubtful == kNoRegister ? ~0u : defined[doubtful];
    if (doubtful == kNoRegister) return;
    const uint32_t missing = lanes & ~defined[doubtful];
    known &= ~missing;
    if (missing == 0 || may_be_unset) return;
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(missing));
    findings_.add(
        cta_, {Fault::Kind::unwritten, c.warp, lane, 0, inst, kNoInst},
        [&] {
          return "the register " + code.registers[reg].name +
                 " is read, and this thread has not written it; give the variable a value on "
                 "every path to here";
        },
        static_cast<uint64_t>(std::popcount(missing)));
  };
  if (code.guards[inst] != kNoRegister) read(code.guards[inst], c.mask, false);
  for (uint32_t k = code.first_operand[inst]; k < code.first_operand[inst + 1]; ++k) {
    const uint32_t o = code.operands[k];
    if (o != kNoRegister && !(o & 1u)) read(o >> 1, active, moves);
  }
  for (uint32_t k = code.first_operand[inst]; k < code.first_operand[inst + 1]; ++k) {
    const uint32_t o = code.operands[k];
    if (o == kNoRegister || !(o & 1u) || plan_.doubtful[o >> 1] == kNoRegister) continue;
    uint32_t& d = defined[plan_.doubtful[o >> 1]];
    const uint32_t set = packs ? active & some : moves ? known : active;
    d = (d & ~active) | set;
  }
}

}  // namespace tilescope::emulator

// A CTA's state before its first instruction: registers that hold constants, shared memory.
#include <bit>
#include <cstring>

#include "emulator/run/cta.h"

namespace tilescope::emulator {
namespace {

bool changes_with_cta(const Constant& c) {
  if (c.kind != Constant::Kind::special) return false;
  switch (static_cast<Special>(c.value)) {
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
    case Special::smid:
    case Special::clusterid_x:
    case Special::clusterid_y:
    case Special::clusterid_z:
    case Special::cluster_ctaid_x:
    case Special::cluster_ctaid_y:
    case Special::cluster_ctaid_z:
    case Special::cluster_ctarank:
      return true;
    default:
      return false;
  }
}

uint32_t special_value(const RunState& state, Special s, Dim3 cta, uint32_t warp, uint32_t lane) {
  const Dim3& b = state.launch->block;
  const Dim3& g = state.launch->grid;
  const Dim3& n = state.cluster;
  const uint32_t t = warp * 32 + lane;
  switch (s) {
    case Special::tid_x:
      return t % b.x;
    case Special::tid_y:
      return t / b.x % b.y;
    case Special::tid_z:
      return t / b.x / b.y;
    case Special::ntid_x:
      return b.x;
    case Special::ntid_y:
      return b.y;
    case Special::ntid_z:
      return b.z;
    case Special::ctaid_x:
      return cta.x;
    case Special::ctaid_y:
      return cta.y;
    case Special::ctaid_z:
      return cta.z;
    case Special::nctaid_x:
      return g.x;
    case Special::nctaid_y:
      return g.y;
    case Special::nctaid_z:
      return g.z;
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp;
    case Special::nwarpid:
      return state.warps;
    case Special::nsmid:
      return 1;
    case Special::lanemask_eq:
      return 1u << lane;
    case Special::lanemask_lt:
      return (1u << lane) - 1;
    case Special::lanemask_le:
      return (2u << lane) - 1;
    case Special::lanemask_gt:
      return ~((2u << lane) - 1);
    case Special::lanemask_ge:
      return ~((1u << lane) - 1);
    case Special::dynamic_shared_bytes:
      return state.launch->dynamic_shared_bytes;
    case Special::total_shared_bytes:
      return state.shared_bytes;
    case Special::clusterid_x:
      return cta.x / n.x;
    case Special::clusterid_y:
      return cta.y / n.y;
    case Special::clusterid_z:
      return cta.z / n.z;
    case Special::nclusterid_x:
      return g.x / n.x;
    case Special::nclusterid_y:
      return g.y / n.y;
    case Special::nclusterid_z:
      return g.z / n.z;
    case Special::cluster_ctaid_x:
      return cta.x % n.x;
    case Special::cluster_ctaid_y:
      return cta.y % n.y;
    case Special::cluster_ctaid_z:
      return cta.z % n.z;
    case Special::cluster_nctaid_x:
      return n.x;
    case Special::cluster_nctaid_y:
      return n.y;
    case Special::cluster_nctaid_z:
      return n.z;
    case Special::cluster_ctarank:
      return rank_in(n, cta);
    case Special::cluster_nctarank:
      return ctas_of(n);
    case Special::is_explicit_cluster:
      return state.is_explicit_cluster ? ~0u : 0u;
    default:
      return 0;
  }
}

uint64_t parameter_value(const std::vector<std::byte>& block, const Constant& c) {
  uint64_t v = 0;
  if (c.value + c.bytes <= block.size()) std::memcpy(&v, block.data() + c.value, c.bytes);
  if (c.is_signed && c.bytes < 8) {
    const int shift = 64 - 8 * c.bytes;
    v = static_cast<uint64_t>(static_cast<int64_t>(v << shift) >> shift);
  }
  return v;
}

}  // namespace

CtaRunner::CtaRunner(RunState& state)
    : state_(state), code_(state.entry->code), waits_(state.waits.get()), steps_(state.steps) {
  allocate();
  for (uint32_t w = 0; w < state_.warps; ++w) {
    for (const Constant& c : code_.constants) {
      if (changes_with_cta(c)) continue;
      if (c.is_predicate) {
        warps_[w].predicates[c.slot] =
            c.kind == Constant::Kind::special
                ? special_value(state, static_cast<Special>(c.value), {}, w, 0)
                : static_cast<uint32_t>(c.value);
        continue;
      }
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint64_t v = c.kind == Constant::Kind::value ? c.value
                           : c.kind == Constant::Kind::parameter
                               ? parameter_value(state.parameters, c)
                               : special_value(state, static_cast<Special>(c.value), {}, w, lane);
        std::byte* slot = warps_[w].registers + c.slot;
        if (c.wide) {
          reinterpret_cast<uint64_t*>(slot)[lane] = v;
        } else {
          reinterpret_cast<uint32_t*>(slot)[lane] = static_cast<uint32_t>(v);
        }
      }
    }
  }
}

void CtaRunner::allocate() {
  warps_.resize(state_.warps);
  registers_ = allocate_bytes(uint64_t{code_.frame_bytes} * state_.warps);
  local_ = allocate_bytes(uint64_t{code_.local_bytes} * 32 * state_.warps);
  shared_ = allocate_bytes(state_.shared_bytes);
  predicates_.assign(size_t{code_.predicates} * state_.warps + 1, 0);
  point_warps();
  for (Warp& warp : warps_) {
    if (code_.stack_pointer != 0xffffffffu) warp.calls.resize(32);
  }
  barriers_.resize(16);
  for (Barrier& b : barriers_) b.arrived.assign(state_.warps, 0);
  context_.shared = shared_.get();
  context_.shared_bytes = state_.shared_bytes;
  context_.local_bytes = code_.local_bytes;
  context_.code = code_.instructions.data();
  context_.lists = code_.lists.data();
  context_.sums = state_.sums;
  context_.regions = state_.regions.data();
  context_.region_count = static_cast<uint32_t>(state_.regions.size());
  context_.threads = state_.threads;
}

void CtaRunner::point_warps() {
  for (uint32_t w = 0; w < state_.warps; ++w) {
    warps_[w].registers = registers_.get() + size_t{code_.frame_bytes} * w;
    warps_[w].predicates = predicates_.data() + size_t{code_.predicates} * w;
    warps_[w].local = local_.get() + size_t{code_.local_bytes} * 32 * w;
  }
}

void CtaRunner::fill_constants(Dim3 cta) {
  for (const Constant& c : code_.constants) {
    if (!changes_with_cta(c)) continue;
    const uint32_t v = special_value(state_, static_cast<Special>(c.value), cta, 0, 0);
    for (Warp& warp : warps_) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        std::byte* slot = warp.registers + c.slot;
        if (c.wide) {
          reinterpret_cast<uint64_t*>(slot)[lane] = v;
        } else {
          reinterpret_cast<uint32_t*>(slot)[lane] = v;
        }
      }
    }
  }
}

// Registers that may be read unset, and shared memory, start as zero: no run depends on the CTA
// that ran before it on the same host thread.
void CtaRunner::start(Dim3 cta) {
  context_.cta = cta;
  peer_.cta = cta;
  peer_.gone = false;
  seen_touched_ = peer_.touched;
  context_.sites = counters_->sites.data();
  context_.guarded_off = counters_->guarded_off.data();
  fill_constants(cta);
  for (uint32_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    const uint32_t first = w * 32, count = std::min(32u, state_.threads - first);
    warp.alive = count == 32 ? 0xffffffffu : (1u << count) - 1;
    warp.epoch = 0;
    warp.steps = warp.epoch_steps = 0;
    warp.splits.assign(1, Split{0, warp.alive});
    warp.splits.back().since = work_;
    for (auto& calls : warp.calls) calls.clear();
    warp.polls.clear();
    if (waits_) warp.rounds.assign(waits_->loops.size(), {});
    std::memset(warp.groups, 0, sizeof warp.groups);
    warp.products = warp.cluster_arrived = warp.cluster_waits = 0;
    warp.in_vain = false;
    for (uint32_t slot : code_.zeroed) std::memset(warp.registers + slot, 0, 128);
    for (uint32_t slot : code_.zeroed_wide) std::memset(warp.registers + slot, 0, 256);
  }
  // Predicates of constants lie behind the others and keep their values.
  uint32_t variable = code_.predicates;
  for (const Constant& c : code_.constants) variable -= c.is_predicate ? 1 : 0;
  for (Warp& warp : warps_) std::memset(warp.predicates, 0, size_t{variable} * 4);
  for (Barrier& b : barriers_) {
    std::fill(b.arrived.begin(), b.arrived.end(), 0u);
    b = Barrier{std::move(b.arrived)};
  }
  std::memset(shared_.get(), 0, state_.shared_bytes);
  if (code_.local_bytes)
    std::memset(local_.get(), 0, size_t{code_.local_bytes} * 32 * state_.warps);
  observer_.reset();
  if (state_.check) {
    if (!checker_) {
      checker_ =
          std::make_unique<Checker>(state_, *state_.check, waits_ ? &state_.meetings : nullptr);
    }
    checker_->start(cta, is_in_cluster() ? &cluster_->checks(state_) : nullptr,
                    context_.cluster_rank);
  }
  tracker_ = provenance() ? provenance()->follow(state_, cta,
                                                 is_in_cluster() ? &cluster_->trackers() : nullptr)
                          : nullptr;
  if (traced_ || checker_ || tracker_ || state_.options->accesses) {
    observer_ = std::make_unique<RunObserver>(state_, traced_, cta, warps_.size(), checker_.get(),
                                              tracker_.get());
  }
  context_.observer = observer_.get();
  context_.clock = 0;
  output_.clear();
  context_.output = &output_;
  patience_ = kPatience;
  moved_ = tired_ = wrote_ = stopped_ = false;
  rounds_in_vain_ = 0;
  circle_.passes = 0;
  circle_.closed = false;
  circle_.polls.clear();  // or a CTA would seem stirred by what the one before it had looked at
  position_ = {};
  if (steps_) {
    loops_.emplace(code_, warps_.size());
    last_.assign(warps_.size(), {});
    last_writers_.reset(state_.shared_bytes);
    copies_.assign(warps_.size(), {});
  }
}

void CtaRunner::enter_cluster(Cluster* cluster) {
  cluster_ = cluster ? cluster : &own_cluster_;
  peer_.shared = shared_.get();
  const uint32_t rank = cluster ? rank_in(state_.cluster, context_.cta) : 0;
  cluster_->join(rank, *this, peer_);
  context_.peers = cluster_->peers();
  context_.cluster_rank = rank;
  context_.cluster_ctas = cluster_->ctas();
}

std::optional<Trace> CtaRunner::take_trace() {
  if (!traced_ || !observer_) return std::nullopt;
  std::vector<uint32_t> epochs;
  for (const Warp& w : warps_) epochs.push_back(w.epoch);
  return observer_->take_trace(std::move(epochs));
}

}  // namespace tilescope::emulator

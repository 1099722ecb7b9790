#include "emulator/run/observers.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "emulator/provenance/provenance_impl.h"

namespace tilescope::emulator {

RunObserver::RunObserver(const RunState& state, bool traced, Dim3 cta, size_t warps,
                         Checker* checker, Tracker* tracker)
    : state_(state), checker_(checker), tracker_(tracker), watch_(state.options->accesses) {
  if (traced) recorder_ = std::make_unique<Recorder>(state, cta, warps);
  if (!traced || !tracker) return;
  const Provenance::Impl& provenance = state.options->provenance->impl();
  only_traced_ = provenance.options.only_traced;
  if (!provenance.options.each) return;
  each_ = &provenance.options.each;
  live_.emplace(provenance, *tracker);
}

bool RunObserver::tolerate(Context& c, const Inst& in, Fault::Kind kind, uint32_t lane,
                           uint64_t address, const char* what) {
  return checker_ && checker_->tolerate(c, in, kind, lane, address, what);
}

AccessCost cost_of(const MemoryAccess& a) {
  AccessCost cost;
  const int bytes = static_cast<int>(a.bytes);
  if (a.product) {  // a wavefront is 128 bytes: layouts for descriptors have no conflicts
    cost.cost = cost.ideal = a.bytes * static_cast<uint32_t>(std::popcount(a.lanes)) / 128;
    return cost;
  }
  if (a.shared) {
    cost.cost = count_wavefronts(a.addresses, a.lanes, bytes, a.pairs, &cost.ideal);
    return cost;
  }
  cost.cost = count_sectors(a.addresses, a.lanes, bytes);
  const uint32_t asked = a.bytes * static_cast<uint32_t>(std::popcount(a.lanes));
  cost.ideal = std::min(cost.cost, (asked + 31) / 32);
  return cost;
}

void RunObserver::show(const Context& c, const Inst& in, Space space, bool is_store,
                       const uint64_t* addresses, int bytes) {
  if (space != Space::global && space != Space::shared) return;
  const auto inst = static_cast<uint32_t>(&in - c.code);
  const Row& row = *state_.rows.rows[in.row];
  // How often an mbarrier is asked hangs on the order of warps.
  if (row.kind == RowKind::poll) return;
  MemoryAccess a;
  a.cta = c.cta, a.warp = c.warp;
  a.step = warp_->steps - (block_->end - block_->begin + 1) + (inst - block_->begin);
  a.epoch = warp_->epoch, a.epoch_step = warp_->epoch_steps;
  a.ptx_line = state_.entry->code.info[inst].ptx_line;
  a.shared = space == Space::shared;
  a.product = row.kind == RowKind::warpgroup_product;
  a.memory = c.cta;
  a.reads = !is_store || row.kind == RowKind::atomic, a.writes = is_store;
  a.pairs = !is_store && !std::string_view(row.pattern).starts_with("ldmatrix");
  a.lanes = c.mask;
  a.bytes = static_cast<uint32_t>(bytes);
  a.addresses = addresses;
  const auto see = [&] {
    if (!watch_->see(a)) throw FaultSignal{Fault::Kind::limit, 0, 0, nullptr, "", ""};
  };
  if (!a.shared || c.cluster_ctas == 1) return see();
  const Dim3& cluster = state_.cluster;
  each_rank(addresses, c.mask, c.cluster_rank,
            [&](uint32_t rank, const uint64_t* offsets, uint32_t lanes) {
              a.memory = member_of(cluster, c.cta, rank);
              a.addresses = offsets, a.lanes = lanes;
              see();
            });
}

void RunObserver::access(Context& c, const Inst& in, Space space, bool is_store,
                         const uint64_t* addresses, int bytes) {
  if (checker_) checker_->access(c, in, space, is_store, addresses, bytes);
  if (tracker_) tracker_->access(c, space, is_store, addresses, bytes);
  if (recorder_) recorder_->access(space, is_store, addresses, c.mask, bytes);
  if (watch_) show(c, in, space, is_store, addresses, bytes);
}

void RunObserver::product_read(Context& c, const Inst& in, const uint64_t* addresses, bool once) {
  AccessWatch* const watch = watch_;
  if (!once) watch_ = nullptr;
  access(c, in, Space::shared, false, addresses, 16);
  watch_ = watch;
}

void RunObserver::pieces(Context& c, const Inst& in, Space space, const uint64_t* addresses,
                         const std::byte* values, uint32_t count, int bytes) {
  if (checker_) checker_->pieces(c, in, space, addresses, values, count, bytes);
}

bool RunObserver::copy(Context& c, const Inst& in, const uint64_t* shared, std::byte* const* from,
                       const uint32_t* from_bytes, int bytes) {
  if (recorder_) recorder_->copy_target(shared, c.mask);
  if (checker_) checker_->copy(c, in, shared, from, from_bytes, bytes);
  if (tracker_) tracker_->copy(c, shared, from_bytes, bytes);
  if (watch_) show(c, in, Space::shared, true, shared, bytes);
  return false;
}

// The accesses of a bulk copy are those of its pieces; what is filled in reads nothing.
void RunObserver::bulk(Context& c, const Inst& in, const BulkPieces& p) {
  if (checker_) checker_->bulk(c, in, p);
  if (tracker_) tracker_->bulk(c, in, p);
  if (recorder_ && p.from[0] != ~0ull && !p.again) {
    const bool loads = p.from_space == Space::global;
    recorder_->access(Space::global, !loads, loads ? p.from : p.to, c.mask, p.bytes);
    recorder_->copy_target(loads ? p.to : p.from, c.mask);
  }
  if (!watch_) return;
  if (p.from[0] != ~0ull && !p.again) show(c, in, p.from_space, false, p.from, p.bytes);
  show(c, in, p.to_space, true, p.to, p.bytes);
}

void RunObserver::commit_bulk(Context& c) {
  if (checker_) checker_->shared().commit_bulk(c.warp);
}

void RunObserver::wait_bulk(Context& c, uint32_t groups) {
  if (checker_) checker_->shared().wait_bulk(c.warp, groups);
}

void RunObserver::complete(Context& c, const Inst& in, uint64_t barrier) {
  if (checker_) checker_->complete(c, in, barrier);
}

void RunObserver::fence(Context& c) {
  if (checker_) checker_->shared().fence(c.warp);
}

void RunObserver::set_registers(Context& c, const Inst& in, uint32_t count) {
  if (checker_) checker_->set_registers(c, in, count);
}

void RunObserver::proxy_fence(Context& c) {
  if (checker_) checker_->shared().proxy_fence(c.warp);
}

void RunObserver::commit(Context& c) {
  if (checker_) checker_->shared().commit(c);
}

void RunObserver::wait(Context& c, uint32_t groups) {
  if (checker_) checker_->shared().wait(c, groups);
}

}  // namespace tilescope::emulator

// mbarrier objects of shared memory. A state is the object as it was before the
// arrival.
#include "emulator/isa/access.h"
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"
#include "emulator/machine/mbarrier.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

/// Calls change(object, lane) for each active lane in order; each sees what the ones before it did.
template <Space S, bool Writes = true, class F>
void each_object(Context& c, const Inst& in, u32 base, F change) {
  Access a;
  read_addresses<false>(c, base, in.imm, 8, a);
  resolve_addresses<S, false>(c, in, a, 8, Writes);
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    u64 bits;
    __builtin_memcpy(&bits, a.at(i), 8);
    const u64 fresh = change(bits, i);
    if (fresh != bits) __builtin_memcpy(a.at(i), &fresh, 8);
  }
}

template <Space S>
void init(Context& c, const Inst& in) {
  each_object<S>(c, in, in.r[0], [&](u64, int i) {
    const u32 count = get<u32>(c.registers + in.r[1], i) & kBarrierCounts;
    return BarrierObject{count, count, 0, 0}.bits();
  });
}
template <Space S>
void invalidate(Context& c, const Inst& in) {
  each_object<S>(c, in, in.r[0], [](u64, int) { return u64{0}; });
}

enum class Arrival { plain, drop, expect };

/// state, address[, count or bytes]; a missing count is all ones.
template <Space S, Arrival How, bool NoComplete, bool State = true>
void arrive(Context& c, const Inst& in) {
  each_object<S>(c, in, in.r[State ? 1 : 0], [&](u64 bits, int i) {
    const u32 given = get<u32>(c.registers + in.r[State ? 2 : 1], i);
    BarrierObject o = BarrierObject::of(bits);
    u32 count = How == Arrival::expect || given == 0xffffffffu ? 1 : given;
    if constexpr (How == Arrival::expect) o.bytes += static_cast<s32>(given);
    if (count > o.pending) count = o.pending;
    o.pending -= count;
    if constexpr (How == Arrival::drop) o.expected -= count < o.expected ? count : o.expected;
    o.complete_if_done();
    if constexpr (State) put<u64>(c.registers + in.r[0], i, bits);
    return o.bits();
  });
}
template <Space S, int Sign>
void transfer(Context& c, const Inst& in) {  // expect_tx, complete_tx
  each_object<S>(c, in, in.r[0], [&](u64 bits, int i) {
    BarrierObject o = BarrierObject::of(bits);
    o.bytes += Sign * static_cast<s32>(get<u32>(c.registers + in.r[1], i));
    if constexpr (Sign < 0) o.complete_if_done();
    return o.bits();
  });
}

/// predicate, address, state or parity: has that phase completed?
template <Space S, bool Parity>
void test(Context& c, const Inst& in) {
  u32 done = 0;
  each_object<S, false>(c, in, in.r[1], [&](u64 bits, int i) {
    const u32 phase = Parity ? get<u32>(c.registers + in.r[2], i) & 1u
                             : static_cast<u32>(get<u64>(c.registers + in.r[2], i) >> 63);
    done |= u32{BarrierObject::of(bits).phase != phase} << i;
    return bits;
  });
  u32& p = c.predicates[in.r[0]];
  p = (p & ~c.mask) | (done & c.mask);
}
void pending_count(Context& c, const Inst& in) {
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    put<u32>(c.registers + in.r[0], i,
             BarrierObject::of(get<u64>(c.registers + in.r[1], i)).pending);
  }
}
// Copies arrive when they are issued, so the barrier hears of them at once. Without .noinc the
// arrival that it adds and the one that it makes cancel out, but for a phase that waits for it
// alone.
template <Space S, bool NoIncrement>
void copies_arrive(Context& c, const Inst& in) {
  if (c.observer) {
    c.observer->commit(c);
    c.observer->wait(c, 0);
  }
  each_object<S>(c, in, in.r[0], [](u64 bits, int) {
    BarrierObject o = BarrierObject::of(bits);
    if (NoIncrement && o.pending > 0) --o.pending;
    if (NoIncrement) o.complete_if_done();
    return o.bits();
  });
}

#define ORDER "$order "
#define IN(S, space)                                                                               \
  warp_row("mbarrier init " space "b64", "Ar", &init<S>, RowKind::atomic, 8),                      \
      warp_row("mbarrier inval " space "b64", "A", &invalidate<S>, RowKind::atomic, 8),            \
      warp_row("mbarrier arrive " ORDER space "b64", "LAr?", &arrive<S, Arrival::plain, false>,    \
               RowKind::atomic, 8),                                                                \
      warp_row("mbarrier arrive noComplete " ORDER space "b64", "LAr",                             \
               &arrive<S, Arrival::plain, true>, RowKind::atomic, 8),                              \
      warp_row("mbarrier arrive expect_tx " ORDER space "b64", "LAr",                              \
               &arrive<S, Arrival::expect, false>, RowKind::atomic, 8),                            \
      warp_row("mbarrier arrive_drop " ORDER space "b64", "LAr?",                                  \
               &arrive<S, Arrival::drop, false>, RowKind::atomic, 8),                              \
      warp_row("mbarrier arrive_drop noComplete " ORDER space "b64", "LAr",                        \
               &arrive<S, Arrival::drop, true>, RowKind::atomic, 8),                               \
      warp_row("mbarrier expect_tx " ORDER space "b64", "Ar", &transfer<S, 1>, RowKind::atomic,    \
               8),                                                                                 \
      warp_row("mbarrier complete_tx " ORDER space "b64", "Ar", &transfer<S, -1>, RowKind::atomic, \
               8),                                                                                 \
      warp_row("mbarrier test_wait|try_wait " ORDER space "b64", "PAlr?", &test<S, false>,         \
               RowKind::poll, 8),                                                                  \
      warp_row("mbarrier test_wait|try_wait parity " ORDER space "b64", "PArr?", &test<S, true>,   \
               RowKind::poll, 8),                                                                  \
      warp_row("cp async mbarrier arrive " space "b64", "A", &copies_arrive<S, false>,             \
               RowKind::atomic, 8),                                                                \
      warp_row("cp async mbarrier arrive noinc " space "b64", "A", &copies_arrive<S, true>,        \
               RowKind::atomic, 8)

// In another CTA of the cluster, perhaps: no state comes back.
#define AWAY(how, count, How)                                           \
  warp_row("mbarrier " how " " ORDER "shared::cluster b64", "_A" count, \
           &arrive<Space::shared, How, false, false>, RowKind::atomic, 8)
#define AWAY_BYTES(how, Sign)                                                                     \
  warp_row("mbarrier " how " " ORDER "shared::cluster b64", "Ar", &transfer<Space::shared, Sign>, \
           RowKind::atomic, 8)

const Row kRows[] = {
    IN(Space::shared, "shared|shared::cta "),
    AWAY("arrive", "r?", Arrival::plain),
    AWAY("arrive expect_tx", "r", Arrival::expect),
    AWAY("arrive_drop", "r?", Arrival::drop),
    AWAY_BYTES("expect_tx", 1),
    AWAY_BYTES("complete_tx", -1),
    IN(Space::generic, ""),
    warp_row("mbarrier pending_count b64", "Rl", &pending_count),
};

}  // namespace

RowSpan mbarrier_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA

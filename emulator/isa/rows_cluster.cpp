// Addresses of other CTAs' shared memory in a cluster, and stores and reductions that go there
// beside the program and tell an mbarrier of their end. They are carried out where they are issued.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"
#include "emulator/machine/bulk_copy.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

/// The same place in the CTA of a rank. Result, address, rank.
template <class T>
void map_address(Context& c, const Inst& in) {
  for (u32 rest = c.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(__builtin_ctz(rest));
    const int i = static_cast<int>(lane);
    const u32 rank = get<u32>(c.registers + in.r[2], i);
    if (rank >= c.cluster_ctas) {
      raise(in, Fault::Kind::unsupported, lane, rank, "mapa to a rank that the cluster lacks");
    }
    const u64 mapped = mapped_address(get<T>(c.registers + in.r[1], i), rank);
    put<T>(c.registers + in.r[0], i, static_cast<T>(mapped));
  }
}
template <class T>
void rank_of_address(Context& c, const Inst& in) {
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    put<u32>(c.registers + in.r[0], i, rank_of(get<T>(c.registers + in.r[1], i), c.cluster_rank));
  }
}

u64 shared_address(const Context& c, u32 slot, s32 offset, u32 lane) {
  const std::byte* at = c.registers + (slot & ~kNarrowBase);
  const int i = static_cast<int>(lane);
  const u64 address = slot & kNarrowBase ? get<u32>(at, i) + static_cast<u32>(offset)
                                         : get<u64>(at, i) + static_cast<u64>(s64{offset});
  return seen_address(address, c.cluster_rank);
}

/// Address, values, mbarrier; its offset behind the slots.
template <class T, int V, class F>
void each_async(Context& c, const Inst& in, const char* what, F change) {
  constexpr u64 bytes = sizeof(T) * V;
  const u32* slots = c.lists + in.list;
  const s32 offset = static_cast<s32>(slots[V + 2]);
  u64 to[32] = {};
  std::byte* host[32] = {};
  for (u32 rest = c.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(__builtin_ctz(rest));
    to[lane] = shared_address(c, slots[0], in.imm, lane);
    host[lane] = check_shared_lane(c, in, lane, to[lane], bytes, bytes, true, what);
  }
  Site& site = c.sites[in.site];
  ++site.shared_requests, ++site.wavefronts, ++site.ideal;
  site.shared_bytes += bytes * static_cast<u32>(__builtin_popcount(c.mask));
  if (c.observer) c.observer->access(c, in, Space::shared, true, to, static_cast<int>(bytes));
  for (u32 rest = c.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(__builtin_ctz(rest));
    for (int k = 0; k < V; ++k) {
      T v;
      std::byte* at = host[lane] + static_cast<size_t>(k) * sizeof(T);
      __builtin_memcpy(&v, at, sizeof(T));
      v = change(v, get<T>(c.registers + slots[1 + k], static_cast<int>(lane)));
      __builtin_memcpy(at, &v, sizeof(T));
    }
    complete_transaction(c, in, lane, shared_address(c, slots[V + 1], offset, lane), bytes,
                         "the end of an asynchronous store to shared memory");
  }
}
template <class T, int V>
void store_async(Context& c, const Inst& in) {
  each_async<T, V>(c, in, "an asynchronous store to shared memory", [](T, T b) { return b; });
}
template <class T, auto F>
void reduce_async(Context& c, const Inst& in) {
  each_async<T, 1>(c, in, "an asynchronous reduction in shared memory", F);
}

#define MBARRIER "mbarrier::complete_tx::bytes"
#define STORE(T, V, vector, types, letters)                                       \
  warp_row("st async weak? shared::cluster? " MBARRIER " " vector types, letters, \
           &store_async<T, V>, RowKind::store_shared, static_cast<u8>(sizeof(T) * V))
#define REDUCE(T, op, types, letter, e)                                                    \
  warp_row("red async $order shared::cluster? " MBARRIER " " op " " types, "A" letter "A", \
           &reduce_async<T, [](T a, T b) -> T { return (e); }>, RowKind::atomic, sizeof(T))

const Row kRows[] = {
    warp_row("mapa shared::cluster? u32", "Rrr", &map_address<u32>),
    warp_row("mapa shared::cluster? u64", "Llr", &map_address<u64>),
    warp_row("getctarank shared::cluster? u32", "Rr", &rank_of_address<u32>),
    warp_row("getctarank shared::cluster? u64", "Rl", &rank_of_address<u64>),
    STORE(u32, 1, "", "b32|u32|s32|f32", "AxA"),
    STORE(u32, 2, "v2 ", "b32|u32|s32|f32", "Ax2A"),
    STORE(u32, 4, "v4 ", "b32|u32|s32|f32", "Ax4A"),
    STORE(u64, 1, "", "b64|u64|s64|f64", "AyA"),
    STORE(u64, 2, "v2 ", "b64|u64|s64|f64", "Ay2A"),
    REDUCE(u32, "add", "u32|s32", "r", a + b),
    REDUCE(u32, "inc", "u32", "r", a >= b ? 0u : a + 1),
    REDUCE(u32, "dec", "u32", "r", a == 0 || a > b ? b : a - 1),
    REDUCE(u32, "min", "u32", "r", a < b ? a : b),
    REDUCE(s32, "min", "s32", "r", a < b ? a : b),
    REDUCE(u32, "max", "u32", "r", a > b ? a : b),
    REDUCE(s32, "max", "s32", "r", a > b ? a : b),
    REDUCE(u32, "and", "b32", "r", a& b),
    REDUCE(u32, "or", "b32", "r", a | b),
    REDUCE(u32, "xor", "b32", "r", a ^ b),
    REDUCE(u64, "add", "u64", "l", a + b),
};

}  // namespace

RowSpan cluster_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA

// Bulk copies of TMA: runs of bytes and boxes of tensors, between global and shared memory. They
// are carried out where they are issued, which is one of the orders that the ISA allows; whether a
// kernel has waited for them is for the checks to say.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"
#include "emulator/machine/bulk_copy.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

u64 address_of(const Context& c, u32 slot, s32 offset, u32 lane) {
  const std::byte* at = c.registers + (slot & ~kNarrowBase);
  if (slot & kNarrowBase) {
    const u32 near = get<u32>(at, static_cast<int>(lane)) + static_cast<u32>(offset);
    return seen_address(near, c.cluster_rank);
  }
  const u64 address = get<u64>(at, static_cast<int>(lane)) + static_cast<u64>(s64{offset});
  if ((address & kWindowMask) != kSharedWindow && address >> 32 != 0) return address;
  return seen_address(address & ~kWindowMask, c.cluster_rank);
}

void complete(Context& c, const Inst& in, u32 lane, u64 barrier, u64 bytes) {
  complete_transaction(c, in, lane, barrier, bytes, "the end of a bulk copy to shared memory");
}

template <class F>
void each_lane(const Context& c, F f) {
  for (u32 rest = c.mask; rest; rest &= rest - 1) f(static_cast<u32>(__builtin_ctz(rest)));
}

/// Calls f(target, mbarrier, again) for the CTA that asks, or for each of a multicast's mask: all
/// at the same offsets.
template <bool Multicast, class F>
void each_target(const Context& c, const Inst& in, u32 lane, u32 mask_slot, u64 target, u64 barrier,
                 F f) {
  if constexpr (!Multicast) {
    f(target, barrier, false);
  } else {
    const u32 mask = get<u16>(c.registers + mask_slot, static_cast<int>(lane));
    if ((mask >> c.cluster_ctas) != 0) {
      raise(in, Fault::Kind::unsupported, lane, mask,
            "a multicast's mask names CTAs that the cluster does not have");
    }
    const u32 own = 1u << c.cluster_rank;  // first
    if (mask & own) f(target & kClusterOffset, barrier & kClusterOffset, false);
    bool again = mask & own;
    for (u32 rest = mask & ~own; rest; rest &= rest - 1) {
      const u32 rank = static_cast<u32>(__builtin_ctz(rest));
      f(mapped_address(target, rank), mapped_address(barrier, rank), again);
      again = true;
    }
  }
}

/// The slots of a tensor's operand, and what stands there for a lane.
struct Box {
  TensorMap map;
  s32 at[5] = {};
  Box(Context& c, const Inst& in, u32 lane, const u32* slots, s32 offset, int rank)
      : map(tensor_map_at(c, in, lane, address_of(c, slots[0], offset, lane),
                          static_cast<u32>(rank))) {
    for (int d = 0; d < rank; ++d) {
      at[d] = get<s32>(c.registers + slots[1 + d], static_cast<int>(lane));
    }
  }
  u64 bytes() const {
    u64 n = tensor_type_bytes(map.type);
    for (u32 d = 0; d < map.rank; ++d) {
      const u32 stride = d == 0 ? 1 : map.element_strides[d];
      n *= (map.box[d] + stride - 1) / stride;
    }
    return n;
  }
};

/// shared, map and coordinates, mbarrier[, mask]; offsets of map and mbarrier behind the slots.
template <int Rank, bool Multicast>
void load_box(Context& c, const Inst& in) {
  const u32* slots = c.lists + in.list;
  const u32* offsets = slots + 3 + Rank + Multicast;
  each_lane(c, [&](u32 lane) {
    const Box box(c, in, lane, slots + 1, static_cast<s32>(offsets[0]), Rank);
    each_target<Multicast>(c, in, lane, slots[3 + Rank], address_of(c, slots[0], in.imm, lane),
                           address_of(c, slots[2 + Rank], static_cast<s32>(offsets[1]), lane),
                           [&](u64 target, u64 barrier, bool again) {
                             BulkCopy(c, in, lane, Space::global, Space::shared, again)
                                 .load_box(box.map, box.at, target);
                             complete(c, in, lane, barrier, box.bytes());
                           });
  });
}

enum class Op { none, add, min, max, inc, dec, both, either, differ };

template <Op O, class T>
T reduced(T a, T b) {
  if constexpr (O == Op::add) return static_cast<T>(a + b);
  if constexpr (O == Op::min) return b < a ? b : a;
  if constexpr (O == Op::max) return a < b ? b : a;
  if constexpr (!std::is_floating_point_v<T>) {
    if constexpr (O == Op::inc) return a >= b ? 0 : a + 1;
    if constexpr (O == Op::dec) return a == 0 || a > b ? b : a - 1;
    if constexpr (O == Op::both) return a & b;
    if constexpr (O == Op::either) return a | b;
    if constexpr (O == Op::differ) return a ^ b;
  }
  return a;
}
template <Op O, class T>
void reduce(std::byte* old, const std::byte* fresh) {
  T a, b;
  __builtin_memcpy(&a, old, sizeof a);
  __builtin_memcpy(&b, fresh, sizeof b);
  a = reduced<O, T>(a, b);
  __builtin_memcpy(old, &a, sizeof a);
}
template <Op O, bool Brain>
void reduce_half(std::byte* old, const std::byte* fresh) {
  u16 a, b;
  __builtin_memcpy(&a, old, 2);
  __builtin_memcpy(&b, fresh, 2);
  const auto wide = [](u16 x) { return Brain ? bfloat_to_float(x) : half_to_float(x); };
  const f32 sum = reduced<O, f32>(wide(a), wide(b));
  a = Brain ? float_to_bfloat(sum) : float_to_half(sum);
  __builtin_memcpy(old, &a, 2);
}

template <Op O>
Reduction reduction_of(TensorType type) {
  constexpr bool counts = O == Op::inc || O == Op::dec;                // of u32 and u64 alone
  constexpr bool bits = O != Op::add && O != Op::min && O != Op::max;  // and .b32, .b64
  switch (type) {
    case TensorType::u32:
      return &reduce<O, u32>;
    case TensorType::u64:
      return &reduce<O, u64>;
    case TensorType::s32:
      if constexpr (bits) return counts ? nullptr : &reduce<O, u32>;
      return &reduce<O, s32>;
    case TensorType::s64:
      if constexpr (bits) return counts ? nullptr : &reduce<O, u64>;
      return &reduce<O, s64>;
    case TensorType::f16:
      return bits ? nullptr : &reduce_half<O, false>;
    case TensorType::bf16:
      return bits ? nullptr : &reduce_half<O, true>;
    case TensorType::f32:
    case TensorType::f32_ftz:
      return O == Op::add ? &reduce<O, f32> : nullptr;
    case TensorType::f64:
      return O == Op::add ? &reduce<O, f64> : nullptr;
    default:
      return nullptr;
  }
}

/// Map and coordinates, shared; the offset of shared behind the slots.
template <int Rank, Op O>
void store_box(Context& c, const Inst& in) {
  const u32* slots = c.lists + in.list;
  const s32 offset = static_cast<s32>(slots[2 + Rank]);
  each_lane(c, [&](u32 lane) {
    const Box box(c, in, lane, slots, in.imm, Rank);
    BulkCopy copy(c, in, lane, Space::shared, Space::global);
    if constexpr (O != Op::none) {
      const Reduction reduction = reduction_of<O>(box.map.type);
      if (!reduction) {
        raise(in, Fault::Kind::unsupported, lane, static_cast<u64>(box.map.type),
              "a reduction that the tensor map's element type does not have");
      }
      copy.reduce(reduction, static_cast<int>(tensor_type_bytes(box.map.type)));
    }
    copy.store_box(box.map, box.at, address_of(c, slots[1 + Rank], offset, lane));
  });
}

/// Target, source, bytes[, mbarrier[, mask]].
template <Space From, Space To, bool Multicast = false>
void copy(Context& c, const Inst& in) {
  constexpr bool tells = To == Space::shared;
  const u32* slots = c.lists + in.list;
  const u32* offsets = slots + 3 + tells + Multicast;
  each_lane(c, [&](u32 lane) {
    const u64 bytes = get<u32>(c.registers + slots[2], static_cast<int>(lane));
    const u64 from = address_of(c, slots[1], static_cast<s32>(offsets[0]), lane);
    const u64 to = address_of(c, slots[0], in.imm, lane);
    const u64 told = tells ? address_of(c, slots[3], static_cast<s32>(offsets[1]), lane) : 0;
    each_target<Multicast>(c, in, lane, slots[3 + tells], to, told,
                           [&](u64 target, u64 barrier, bool again) {
                             BulkCopy(c, in, lane, From, To, again).run(from, target, bytes);
                             if (tells) complete(c, in, lane, barrier, bytes);
                           });
  });
}
template <Space To, Op O, TensorType T>
void reduce_bulk(Context& c, const Inst& in) {
  constexpr bool tells = To == Space::shared;
  const u32* slots = c.lists + in.list;
  const u32* offsets = slots + 3 + tells;
  each_lane(c, [&](u32 lane) {
    const u64 bytes = get<u32>(c.registers + slots[2], static_cast<int>(lane));
    BulkCopy copy(c, in, lane, Space::shared, To);
    copy.reduce(reduction_of<O>(T), static_cast<int>(tensor_type_bytes(T)));
    copy.run(address_of(c, slots[1], static_cast<s32>(offsets[0]), lane),
             address_of(c, slots[0], in.imm, lane), bytes);
    if (tells) {
      complete(c, in, lane, address_of(c, slots[3], static_cast<s32>(offsets[1]), lane), bytes);
    }
  });
}

// All has been copied already.
void nothing(Context&, const Inst&) {}
void commit_group(Context& c, const Inst&) {
  if (c.observer) c.observer->commit_bulk(c);
}
void wait_group(Context& c, const Inst& in) {
  if (c.observer) c.observer->wait_bulk(c, static_cast<u32>(in.imm));
}

#define MBARRIER "mbarrier::complete_tx::bytes"
#define TO_CLUSTER "shared::cluster|shared::cta"
#define LOADS(n, dim)                                                                         \
  warp_row("cp async bulk tensor " dim " " TO_CLUSTER " global tile? " MBARRIER, "AM" #n "A", \
           &load_box<n, false>, RowKind::bulk_load, 16),                                      \
      warp_row("cp async bulk tensor " dim " " TO_CLUSTER " global tile? " MBARRIER           \
               " multicast::cluster",                                                         \
               "AM" #n "Ah", &load_box<n, true>, RowKind::bulk_load, 16)
#define REDUCES(n, dim, op, O)                                                 \
  warp_row("cp reduce async bulk tensor " dim " global shared|shared::cta " op \
           " tile? bulk_group",                                                \
           "M" #n "A", &store_box<n, O>, RowKind::bulk_store, 16)
#define STORES(n, dim)                                                                            \
  warp_row("cp async bulk tensor " dim " global shared|shared::cta tile? bulk_group", "M" #n "A", \
           &store_box<n, Op::none>, RowKind::bulk_store, 16),                                     \
      REDUCES(n, dim, "add", Op::add), REDUCES(n, dim, "min", Op::min),                           \
      REDUCES(n, dim, "max", Op::max), REDUCES(n, dim, "inc", Op::inc),                           \
      REDUCES(n, dim, "dec", Op::dec), REDUCES(n, dim, "and", Op::both),                          \
      REDUCES(n, dim, "or", Op::either), REDUCES(n, dim, "xor", Op::differ),                      \
      warp_row("cp async bulk prefetch tensor " dim " L2 global tile?", "M" #n, &nothing)
#define ALL(n, dim) LOADS(n, dim), STORES(n, dim)

#define REDUCE(op, O, type, T)                                                              \
  warp_row("cp reduce async bulk global shared|shared::cta bulk_group " op " " type, "AAr", \
           &reduce_bulk<Space::global, O, TensorType::T>, RowKind::bulk_store, 16)
#define REDUCE_BITS(type, T)                                           \
  REDUCE("and", Op::both, type, T), REDUCE("or", Op::either, type, T), \
      REDUCE("xor", Op::differ, type, T)
#define REDUCE_SHARED(op, O, type, T)                                                            \
  warp_row("cp reduce async bulk shared::cluster shared::cta " MBARRIER " " op " " type, "AArA", \
           &reduce_bulk<Space::shared, O, TensorType::T>, RowKind::bulk_load, 16)
#define REDUCE_ORDERED(macro, type, T) \
  macro("add", Op::add, type, T), macro("min", Op::min, type, T), macro("max", Op::max, type, T)

const Row kRows[] = {
    ALL(1, "1d"),
    ALL(2, "2d"),
    ALL(3, "3d"),
    ALL(4, "4d"),
    ALL(5, "5d"),
    warp_row("cp async bulk " TO_CLUSTER " global " MBARRIER, "AArA",
             &copy<Space::global, Space::shared>, RowKind::bulk_load, 16),
    warp_row("cp async bulk " TO_CLUSTER " global " MBARRIER " multicast::cluster", "AArAh",
             &copy<Space::global, Space::shared, true>, RowKind::bulk_load, 16),
    warp_row("cp async bulk shared::cluster shared::cta " MBARRIER, "AArA",
             &copy<Space::shared, Space::shared>, RowKind::bulk_load, 16),
    warp_row("cp async bulk global shared|shared::cta bulk_group", "AAr",
             &copy<Space::shared, Space::global>, RowKind::bulk_store, 16),
    REDUCE_ORDERED(REDUCE, "u32", u32),
    REDUCE_ORDERED(REDUCE, "s32", s32),
    REDUCE_ORDERED(REDUCE, "u64", u64),
    REDUCE_ORDERED(REDUCE, "s64", s64),
    REDUCE("inc", Op::inc, "u32", u32),
    REDUCE("dec", Op::dec, "u32", u32),
    REDUCE_BITS("b32", u32),
    REDUCE_BITS("b64", u64),
    REDUCE("add", Op::add, "f32", f32),
    REDUCE("add", Op::add, "f64", f64),
    REDUCE("add noftz", Op::add, "f16", f16),
    REDUCE("add noftz", Op::add, "bf16", bf16),
    REDUCE("min", Op::min, "f16", f16),
    REDUCE("max", Op::max, "f16", f16),
    REDUCE("min", Op::min, "bf16", bf16),
    REDUCE("max", Op::max, "bf16", bf16),
    REDUCE_ORDERED(REDUCE_SHARED, "u32", u32),
    REDUCE_ORDERED(REDUCE_SHARED, "s32", s32),
    REDUCE_SHARED("inc", Op::inc, "u32", u32),
    REDUCE_SHARED("dec", Op::dec, "u32", u32),
    REDUCE_SHARED("and", Op::both, "b32", u32),
    REDUCE_SHARED("or", Op::either, "b32", u32),
    REDUCE_SHARED("xor", Op::differ, "b32", u32),
    REDUCE_SHARED("add", Op::add, "u64", u64),
    warp_row("cp async bulk prefetch L2 global", "Ar", &nothing),
    warp_row("cp async bulk commit_group", "", &commit_group, RowKind::wait),
    warp_row("cp async bulk wait_group read?", "i", &wait_group, RowKind::wait),
    warp_row("prefetch param|const? tensormap", "A", &nothing),
    warp_row("fence proxy tensormap::generic release $order", "", &nothing),
    warp_row("fence proxy tensormap::generic acquire $order", "Ai", &nothing),
};

}  // namespace

RowSpan bulk_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA

// cp.async and its groups.
#include "emulator/isa/lanes.h"
#include "emulator/isa/shape.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

// A source size below the copy's fills the rest with zeros; zero reads nothing at all. Such lanes
// are checked for the bytes they read only: a ragged row may end with its buffer.
template <int Bytes>
void resolve_ragged(Context& c, const Inst& in, Access& from, u32* sizes) {
  u32 reading = 0;
  u64 asked = 0;
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i] || sizes[i] == 0) continue;
    reading |= 1u << i;
    asked += sizes[i];
  }
  std::byte* host[32];
  check_copy(c, in, from.address, sizes, reading, Bytes, host);
  if (reading != 0) {
    const u32 mask = c.mask;
    set_mask(c, reading);
    from.first = from.address[__builtin_ctz(reading)];
    from.spread = 0;
    for (int i = 0; i < 32; ++i) {
      from.address[i] = c.lane_mask[i] ? from.address[i] : from.first;
      from.spread |= from.address[i] ^ from.first;
    }
    Site& site = c.sites[in.site];
    const u64 bytes_before = site.bytes;
    count_global<false>(c, in, from, Bytes);
    site.bytes = bytes_before + asked;
    if (c.observer) c.observer->access(c, in, Space::global, false, from.address, Bytes);
    set_mask(c, mask);
  }
  use_hosts(from, host);
}

// A whole warp's copy, of which both sides are recalled and nobody watches.
template <int Bytes>
inline bool copy_recalled(Context& c, const Inst& in, const u32* list) {
  Site &from_site = c.sites[in.site], &to_site = c.sites[in.site + 1];
  const Recalled from =
      recall<Space::global>(c, from_site, list[1], static_cast<s32>(list[3]), Bytes, false);
  if (!from || c.observer) return false;
  const Recalled to = recall<Space::shared>(c, to_site, list[0], in.imm, Bytes, true);
  if (!to) return false;
  count<Space::global>(from_site, from, Bytes);
  count<Space::shared>(from_site, to, Bytes);
  for (int i = 0; i < 32; ++i) __builtin_memcpy(to.at(i), from.at(i), Bytes);
  return true;
}

template <int Bytes, bool Full>
void copy(Context& c, const Inst& in) {
  const u32* list = c.lists + in.list;  // shared, global, source size; global offset
  const u32* wanted = reinterpret_cast<const u32*>(c.registers + list[2]);
  alignas(64) u32 sizes[32];
  u32 ragged = 0;
  for (int i = 0; i < 32; ++i) {
    sizes[i] = wanted[i] < Bytes ? wanted[i] : Bytes;
    ragged |= (sizes[i] ^ Bytes) & c.lane_mask[i];
  }
  if (Full && ragged == 0 && copy_recalled<Bytes>(c, in, list)) return;
  Access to, from;
  read_addresses<Full>(c, list[1], static_cast<s32>(list[3]), Bytes, from);
  if (__builtin_expect(ragged != 0, 0)) {
    from.linear = false;
    resolve_ragged<Bytes>(c, in, from, sizes);
  } else {
    resolve_global<Full, Count::global>(c, in, from, Bytes, false);
    if constexpr (Full) learn<Space::global>(c, c.sites[in.site], from);
  }
  read_addresses<Full>(c, list[0], in.imm, Bytes, to);
  u64 shared[32];  // where some lanes are led elsewhere, their addresses are no longer in `to`
  if (__builtin_expect(c.observer != nullptr, 0))
    __builtin_memcpy(shared, to.address, sizeof shared);
  resolve_shared<Full>(c, in, to, Bytes, true, true);
  if constexpr (Full) learn<Space::shared>(c, c.sites[in.site + 1], to);
  if (__builtin_expect(c.observer != nullptr, 0)) {
    std::byte* host[32];
    for (int i = 0; i < 32; ++i) host[i] = from.at(i);
    if (c.observer->copy(c, in, shared, host, sizes, Bytes)) return;
  }
  if (Full && ragged == 0) {
    for (int i = 0; i < 32; ++i) __builtin_memcpy(to.at(i), from.at(i), Bytes);
    return;
  }
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    if (sizes[i] > 0) __builtin_memcpy(to.at(i), from.at(i), sizes[i]);
    if (sizes[i] < Bytes) __builtin_memset(to.at(i) + sizes[i], 0, Bytes - sizes[i]);
  }
}

void commit(Context& c, const Inst&) {
  for (int i = 0; i < 32; ++i) c.groups[i] += c.lane_mask[i] ? 1 : 0;
  if (c.observer) c.observer->commit(c);
}
void wait(Context& c, u32 left) {
  for (int i = 0; i < 32; ++i) {
    if (c.lane_mask[i] && c.groups[i] > left) c.groups[i] = left;
  }
  if (c.observer) c.observer->wait(c, left);
}
void wait_group(Context& c, const Inst& in) { wait(c, static_cast<u32>(in.imm)); }
void wait_all(Context& c, const Inst& in) {
  commit(c, in);  // wait_all also waits for copies that were never committed
  wait(c, 0);
}

template <int Bytes>
constexpr Row copy_row(const char* pattern, const char* operands) {
  return Row{pattern, operands, &copy<Bytes, true>, &copy<Bytes, false>, RowKind::copy, Bytes};
}

const Row kRows[] = {
    copy_row<16>("cp async cg|ca shared|shared::cta global $cache", "AA=16r?"),
    copy_row<8>("cp async ca shared|shared::cta global $cache", "AA=8r?"),
    copy_row<4>("cp async ca shared|shared::cta global $cache", "AA=4r?"),
    warp_row("cp async commit_group", "", &commit, RowKind::wait),
    warp_row("cp async wait_group", "i", &wait_group, RowKind::wait),
    warp_row("cp async wait_all", "", &wait_all, RowKind::wait),
};

}  // namespace

RowSpan copy_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA

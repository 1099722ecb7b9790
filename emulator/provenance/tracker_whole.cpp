// Values of a whole warp in a few words (whole_register.h): loads whose lanes differ as those of
// the load before, and sums whose 32 runs grow by such loads.
#include <algorithm>
#include <cstring>

#include "emulator/machine/clones.h"
#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {
namespace {

using Kind = Whole::Kind;

/// The words at `from` (tags of `words` granules of a lane) differ from those at `first` by one
/// number each; returns that, and in `wrong` any bit if they do not.
template <int kWords>
inline uint32_t shift(const Tag* from, const Tag* first, uint32_t& wrong) {
  uint32_t d[kWords];
  for (int j = 0; j < kWords; ++j) d[j] = from[j] - first[j];
  for (int j = 1; j < kWords; ++j) wrong |= d[j] ^ d[0];
  return d[0];
}

template <int kWords>
TILESCOPE_WIDE bool read_evenly(const Tag* tags, const uint32_t* routes, const uint64_t* addresses,
                                Shapes::Differences& differences) {
  const uint64_t g0 = addresses[0] / 2;
  Tag first[kWords];
  std::memcpy(first, tags + g0, sizeof first);
  const uint32_t route = routes[g0];
  uint32_t wrong = 0, top = 0;
  for (int j = 0; j < kWords; j += 2) {
    wrong |= first[j + 1] ^ (first[j] + 1);
    top |= (0u - first[j]) & ~first[j];  // its top bit: an element, if it is set
    if (!(top >> 31)) return false;
    top = 0;
  }
  for (size_t lane = 0; lane < 32; ++lane) {
    const uint64_t g = addresses[lane] / 2;
    if (lane > 0 && addresses[lane] == addresses[lane - 1]) {
      differences[lane] = differences[lane - 1];
      continue;
    }
    const uint32_t d = shift<kWords>(tags + g, first, wrong);
    differences[lane] = static_cast<int32_t>(d);
    for (int j = 0; j < kWords; ++j) wrong |= routes[g + static_cast<uint64_t>(j)] ^ route;
    top |= (first[0] + d) | (first[kWords - 2] + d);
  }
  return wrong == 0 && (top >> 31) == 0;
}

}  // namespace

Whole* Tracker::whole(uint32_t warp, uint32_t inst, uint32_t operand) {
  const uint32_t o = code_.operands[code_.first_operand[inst] + operand];
  if (o == kNoRegister || plan_.place[o >> 1] == TrackPlan::kUntracked ||
      plan_.halves[o >> 1] != 2) {
    return nullptr;
  }
  return &wholes_[warp][plan_.number[o >> 1]];
}

void Tracker::write_out(Whole& w, Tag* at) const {
  w.stale = false;
  if (w.kind == Kind::elements) {
    const Shapes::Differences& d = graph_.shapes()[w.number].difference;
    for (size_t i = 0; i < 32; ++i) at[i] = w.base + static_cast<Tag>(d[i]);
    for (size_t i = 0; i < 32; ++i) at[32 + i] = at[i] + 1;
    std::fill(at + 64, at + 96, w.more);
  } else if (w.kind == Kind::sums) {
    for (uint32_t i = 0; i < 32; ++i) at[i] = w.base + i;
    std::fill(at + 32, at + 64, kCountTag | w.more);
    std::fill(at + 64, at + 96, 0u);
  }
}

// d = a · b + c, where c's runs have grown together so far and go on with just these elements.
bool Tracker::grow_together(uint32_t warp, const Step& step, uint32_t inst) {
  Whole* const all = wholes_[warp].data();
  const Whole &a = all[step.whole[1]], &b = all[step.whole[2]], &c = all[step.whole[3]];
  if (c.kind != Kind::sums || a.kind != Kind::elements || b.kind != Kind::elements) return false;
  Graph::Group& g = graph_.group(c.number);
  if (!g.together || g.count != c.more || g.count >= kMaxCount - 2) return false;
  const bool turned = a.base > b.base;
  const Whole &x = turned ? b : a, &y = turned ? a : b;
  if (x.base != g.next_a || x.number != g.a_shape || y.base != g.next_b || y.number != g.b_shape) {
    return false;
  }
  // In each lane the first factor is the one with the lower tag.
  const Shapes& shapes = graph_.shapes();
  if (int64_t{x.base} + shapes[x.number].high >= int64_t{y.base} + shapes[y.number].low) {
    return false;
  }
  g.next_a += g.a_step;
  g.next_b += g.b_step;
  ++g.count;
  g.inst = inst;
  all[step.whole[0]] = {Kind::sums, true, c.base, c.number, g.count};
  return true;
}

// grow_warp() has just made runs longer: from now on they may grow together.
void Tracker::make_group(uint32_t warp, const Step& step, Tag lo) {
  Whole* const all = wholes_[warp].data();
  const Whole &a = all[step.whole[1]], &b = all[step.whole[2]];
  if (a.kind != Kind::elements || b.kind != Kind::elements) return;
  const bool turned = a.base > b.base;
  const Whole &x = turned ? b : a, &y = turned ? a : b;
  const Shapes& shapes = graph_.shapes();
  if (int64_t{x.base} + shapes[x.number].high >= int64_t{y.base} + shapes[y.number].low) return;
  const uint32_t number = graph_.make_group(lo, x.number, y.number);
  if (number == Shapes::kNone) return;
  all[step.whole[0]] = {Kind::sums, false, lo, number, graph_.group(number).count};
}

// 4 bytes per register, all lanes: from read-only buffers or shared memory.
bool Tracker::load_evenly(const Access& a, uint32_t warp, uint32_t inst) {
  const uint32_t n = plan_.steps[inst].results;
  if (a.mask != ~0u || static_cast<uint32_t>(a.bytes) != 4 * n || n == 3 || n > 4) return false;
  for (uint32_t k = 0; k < n; ++k) {
    if (!whole(warp, inst, k)) return false;
  }
  if (a.space == Space::global) return load_leaves_evenly(a, warp, inst);
  if (a.space != Space::shared) return false;
  uint64_t highest = 0;
  for (const uint64_t address : a.address) highest = std::max(highest, address);
  if (highest / 2 + 2 * n > shared_.size()) return false;
  Shapes::Differences differences;
  const auto read = n == 1 ? read_evenly<2> : n == 2 ? read_evenly<4> : read_evenly<8>;
  if (!read(shared_.data(), shared_route_.data(), a.address.data(), differences)) return false;
  const uint32_t shape = graph_.shapes().find(differences);
  if (shape == Shapes::kNone) return false;
  const uint64_t g = a.address[0] / 2;
  const uint32_t route = graph_.route(inst, shared_route_[g]);
  for (uint32_t k = 0; k < n; ++k) {
    *whole(warp, inst, k) = {Kind::elements, true, shared_[g + 2 * k], shape, route};
  }
  return true;
}

bool Tracker::load_leaves_evenly(const Access& a, uint32_t warp, uint32_t inst) {
  const uint32_t n = plan_.steps[inst].results;
  const Leaves::Buffer* buffer = leaves_.at_address(a.address[0]);
  if (!buffer || !buffer->read_only) return false;
  const uint64_t first = a.address[0] - buffer->address;
  Shapes::Differences differences;
  uint64_t outside = 0;
  for (size_t i = 0; i < 32; ++i) {
    const uint64_t offset = a.address[i] - buffer->address;
    outside |= offset + 4 * n > buffer->bytes ? 1u : 0u;
    differences[i] = static_cast<int32_t>(static_cast<uint32_t>(offset >> 1) -
                                          static_cast<uint32_t>(first >> 1));
  }
  if (outside) return false;
  const uint32_t shape = graph_.shapes().find(differences);
  if (shape == Shapes::kNone) return false;
  const uint32_t route = graph_.route(inst, 0);
  for (uint32_t k = 0; k < n; ++k) {
    const Tag tag = buffer->first + static_cast<Tag>((first >> 1) + 2 * k);
    *whole(warp, inst, k) = {Kind::elements, true, tag, shape, route};
  }
  return true;
}

bool Tracker::move_whole(uint32_t warp, uint32_t inst) {
  const Step& s = plan_.steps[inst];
  if (s.operands != 2 || s.results != 1) return false;
  Whole *to = whole(warp, inst, 0), *from = whole(warp, inst, 1);
  if (!to || !from || from->kind == Kind::lanes) return false;
  *to = *from;
  to->stale = true;
  return true;
}

}  // namespace tilescope::emulator

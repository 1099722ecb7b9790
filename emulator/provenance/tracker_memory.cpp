// Memory's shadows: loads give tags to registers, stores take them there.
#include <algorithm>
#include <bit>

#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {

Followed::Page* Tracker::page(uint64_t address, bool make) const {
  Followed& f = *followed_;
  const uint64_t index = address / Followed::kPageBytes;
  if (index == f.last_page && (f.last_page_data || !make)) return f.last_page_data;
  auto it = f.pages.find(index);
  if (it == f.pages.end() && make) {
    it = f.pages.emplace(index, std::make_unique<Followed::Page>()).first;
  }
  f.last_page = index;
  f.last_page_data = it == f.pages.end() ? nullptr : it->second.get();
  return f.last_page_data;
}

void Tracker::enter_cluster(ClusterTrackers& cluster, uint32_t rank) {
  cluster_ = &cluster;
  rank_ = rank;
  if (cluster.by_rank.size() <= rank) cluster.by_rank.resize(rank + 1, nullptr);
  cluster.by_rank[rank] = this;
}

void Tracker::leave_cluster() {
  if (cluster_) cluster_->by_rank[rank_] = nullptr;
  cluster_ = nullptr;
}

Tracker* Tracker::memory_of(uint64_t address) const {
  const uint32_t rank = rank_of(address, rank_);
  if (rank == rank_) return const_cast<Tracker*>(this);
  return cluster_ && rank < cluster_->by_rank.size() ? cluster_->by_rank[rank] : nullptr;
}

Tracker::Place Tracker::read(const Context& c, Space space, uint64_t address, int lane) const {
  const uint64_t g = address / 2;
  switch (space) {
    case Space::global:
      return read_global(address);
    case Space::shared: {
      const Tracker* const memory = memory_of(address);
      const uint64_t at = (address & kClusterOffset) / 2;
      return memory && at < memory->shared_.size()
                 ? Place{{memory->shared_[at], 0}, memory->shared_route_[at]}
                 : Place{};
    }
    case Space::local: {
      const auto& l = local_[c.warp];
      const size_t i = g * 32 + static_cast<size_t>(lane);
      return i < l.size() ? Place{{l[i], 0}, 0} : Place{};
    }
    default:
      return {};
  }
}

Tracker::Place Tracker::read_global(uint64_t address) const {
  if (!leaves_.is_read_only(address)) {
    if (const Followed::Page* p = page(address, false)) {
      const size_t i = address % Followed::kPageBytes / 2;
      if (p->tag[i]) return {{p->tag[i] == kPlainTag ? 0 : p->tag[i], 0}, p->route[i]};
    }
  }
  return {{leaves_.at(address), 0}, 0};
}

void Tracker::write(const Context& c, Space space, uint64_t address, int lane, Tag tag,
                    uint32_t route, uint32_t inst, uint32_t bytes) {
  const uint64_t g = address / 2;
  switch (space) {
    case Space::global: {
      if (leaves_.is_read_only(address)) return;
      Followed::Page* p = page(address, true);
      const size_t i = address % Followed::kPageBytes / 2;
      p->tag[i] = tag ? tag : kPlainTag;
      p->route[i] = route;
      p->bytes[i] = static_cast<uint8_t>(bytes);
      p->inst[i] = inst;
      break;
    }
    case Space::shared: {
      Tracker* const memory = memory_of(address);
      const uint64_t at = (address & kClusterOffset) / 2;
      if (!memory || at >= memory->shared_.size()) return;
      memory->shared_[at] = tag;
      memory->shared_route_[at] = route;
      break;
    }
    case Space::local: {
      auto& l = local_[c.warp];
      const size_t i = g * 32 + static_cast<size_t>(lane);
      if (i < l.size()) l[i] = tag;
      break;
    }
    default:
      break;
  }
}

// From a buffer that nobody writes, all lanes: their tags follow from the addresses alone.
bool Tracker::load_leaves(const Access& a, uint64_t more, uint32_t size, const Plane& d,
                          uint32_t inst) {
  if (a.mask == 0 || d.halves != 2 || (size != 4 && size != 2)) return false;
  const Leaves::Buffer* buffer =
      leaves_.at_address(a.address[static_cast<size_t>(std::countr_zero(a.mask))]);
  if (!buffer || !buffer->read_only) return false;
  const uint64_t begin = buffer->address;
  for (uint32_t m = a.mask; m; m &= m - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(m));
    if (a.address[lane] - begin + more + size > buffer->bytes) return false;
  }
  const uint32_t route = graph_.route(inst, 0);
  for (uint32_t m = a.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const uint64_t offset = a.address[static_cast<size_t>(lane)] - begin + more;
    const Tag tag = buffer->first + static_cast<Tag>(offset >> 1);
    d.set(lane, {tag, size == 4 ? tag + 1 : 0}, route);
  }
  return true;
}

void Tracker::load(const Context& c, uint32_t inst) {
  const Access& a = accesses_.front();
  if (load_evenly(a, c.warp, inst)) return;
  const Step& s = plan_.steps[inst];
  const uint32_t size = static_cast<uint32_t>(a.bytes) / s.results;  // of an element
  for (uint32_t k = 0; k < s.results; ++k) {
    const Plane d = plane(c.warp, inst, k);
    if (a.space == Space::global && load_leaves(a, k * size, size, d, inst)) continue;
    uint32_t before = ~0u, route = 0;  // of the lane before: most came the same way
    for (uint32_t m = a.mask; m; m &= m - 1) {
      const int lane = std::countr_zero(m);
      const uint64_t address = a.address[static_cast<size_t>(lane)] + uint64_t{k} * size;
      if (const uint64_t g = address / 2;
          a.space == Space::shared && size == 4 && d.halves == 2 && g + 1 < shared_.size()) {
        d.half[0][lane] = shared_[g];
        d.half[1][lane] = shared_[g + 1];
        if (shared_route_[g] != before) {
          before = shared_route_[g];
          route = graph_.route(inst, before);
        }
        d.route[lane] = route;
        continue;
      }
      const Place first = read(c, a.space, address, lane);
      d.half[0][lane] = first.tags.lo;
      for (int h = 1; h < d.halves; ++h) {
        d.half[h][lane] =
            static_cast<uint32_t>(2 * h) < size
                ? read(c, a.space, address + 2 * static_cast<uint64_t>(h), lane).tags.lo
                : 0;
      }
      d.route[lane] = graph_.route(inst, first.route);
    }
  }
}

void Tracker::store(const Context& c, uint32_t inst) {
  const Access& a = accesses_.front();
  const uint32_t values = plan_.steps[inst].operands - 1u;
  const uint32_t size = static_cast<uint32_t>(a.bytes) / values;
  for (uint32_t k = 0; k < values; ++k) {
    const Plane v = plane(c.warp, inst, 1 + k);
    for (uint32_t m = a.mask; m; m &= m - 1) {
      const int lane = std::countr_zero(m);
      const uint64_t address = a.address[static_cast<size_t>(lane)] + uint64_t{k} * size;
      const uint32_t route = graph_.route(inst, v.route[lane]);
      for (uint32_t h = 0; 2 * h < std::max(size, 2u); ++h) {
        const Tag tag = static_cast<int>(h) < v.halves ? v.half[h][lane] : 0;
        write(c, a.space, address + 2 * h, lane, tag, route, inst, h == 0 ? size : 0);
      }
    }
  }
}

// The old value and the operand make the new one; the result is the old one.
void Tracker::atomic(const Context& c, uint32_t inst) {
  const Access& a = accesses_.front();
  const Step& s = plan_.steps[inst];
  const Plane v = plane(c.warp, inst, s.operands - 1u);
  const uint32_t first = s.results > 0 ? 1 : 0;
  const std::string_view opcode = code_.canonical[code_.info[inst].opcode];
  const bool adds = opcode.find(".add") != opcode.npos && opcode.find(".v") == opcode.npos &&
                    a.bytes == 4 && opcode.find("x2") == opcode.npos;
  for (uint32_t m = a.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const uint64_t address = a.address[static_cast<size_t>(lane)];
    const Place old = read(c, a.space, address, lane);
    Tags parts[2] = {v.tags(lane), old.tags};
    if (is_sum(old.tags.lo)) parts[1].hi = read(c, a.space, address + 2, lane).tags.lo;
    const uint32_t routes[2] = {v.route[lane], old.route};
    if (parts[0].lo || parts[0].hi) {
      const bool empty = !parts[1].lo && !parts[1].hi;  // zeros, most likely
      const Tags now = !adds   ? graph_.expression(inst, parts, routes, 2)
                       : empty ? parts[0]
                               : sum_of(inst, parts[0], parts[1], routes);
      write(c, a.space, address, lane, now.lo, graph_.route(inst, 0), inst,
            static_cast<uint32_t>(a.bytes));
      for (int b = 2; b < a.bytes; b += 2) {
        write(c, a.space, address + static_cast<uint64_t>(b), lane, b == 2 ? now.hi : 0, 0, inst,
              0);
      }
    }
    if (first) plane(c.warp, inst, 0).set(lane, parts[1], graph_.route(inst, old.route));
  }
}

// A piece is 16 bytes or one element. What a reduction makes is of both.
void Tracker::bulk(const Context& c, const Inst& in, const BulkPieces& p) {
  const auto inst = static_cast<uint32_t>(&in - c.code);
  const auto element = static_cast<uint64_t>(std::max(p.element, 2));
  for (uint32_t m = c.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    for (uint64_t i = 0; i < static_cast<uint64_t>(p.bytes); i += 2) {
      const uint64_t to = p.to[lane] + i;
      Place piece = p.from[lane] == ~0ull ? Place{} : read(c, p.from_space, p.from[lane] + i, lane);
      if (p.reduces) {
        const Place old = read(c, p.to_space, to, lane);
        const Tags parts[2] = {piece.tags, old.tags};
        const uint32_t routes[2] = {piece.route, old.route};
        if (old.tags.lo) piece = {graph_.expression(inst, parts, routes, 2), 0};
      }
      write(c, p.to_space, to, lane, piece.tags.lo, graph_.route(inst, piece.route), inst,
            i % element == 0 ? static_cast<uint32_t>(element) : 0);
    }
  }
}

void Tracker::copy_in(const Context& c, uint32_t inst) {
  const Access* from = accesses_.empty() ? nullptr : &accesses_.front();
  const uint32_t bytes = copy_size_;
  const uint32_t direct = graph_.route(inst, 0);
  for (uint32_t m = copy_mask_; m; m &= m - 1) {
    const size_t lane = static_cast<size_t>(std::countr_zero(m));
    const uint64_t g = copy_to_[lane] / 2;
    if (g + 8 > shared_.size()) continue;
    const uint32_t brought = from && ((from->mask >> lane) & 1u) ? copy_bytes_[lane] : 0;
    const uint64_t address = brought ? from->address[lane] : 0;
    if (brought == 16 && leaves_.is_read_only(address)) {
      const Tag first = leaves_.at(address);
      for (uint32_t i = 0; i < 8; ++i) {
        shared_[g + i] = first ? first + i : 0;
        shared_route_[g + i] = direct;
      }
      continue;
    }
    for (uint32_t b = 0; b < bytes; b += 2) {
      const Place p = b < brought ? read(c, Space::global, address + b, 0) : Place{};
      shared_[g + b / 2] = p.tags.lo;
      shared_route_[g + b / 2] = p.route ? graph_.route(inst, p.route) : direct;
    }
  }
}

// wmma: each access brings the next bytes of each lane's registers, or (generic addresses in
// several windows) of those lanes that it names. Two bytes of one half that do not lie side by side
// in memory make an expression: a tag is of one place.
void Tracker::load_fragment(const Context& c, uint32_t inst) {
  std::array<uint32_t, 32> at{};  // bytes
  const uint32_t results = plan_.steps[inst].results;
  const uint32_t halves = plan_.steps[inst].element_bytes == 8 ? 4 : 2;  // of a register
  clear(c.warp, inst, ~0u);
  for (const Access& a : accesses_) {
    const uint32_t bytes = static_cast<uint32_t>(a.bytes);
    for (uint32_t m = a.mask; m; m &= m - 1) {
      const size_t lane = static_cast<size_t>(std::countr_zero(m));
      for (uint32_t b = 0; b < bytes; b += 2) {
        const uint32_t half = (at[lane] + b) / 2;
        if (half / halves >= results) break;
        const Plane d = plane(c.warp, inst, half / halves);
        if (static_cast<int>(half % halves) >= d.halves) continue;
        const Place p = read(c, a.space, a.address[lane] + b, static_cast<int>(lane));
        Tag& tag = d.half[half % halves][lane];
        if ((at[lane] + b) % 2 != 0) {
          const Tags both[2] = {{tag, 0}, {p.tags.lo, 0}};
          const uint32_t routes[2] = {d.route[lane], p.route};
          if (tag != p.tags.lo) tag = graph_.expression(inst, both, routes, 2).lo;
          continue;
        }
        tag = p.tags.lo;
        if (half % halves == 0) d.route[lane] = graph_.route(inst, p.route);
      }
      at[lane] += bytes;
    }
  }
  for (uint32_t k = 0; plan_.steps[inst].transposed && k < at[0] / 4; ++k) {
    const Plane d = plane(c.warp, inst, k);
    transpose(d, d);
  }
  repeat_fragment(c.warp, inst, at[0]);
}

// Registers that a load does not reach hold the first ones again (isa/wmma_fragment.h).
void Tracker::repeat_fragment(uint32_t warp, uint32_t inst, uint32_t bytes) {
  const Plane first = plane(warp, inst, 0);
  const uint32_t size = 2 * static_cast<uint32_t>(first.halves);
  const uint32_t distinct = bytes / size;
  for (uint32_t k = distinct; distinct && k < plan_.steps[inst].results; ++k) {
    const Plane from = plane(warp, inst, k % distinct), to = plane(warp, inst, k);
    for (int h = 0; h < first.halves; ++h) std::copy(from.half[h], from.half[h] + 32, to.half[h]);
    std::copy(from.route, from.route + 32, to.route);
  }
}

void Tracker::store_fragment(const Context& c, uint32_t inst) {
  std::array<uint32_t, 32> at{};
  const Step& s = plan_.steps[inst];
  // Elements of 16 bits are the halves of a register, others fill theirs. A value may be a
  // constant, whose plane has two halves whatever the type.
  const uint32_t values = s.operands - 1u, size = s.element_bytes, halves = size == 8 ? 4 : 2;
  for (const Access& a : accesses_) {
    const uint32_t bytes = static_cast<uint32_t>(a.bytes);
    for (uint32_t m = a.mask; m; m &= m - 1) {
      const size_t lane = static_cast<size_t>(std::countr_zero(m));
      for (uint32_t b = 0; b < bytes; b += 2) {
        const uint32_t half = (at[lane] + b) / 2, h = half % halves;
        if (half / halves >= values) break;
        const Plane v = plane(c.warp, inst, 1 + half / halves);
        const Tag tag = static_cast<int>(h) < v.halves ? v.half[h][lane] : 0;
        write(c, a.space, a.address[lane] + b, static_cast<int>(lane), tag,
              graph_.route(inst, v.route[lane]), inst, 2 * half % size == 0 ? size : 0);
      }
      at[lane] += bytes;
    }
  }
}

}  // namespace tilescope::emulator

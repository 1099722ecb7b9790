#include "emulator/provenance/shadow.h"

#include "emulator/machine/clones.h"

#include <algorithm>
#include <utility>

namespace tilescope::emulator {

Run Graph::run(Tag t) const {
  const size_t r = t & kRunMask;
  const Begin& from = begins_[r];
  Run run;
  run.next_a = ends_.next_a[r], run.next_b = ends_.next_b[r];
  run.a_step = static_cast<int32_t>(ends_.a_step[r]);
  run.b_step = static_cast<int32_t>(ends_.b_step[r]);
  run.count = ends_.count[r], run.inst = ends_.inst[r];
  if (r < group_of_.size() && group_of_[r] != 0) {
    const uint32_t number = group_of_[r] - 1;
    const Group& g = groups_[number];
    const size_t lane = r - first_in_group_[number];
    run.next_a = g.next_a + static_cast<uint32_t>(shapes_[g.a_shape].difference[lane]);
    run.next_b = g.next_b + static_cast<uint32_t>(shapes_[g.b_shape].difference[lane]);
    run.count = g.count, run.inst = g.inst;
  }
  run.a = from.a, run.b = from.b;
  run.before = from.before;
  run.a_route = from.a_route, run.b_route = from.b_route, run.before_route = from.before_route;
  return run;
}

uint32_t Graph::make_group(Tag lo, uint32_t a_shape, uint32_t b_shape) {
  const size_t first = lo & kRunMask;
  uint32_t uneven = 0;
  for (size_t i = first; i < first + 32; ++i) {
    uneven |= (ends_.a_step[i] ^ ends_.a_step[first]) | (ends_.b_step[i] ^ ends_.b_step[first]) |
              (ends_.count[i] ^ ends_.count[first]);
  }
  if (uneven != 0 || groups_.size() >= Shapes::kNone - 1) return Shapes::kNone;
  if (group_of_.size() < begins_.size()) group_of_.resize(begins_.size());
  groups_.push_back({a_shape, b_shape, ends_.next_a[first], ends_.next_b[first],
                     ends_.a_step[first], ends_.b_step[first], ends_.count[first],
                     ends_.inst[first], true});
  first_in_group_.push_back(static_cast<uint32_t>(first));
  std::fill_n(group_of_.begin() + static_cast<std::ptrdiff_t>(first), 32,
              static_cast<uint32_t>(groups_.size()));
  return static_cast<uint32_t>(groups_.size()) - 1;
}

void Graph::part_group(size_t run) {
  const uint32_t number = group_of_[run] - 1;
  Group& g = groups_[number];
  const size_t first = first_in_group_[number];
  for (size_t i = 0; i < 32; ++i) {
    ends_.next_a[first + i] = g.next_a + static_cast<uint32_t>(shapes_[g.a_shape].difference[i]);
    ends_.next_b[first + i] = g.next_b + static_cast<uint32_t>(shapes_[g.b_shape].difference[i]);
    ends_.count[first + i] = g.count;
    ends_.inst[first + i] = g.inst;
    group_of_[first + i] = 0;
  }
  g.together = false;
}

size_t Graph::add(const Run& run) {
  ends_.next_a.push_back(run.next_a);
  ends_.next_b.push_back(run.next_b);
  ends_.a_step.push_back(static_cast<uint32_t>(run.a_step));
  ends_.b_step.push_back(static_cast<uint32_t>(run.b_step));
  ends_.count.push_back(run.count);
  ends_.inst.push_back(run.inst);
  begins_.push_back({run.a, run.b, run.before, run.a_route, run.b_route, run.before_route});
  return begins_.size() - 1;
}

// Arrays apart from each other, or nothing of this is done four lanes at a time.
TILESCOPE_WIDE
bool Graph::grow_warp(const Tag* __restrict lo, Tag* __restrict hi, const Tag* __restrict a,
                      const Tag* __restrict b, uint32_t inst) {
  constexpr uint32_t kTop = 1u << 31;
  const size_t first = lo[0] & kRunMask;
  if (!is_sum(lo[0]) || first + 32 > begins_.size()) return false;
  if (!groups_.empty()) {  // a group that meets these 32 has the first or the last
    part(first);
    part(first + 31);
  }
  uint32_t* __restrict next_a = ends_.next_a.data() + first;
  uint32_t* __restrict next_b = ends_.next_b.data() + first;
  uint32_t* __restrict count = ends_.count.data() + first;
  const uint32_t base = lo[0];
  uint32_t wrong = 0, outside = 0;  // any bit; the top bit
  for (uint32_t i = 0; i < 32; ++i) {
    wrong |= (lo[i] ^ (base + i)) | (hi[i] ^ (kCountTag | count[i])) | (next_a[i] ^ a[i]) |
             (next_b[i] ^ b[i]);
    outside |= (count[i] - 2) | (kMaxCount - 2 - count[i]);
  }
  if (wrong != 0 || (outside & kTop) != 0) return false;
  const uint32_t* __restrict a_step = ends_.a_step.data() + first;
  const uint32_t* __restrict b_step = ends_.b_step.data() + first;
  uint32_t* __restrict instruction = ends_.inst.data() + first;
  for (uint32_t i = 0; i < 32; ++i) next_a[i] += a_step[i];
  for (uint32_t i = 0; i < 32; ++i) next_b[i] += b_step[i];
  for (uint32_t i = 0; i < 32; ++i) {
    ++count[i];
    ++hi[i];
  }
  for (uint32_t i = 0; i < 32; ++i) instruction[i] = inst;
  return true;
}

Tags Graph::extend(Tags c, uint32_t c_route, Tag a, int32_t a_step, Tag b, int32_t b_step,
                   uint32_t count, uint32_t inst, uint32_t a_route, uint32_t b_route) {
  if (is_sum(c.lo)) {
    if (!groups_.empty()) part(c.lo & kRunMask);
    const Run run = this->run(c.lo);
    const uint32_t length = c.hi & ~kCountTag;
    const uint32_t one_step_a = length == 1 ? a - run.a : static_cast<uint32_t>(run.a_step);
    const uint32_t one_step_b = length == 1 ? b - run.b : static_cast<uint32_t>(run.b_step);
    const bool goes_on = a == run.a + length * one_step_a && b == run.b + length * one_step_b &&
                         (count == 1 || (static_cast<uint32_t>(a_step) == one_step_a &&
                                         static_cast<uint32_t>(b_step) == one_step_b)) &&
                         length + count < kMaxCount;
    if (goes_on) {
      Tag tag = c.lo;
      if (run.count != length) {  // another value went on from here: this one gets its own run
        if (begins_.size() >= max_nodes_) return {kPlainTag, 0};
        tag = kSumTag | static_cast<Tag>(add(run));
      }
      const size_t r = tag & kRunMask;
      ends_.a_step[r] = one_step_a;
      ends_.b_step[r] = one_step_b;
      ends_.count[r] = length + count;
      ends_.next_a[r] = run.a + ends_.count[r] * one_step_a;
      ends_.next_b[r] = run.b + ends_.count[r] * one_step_b;
      ends_.inst[r] = inst;
      return {tag, kCountTag | ends_.count[r]};
    }
    if (first_run_) return c;
  }
  if (begins_.size() >= max_nodes_) return {kPlainTag, 0};
  Run run;
  run.a = a, run.b = b;
  run.a_step = a_step, run.b_step = b_step;
  run.next_a = a + count * static_cast<uint32_t>(a_step);
  run.next_b = b + count * static_cast<uint32_t>(b_step);
  run.count = count;
  run.inst = inst;
  run.before = c;
  run.a_route = a_route, run.b_route = b_route, run.before_route = c_route;
  return {kSumTag | static_cast<Tag>(add(run)), kCountTag | count};
}

bool Graph::join(Tags& sum, uint32_t route, Tags other, uint32_t inst) {
  constexpr size_t kMostRuns = 1024;
  if (first_run_) return true;
  // The one with fewer runs goes behind the other.
  Tag x = sum.lo, y = other.lo;
  while (is_sum(x) && is_sum(y)) {
    x = begins_[x & kRunMask].before.lo;
    y = begins_[y & kRunMask].before.lo;
  }
  if (is_sum(y)) std::swap(sum, other);
  std::vector<std::pair<Run, uint32_t>> runs;  // the last one first, and how long it was
  while (is_sum(other.lo)) {
    if (runs.size() == kMostRuns) return false;
    runs.emplace_back(run(other.lo), other.hi & ~kCountTag);
    other = runs.back().first.before;
  }
  const Tag start = other.lo ? other.lo : other.hi;
  if (start != 0 && !is_leaf(start)) return false;
  if (start != 0) {
    sum = extend(sum, route, start, 0, 0, 0, 1, inst, runs.back().first.before_route, 0);
  }
  for (size_t i = runs.size(); i-- > 0;) {
    const auto& [r, count] = runs[i];
    sum = extend(sum, route, r.a, r.a_step, r.b, r.b_step, count, inst, r.a_route, r.b_route);
  }
  return true;
}

Tags Graph::expression(uint32_t inst, const Tags* parts, const uint32_t* routes, int count) {
  if (expressions_.size() >= max_nodes_) return {kPlainTag, 0};
  Expression e;
  e.inst = inst;
  int used = 0;
  for (int i = 0; i < count && used < 3; ++i) {
    if (parts[i].lo == 0 && parts[i].hi == 0) continue;
    e.part[used] = parts[i];
    e.route[used++] = routes[i];
  }
  if (used == 0) return {};
  expressions_.push_back(e);
  return {kExpressionTag | static_cast<Tag>(expressions_.size() - 1), 0};
}

Tag Graph::narrow(Tags value) {
  if (!is_sum(value.lo)) return value.lo ? value.lo : value.hi;
  const uint32_t no_route = 0;
  return expression(Expression::kSame, &value, &no_route, 1).lo;
}

Tags Graph::widen(Tag tag) const {
  if (is_expression(tag) && expression(tag).inst == Expression::kSame)
    return expression(tag).part[0];
  return {tag, 0};
}

uint32_t Graph::route(uint32_t inst, uint32_t before) {
  const uint64_t key = uint64_t{inst} << 32 | before;
  Recent& recent = recent_[(inst ^ before * 7) % recent_.size()];
  if (key == recent.key) return recent.route;
  const auto [it, is_new] = route_ids_.try_emplace(key, static_cast<uint32_t>(routes_.size()));
  if (is_new) routes_.push_back({inst, before});
  recent = {key, it->second};
  return it->second;
}

void Leaves::add(uint64_t address, uint64_t bytes, int index, bool read_only) {
  const uint64_t granules = (bytes + 1) / 2 + 64;  // a gap, so that no step crosses unseen
  const bool fits = next_ + granules < kSumTag;
  buffers_.push_back({address, bytes, index, fits ? static_cast<Tag>(next_) : 0, read_only});
  if (fits) next_ += granules;
}

void Leaves::find(uint64_t region) const {
  last_region_ = region;
  last_first_ = 0;
  last_read_only_ = false;
  for (const Buffer& b : buffers_) {
    if (b.address >> 40 != region) continue;
    last_first_ = b.first;
    last_bytes_ = b.bytes;
    last_read_only_ = b.read_only;
  }
}

const Leaves::Buffer* Leaves::at_address(uint64_t address) const {
  for (const Buffer& b : buffers_) {
    if (b.address >> 40 == address >> 40) return b.first ? &b : nullptr;
  }
  return nullptr;
}

const Leaves::Buffer* Leaves::of(Tag leaf) const {
  const Buffer* found = nullptr;
  leaf = whole(leaf);
  for (const Buffer& b : buffers_) {
    if (b.first && b.first <= leaf && (!found || b.first > found->first)) found = &b;
  }
  return found;
}

uint64_t Leaves::address(Tag leaf) const {
  const Buffer* b = of(leaf);
  return b ? b->address + 2ull * (whole(leaf) - b->first) : 0;
}

}  // namespace tilescope::emulator

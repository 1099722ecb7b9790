#include "emulator/provenance/provenance_impl.h"

#include <algorithm>

namespace tilescope::emulator {
namespace {

// Runs and expressions of CTAs that share them: their tags have 29 bits.
constexpr size_t kMostNodes = size_t{1} << 28;

Provenance::Impl::Key key_of(Dim3 c) { return {c.z, c.y, c.x}; }
Origin origin_of(const Leaves& leaves, Tag leaf) {
  const Leaves::Buffer* b = is_leaf(leaf) ? leaves.of(leaf) : nullptr;
  return b ? Origin{b->index, 2ull * (leaves.whole(leaf) - b->first), leaves.is_part(leaf)}
           : Origin{};
}
Moved moved_of(const Tracker& tracker, const Tracker::MovedTags& tags) {
  const auto origins = [&](const std::array<Tag, 32>& of) {
    std::array<Origin, 32> all;
    const Leaves::Buffer* buffer = nullptr;  // of the lane before: nearly always the same_extent
    for (size_t i = 0; i < 32; ++i) {
      if (!is_leaf(of[i])) continue;
      const Tag leaf = tracker.leaves().whole(of[i]);
      if (!buffer || leaf < buffer->first || 2ull * (leaf - buffer->first) >= buffer->bytes) {
        buffer = tracker.leaves().of(leaf);
      }
      if (buffer) all[i] = {buffer->index, 2ull * (leaf - buffer->first), leaf != of[i]};
    }
    return all;
  };
  Moved moved{origins(tags.a), origins(tags.b), {}, {}, tags.a_count, tags.b_count, {}};
  for (size_t i = 0; i < 32; ++i) {
    moved.a_step[i] = 2 * int64_t{tags.a_step[i]};
    moved.b_step[i] = 2 * int64_t{tags.b_step[i]};
  }
  for (const auto& more : tags.more_b) {
    moved.more_b.push_back(
        {origin_of(tracker.leaves(), more.first), 2 * int64_t{more.step}, more.count});
  }
  return moved;
}
bool same_extent(Dim3 a, Dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

}  // namespace

void Provenance::Impl::start(const RunState& state) {
  ctas.clear();
  together.reset();
  if (state.waits)
    together =
        std::make_shared<Followed>(std::min(options.max_nodes * 64, kMostNodes), options.first_run);
  code = std::make_unique<const Code>(state.entry->code);
  plan = std::make_unique<TrackPlan>(*code, state.rows);
  leaves = Leaves();
  register_of.clear();
  for (uint32_t r = 0; r < code->registers.size(); ++r) {
    if (code->registers[r].function == 0) register_of.try_emplace(code->registers[r].name, r);
  }
  const auto& buffers = state.memory->impl().buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    leaves.add((uint64_t{i} + 1) << kRegionShift, buffers[i].bytes, static_cast<int>(i),
               buffers[i].read_only);
  }
  const auto& data = state.program->impl().data;
  for (size_t i = 0; i < data.size(); ++i) {
    if (data[i].bytes == 0) continue;
    leaves.add((uint64_t{kModuleRegions} + i) << kRegionShift, data[i].bytes,
               Origin::kModuleBuffers + static_cast<int>(i), data[i].read_only);
  }
}

uint32_t Provenance::Impl::find_register(std::string_view name, uint32_t function) const {
  const auto none = static_cast<uint32_t>(code->registers.size());
  if (function == 0) {
    const auto it = register_of.find(std::string(name));
    return it == register_of.end() ? none : it->second;
  }
  for (uint32_t r = 0; r < none; ++r) {
    if (code->registers[r].name == name && code->registers[r].function == function) return r;
  }
  return none;
}

std::unique_ptr<Tracker> Provenance::Impl::follow(const RunState& state, Dim3 cta,
                                                  ClusterTrackers* cluster) {
  const std::lock_guard lock(mutex);
  const bool wanted =
      options.ctas.empty() || std::any_of(options.ctas.begin(), options.ctas.end(),
                                          [&](Dim3 c) { return same_extent(c, cta); });
  const bool kept = wanted && ctas.size() < options.max_ctas;
  const auto in_cluster = [&](Dim3 c) {
    return same_extent(member_of(state.cluster, c, 0), member_of(state.cluster, cta, 0));
  };
  const bool by_peers =
      cluster && (cluster->followed || std::ranges::any_of(options.ctas, in_cluster));
  if (!kept && !together && !by_peers) return nullptr;
  std::shared_ptr<Followed> all = together;
  if (!all && cluster) {
    if (!cluster->followed) {
      const size_t most = options.max_nodes * state.cluster_ctas();
      cluster->followed = std::make_shared<Followed>(std::min(most, kMostNodes), options.first_run);
    }
    all = cluster->followed;
  }
  if (!all) all = std::make_shared<Followed>(options.max_nodes, options.first_run);
  auto tracker = std::make_unique<Tracker>(*code, *plan, leaves, state.warps, state.shared_bytes,
                                           std::move(all));
  if (cluster) tracker->enter_cluster(*cluster, rank_in(state.cluster, cta));
  if (!kept) return tracker;
  if (options.until && same_extent(options.until->cta, cta)) {
    tracker->stop_at(options.until->warp, options.until->step);
  }
  if (options.moved) tracker->keep_moved(options.moved_fma);
  if (options.each) tracker->show_moved();
  ctas[key_of(cta)] = nullptr;  // its place
  return tracker;
}

void Provenance::Impl::finish(Dim3 cta, std::unique_ptr<Tracker> tracker) {
  if (tracker) tracker->leave_cluster();
  const std::lock_guard lock(mutex);
  if (const auto it = ctas.find(key_of(cta)); it != ctas.end()) it->second = std::move(tracker);
}

std::vector<const Followed*> Provenance::Impl::followed() const {
  if (together) return {together.get()};
  std::vector<const Followed*> all;
  for (const auto& [key, tracker] : ctas) {
    if (tracker && !std::ranges::count(all, &tracker->followed())) {
      all.push_back(&tracker->followed());
    }
  }
  return all;
}

const Tracker* Provenance::Impl::find(Dim3 cta) const {
  const auto it = ctas.find(key_of(cta));
  return it == ctas.end() ? nullptr : it->second.get();
}

Provenance::Provenance(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Provenance::~Provenance() = default;
Provenance::Provenance(Provenance&&) noexcept = default;
Provenance& Provenance::operator=(Provenance&&) noexcept = default;

std::vector<Dim3> Provenance::ctas() const {
  std::vector<Dim3> all;
  for (const auto& [key, tracker] : impl_->ctas) {
    if (tracker) all.push_back({std::get<2>(key), std::get<1>(key), std::get<0>(key)});
  }
  return all;
}

std::vector<std::string> Provenance::registers() const {
  std::vector<std::string> names;
  if (!impl_->plan) return names;
  for (size_t r = 0; r < impl_->code->registers.size(); ++r) {
    const RegisterInfo& info = impl_->code->registers[r];
    if (impl_->plan->place[r] != TrackPlan::kUntracked && !info.name.empty() &&
        info.function == 0) {
      names.push_back(info.name);
    }
  }
  return names;
}

std::optional<Moved> Provenance::moved(Dim3 cta, uint32_t warp, uint64_t step) const {
  const Tracker* tracker = impl_->find(cta);
  const Tracker::MovedTags* tags = tracker ? tracker->moved(warp, step) : nullptr;
  if (!tags) return std::nullopt;
  return moved_of(*tracker, *tags);
}

Value Provenance::of_register(Dim3 cta, uint32_t warp, uint32_t lane, std::string_view name,
                              int half, uint32_t function) const {
  const Tracker* tracker = impl_->find(cta);
  if (!tracker || lane >= 32) return {};
  const uint32_t r = impl_->find_register(name, function);
  if (r == impl_->code->registers.size()) return {};
  const uint32_t bits = impl_->code->registers[r].bits;
  Tracker::Place place = tracker->of_register(warp, r, lane);
  uint32_t bytes = bits / 8u;
  // Two halves that are not one value: asked for as a whole, the lower one answers.
  const bool apart = place.tags.hi && place.tags.hi != place.tags.lo + 1 && !is_sum(place.tags.lo);
  if (bits == 16) {
    place.tags = tracker->graph().widen(place.tags.lo);
  } else if (!is_sum(place.tags.lo) && (half >= 0 || apart)) {
    place.tags = tracker->graph().widen(half == 1 ? place.tags.hi : place.tags.lo);
    bytes = 2;
  }
  return value_of(*impl_, tracker->graph(), place.tags, place.route, bytes);
}

Origin Provenance::Live::of_shared(uint64_t offset) const {
  return origin_of(tracker_.leaves(), tracker_.of_shared(offset, 2).tags.lo);
}

namespace {

Product product_of(const Tracker& tracker, Tags tags) {
  const Graph& graph = tracker.graph();
  const auto holds_more = [](Tags t) { return is_sum(t.lo) || is_expression(t.lo); };
  for (int depth = 0; is_expression(tags.lo) && depth < 8; ++depth) {
    const Expression& e = graph.expression(tags.lo);
    const auto* part = std::find_if(std::begin(e.part), std::end(e.part), holds_more);
    if (part == std::end(e.part)) return {};
    tags = *part;
  }
  if (!is_sum(tags.lo)) return {};
  const Run run = graph.run(tags.lo);
  return {origin_of(tracker.leaves(), run.a), origin_of(tracker.leaves(), run.b)};
}

}  // namespace

Product Provenance::Live::product_in_shared(uint64_t offset) const {
  return product_of(tracker_, tracker_.of_shared(offset, 4).tags);
}

Product Provenance::Live::product_in_global(uint64_t address) const {
  return product_of(tracker_, tracker_.of_global(address).tags);
}

Origin Provenance::Live::of_register(uint32_t warp, uint32_t lane, std::string_view name,
                                     int half) const {
  const uint32_t r = impl_.find_register(name, 0);
  if (r == impl_.code->registers.size() || lane >= 32) return {};
  const Tags tags = tracker_.of_register(warp, r, lane).tags;
  return origin_of(tracker_.leaves(), half == 1 ? tags.hi : tags.lo);
}

Moved Provenance::Live::moved() const { return moved_of(tracker_, tracker_.last_moved()); }
const std::array<uint32_t, 32>& Provenance::Live::a_numbers() const {
  return tracker_.last_moved().a;
}
const std::array<uint32_t, 32>& Provenance::Live::b_numbers() const {
  return tracker_.last_moved().b;
}

Value Provenance::of_shared(Dim3 cta, uint64_t offset, uint32_t bytes) const {
  const Tracker* tracker = impl_->find(cta);
  if (!tracker) return {};
  Tracker::Place place = tracker->of_shared(offset, bytes);
  if (bytes <= 2) place.tags = tracker->graph().widen(place.tags.lo);
  return value_of(*impl_, tracker->graph(), place.tags, place.route, bytes);
}

Value Provenance::of_global(uint64_t address, uint32_t bytes) const {
  for (const Followed* f : impl_->followed()) {
    const auto it = f->pages.find(address / Followed::kPageBytes);
    if (it == f->pages.end()) continue;
    const size_t i = address % Followed::kPageBytes / 2;
    if (it->second->tag[i] == 0) continue;
    return value_at(*impl_, *f, *it->second, i, bytes);
  }
  return {};
}

}  // namespace tilescope::emulator

#include "worker/engine/store/memory_store.h"

#include <algorithm>
#include <utility>

#include "kernels/registry.h"
#include "worker/engine/store/left_out.h"

namespace tilescope::worker {
namespace {

template <class P>
auto size_of(const P& p) {
  return std::tuple(p.m, p.n, p.k);
}

}  // namespace

void MemoryStore::add(Entry entry) {
  by_size_[size_of(entry.recording.request.problem)].push_back(entries_.size());
  entries_.push_back(std::move(entry));
}

void MemoryStore::add_recorded(Recording recording, int place) {
  add({std::move(recording), false, place});
}

std::vector<StoredResult> MemoryStore::results(const ResultsOf& of) {
  std::vector<StoredResult> found;
  const auto of_size = by_size_.find(size_of(of.problem));
  if (of_size == by_size_.end()) return found;
  for (const bool own : {false, true}) {
    if (!(own ? of.own : of.recorded)) continue;
    for (const size_t i : of_size->second) {
      const Entry& e = entries_[i];
      if (e.own != own || !is_of(of, e.recording.request, e.recording.result.device_name) ||
          !find_kernel(e.recording.request.kernel.c_str())) {
        continue;
      }
      StoredResult result = listed(e.recording);
      result.own = own, result.place = e.place, result.id = -1 - static_cast<int64_t>(i);
      found.push_back(std::move(result));
    }
  }
  return found;
}

std::optional<Recording> MemoryStore::whole(const StoredResult& result) {
  const auto i = static_cast<size_t>(-1 - result.id);
  return i < entries_.size() ? std::optional(entries_[i].recording) : std::nullopt;
}

std::vector<StoredCard> MemoryStore::cards() {
  std::map<std::pair<bool, std::string>, StoredCard> cards;
  for (const Entry& e : entries_) {
    const MeasureResult& r = e.recording.result;
    StoredCard& card = cards[{e.own, r.device_name}];
    card.name = r.device_name, card.own = e.own;
    card.date = std::max(card.date, r.date);
    ++card.count;
  }
  std::vector<StoredCard> list;
  for (auto& [key, card] : cards) list.push_back(std::move(card));
  return list;
}

std::vector<StoredLayer> MemoryStore::layers(const std::string& card) {
  std::vector<StoredLayer> found;
  for (const std::string& line : layers_) {
    auto layer = read_layer(line);
    if (layer && layer->kept.card == card) found.push_back(std::move(*layer));
  }
  return found;
}

std::string MemoryStore::keep(const std::string& line) {
  std::string why;
  auto recording = read_recording(line, &why);
  if (!recording) return not_kept_since(why);
  add({std::move(*recording), true, 0});
  return {};
}

std::string MemoryStore::keep_layer(const StoredLayer& layer) {
  layers_.push_back(layer_line(layer));
  return {};
}

}  // namespace tilescope::worker

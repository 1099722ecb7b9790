#include "worker/engine/emulate/store_watch.h"

#include <algorithm>

namespace tilescope::worker {
namespace {

/// Runs that a CTA may have more than after they were last joined: a tile's are few once joined.
constexpr size_t kLoose = 1024;

BlockIndex block_index(const emulator::Dim3& at) {
  return {static_cast<int>(at.x), static_cast<int>(at.y), static_cast<int>(at.z)};
}

}  // namespace

uint64_t StoreWatch::key_of(const BlockIndex& cta) {
  return static_cast<uint64_t>(cta.x) | static_cast<uint64_t>(cta.y) << 31 |
         static_cast<uint64_t>(cta.z) << 47;
}

void StoreWatch::join(Stored& stored) {
  std::vector<Run>& runs = stored.runs;
  if (runs.size() == stored.joined) return;
  std::ranges::sort(runs);
  size_t kept = 0;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].first <= runs[kept].second) {
      runs[kept].second = std::max(runs[kept].second, runs[i].second);
    } else {
      runs[++kept] = runs[i];
    }
  }
  runs.resize(kept + 1);
  stored.joined = runs.size();
}

bool StoreWatch::see(const emulator::MemoryAccess& a) {
  if (a.shared || !a.writes) return true;
  const uint64_t bytes = matrix_.rows * matrix_.cols * matrix_.bytes;
  const BlockIndex cta = block_index(a.cta);
  Stored* stored = nullptr;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if ((a.lanes >> lane & 1u) == 0) continue;
    const uint64_t offset = a.addresses[lane] - matrix_.address;  // of other buffers: huge
    if (offset >= bytes) continue;
    if (!stored) {
      const uint64_t key = key_of(cta);
      if (!last_ || last_key_ != key) {
        if (last_) join(*last_), last_->runs.shrink_to_fit();
        last_ = &stored_[key];
        last_key_ = key;
      }
      stored = last_;
    }
    const uint64_t first = offset / matrix_.bytes;
    const uint64_t end = (std::min(offset + std::max(a.bytes, 1u), bytes) - 1) / matrix_.bytes + 1;
    if (!stored->runs.empty() && stored->runs.size() > stored->joined &&
        stored->runs.back().second == first) {
      stored->runs.back().second = end;
    } else {
      stored->runs.emplace_back(first, end);
    }
    if (!threads_of_ || !(cta == *threads_of_)) continue;
    for (uint64_t element = first; element < end; ++element) {
      if (threads_.size() >= kMostThreadsTold && !threads_.contains(element)) {
        cut_ = true;
        continue;
      }
      threads_[element] = static_cast<int>(32 * a.warp + lane);
    }
  }
  if (stored && stored->runs.size() > 2 * stored->joined + kLoose) join(*stored);
  return true;
}

CtaStores StoreWatch::stores_of(const BlockIndex& cta) {
  CtaStores told;
  told.cta = cta;
  const auto found = stored_.find(key_of(cta));
  if (found == stored_.end()) return told;
  join(found->second);
  const uint64_t length = matrix_.by_rows ? matrix_.cols : matrix_.rows;
  using Columns = std::vector<std::pair<int, int>>;  // [first, end) of a line
  struct Open {
    Columns columns;
    uint64_t first = 0, end = 0;  // lines
  } open;
  const auto close = [&] {
    const auto first = static_cast<int>(open.first);
    const auto lines = static_cast<int>(open.end - open.first);
    for (const auto& [begin, end] : open.columns) {
      const int along = end - begin;
      told.elements += static_cast<uint64_t>(along) * static_cast<uint64_t>(lines);
      if (told.boxes.size() >= kMostStoreBoxes) continue;
      told.boxes.push_back(matrix_.by_rows ? TouchedBox{0, first, begin, lines, along}
                                           : TouchedBox{0, begin, first, along, lines});
    }
  };
  Columns columns;
  uint64_t line = 0;
  const auto end_line = [&] {
    if (columns.empty()) return;
    if (columns == open.columns && line == open.end) {
      ++open.end;
    } else {
      close();
      open = {columns, line, line + 1};
    }
    columns.clear();
  };
  for (auto [first, end] : found->second.runs) {
    while (first < end) {
      if (first / length != line) end_line(), line = first / length;
      const uint64_t stop = std::min(end, (line + 1) * length);
      columns.emplace_back(static_cast<int>(first - line * length),
                           static_cast<int>(stop - line * length));
      first = stop;
    }
  }
  end_line();
  close();
  return told;
}

int StoreWatch::thread_at(Coord at) const {
  const auto found = threads_.find(matrix_.offset_of(at) / matrix_.bytes);
  return found == threads_.end() ? -1 : found->second;
}

}  // namespace tilescope::worker

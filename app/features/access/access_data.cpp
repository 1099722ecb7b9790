#include "app/features/access/access_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/layout/warp_access.h"

namespace tilescope {
namespace {

using worker::AccessBuffer;
using worker::AccessPattern;
using worker::AccessRecord;

/// Division by a number that is mostly a power of two.
class Divider {
 public:
  explicit Divider(uint64_t by)
      : by_(by), shift_(std::has_single_bit(by) ? std::countr_zero(by) : -1) {}
  uint64_t operator()(uint64_t value) const {
    if (shift_ >= 0) return value >> shift_;
    if ((value | by_) >> 32 == 0) return static_cast<uint32_t>(value) / static_cast<uint32_t>(by_);
    return value / by_;
  }

 private:
  uint64_t by_;
  int shift_;
};

/// Calls visit(row, col, lane, times) for each element that a record touches in its matrix; of a
/// lane that touches several once for each.
class Elements {
 public:
  Elements(const AccessData& data, size_t matrix)
      : data_(data),
        m_(data.matrices[matrix]),
        is_shared_(data.is_shared(matrix)),
        by_element_(m_.element_bytes),
        by_line_(m_.line),
        lines_(m_.by_columns ? m_.cols : m_.rows),
        along_(m_.by_columns ? m_.rows : m_.cols) {}

  template <class Visit>
  void of(const AccessRecord& r, Visit&& visit) const {
    const auto base = static_cast<int64_t>(r.address - (is_shared_ ? 0 : m_.address)) -
                      static_cast<int64_t>(m_.first);
    for (uint32_t i = data_.first_run[r.pattern]; i < data_.first_run[r.pattern + 1]; ++i) {
      of_run(data_.runs[i], base + data_.runs[i].first, visit);
    }
  }

 private:
  template <class Visit>
  void of_run(const AccessRun& run, int64_t begin, Visit& visit) const {
    // Of lanes in other buffers, or before the first element, nothing is to be seen here.
    const int64_t end = begin + int64_t{run.unit} * run.count;
    if (end <= 0) return;
    const int64_t from = std::max<int64_t>(begin, 0);
    uint64_t element = by_element_(static_cast<uint64_t>(from)), line = by_line_(element);
    uint64_t at = element - line * m_.line;
    const auto step = [&] {
      ++element;
      if (++at == m_.line) at = 0, ++line;
    };
    const uint8_t* lane = data_.lanes.data() + run.lanes + (from - begin) / run.unit;
    int64_t unit_end = begin + ((from - begin) / run.unit + 1) * run.unit;
    for (; line < lines_; ++lane, unit_end += run.unit) {
      const uint64_t last = by_element_(static_cast<uint64_t>(unit_end) - 1);
      for (;; step()) {
        if (at < along_ && line < lines_) {
          m_.by_columns ? visit(at, line, *lane, run.times) : visit(line, at, *lane, run.times);
        }
        if (element == last) break;
      }
      if (unit_end >= end) return;
      if (by_element_(static_cast<uint64_t>(unit_end)) != element) step();
    }
  }

  const AccessData& data_;
  const AccessBuffer& m_;
  bool is_shared_;
  Divider by_element_, by_line_;
  uint64_t lines_, along_;
};

/// The addresses of a pattern, each once, as stretches.
void add_runs(const AccessPattern& p, AccessData& data) {
  struct Address {
    int64_t at;
    uint32_t times;
    uint8_t lane;
  };
  std::array<Address, 32> all{};
  size_t count = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (p.lanes >> lane & 1u) all[count++] = {p.difference[lane], 1, static_cast<uint8_t>(lane)};
  }
  std::stable_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count),
                   [](const Address& x, const Address& y) { return x.at < y.at; });
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (kept > 0 && all[kept - 1].at == all[i].at) {
      ++all[kept - 1].times;
    } else {
      all[kept++] = all[i];
    }
  }
  data.first_run.push_back(static_cast<uint32_t>(data.runs.size()));
  for (size_t i = 0; i < kept; ++i) {
    const Address& a = all[i];
    const bool goes_on = i > 0 && all[i - 1].times == a.times && all[i - 1].at + p.bytes == a.at;
    if (!goes_on) {
      data.runs.push_back({a.at, p.bytes, 0, a.times, static_cast<uint32_t>(data.lanes.size())});
    }
    ++data.runs.back().count;
    data.lanes.push_back(a.lane);
  }
  data.reach.emplace_back(kept ? all[0].at : 0, kept ? all[kept - 1].at + p.bytes : 0);
}

AccessBuffer shared_matrix(uint64_t bytes) {
  AccessBuffer m;
  m.name = "shared";
  m.bytes = bytes;
  m.element_bytes = kBankBytes;
  m.line = kBanks;
  m.cols = kBanks;
  m.rows = std::max<uint64_t>(1, (bytes + kBankBytes * kBanks - 1) / (kBankBytes * kBanks));
  m.shaped = true;
  return m;
}

}  // namespace

AccessData::AccessData(worker::AccessAnswer given) : answer(std::move(given)) {
  matrices = answer.buffers;
  if (answer.shared_bytes > 0) matrices.push_back(shared_matrix(answer.shared_bytes));
  for (const AccessPattern& p : answer.patterns) add_runs(p, *this);
  first_run.push_back(static_cast<uint32_t>(runs.size()));
  std::map<uint64_t, int16_t> found;
  for (size_t i = 0; i < answer.buffers.size(); ++i) {
    found[answer.buffers[i].address >> 40] = static_cast<int16_t>(i);
  }
  std::vector<bool> used(matrices.size(), false);
  matrix_of.reserve(answer.records.size());
  for (const AccessRecord& r : answer.records) {
    int16_t matrix = -1;
    if (r.shared()) {
      if (answer.shared_bytes > 0) matrix = static_cast<int16_t>(answer.buffers.size());
    } else if (const auto at = found.find(r.address >> 40); at != found.end()) {
      matrix = at->second;
    }
    matrix_of.push_back(matrix);
    if (matrix >= 0) used[static_cast<size_t>(matrix)] = true;
  }
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) touched.push_back(i);
    windows.push_back(used[i] ? touched_window(*this, i, {}) : AccessWindow{});
  }
  steps = access_steps(answer);
}

bool is_lit(const AccessLight& light, const AccessRecord& r) {
  const auto step = static_cast<int64_t>(r.step);
  const bool here = light.cta < 0 || light.cta == static_cast<int64_t>(r.cta);
  if (here && light.warp == r.warp && step >= light.step && step <= light.last) return true;
  return std::ranges::binary_search(light.instructions, r.instruction);
}

std::pair<size_t, size_t> records_of(const AccessData& data, const AccessFilter& filter) {
  const auto& all = data.answer.records;
  const auto at = [&](uint32_t moment) {
    const auto it = std::ranges::lower_bound(all, moment, {}, &AccessRecord::moment);
    return static_cast<size_t>(it - all.begin());
  };
  const size_t first = at(filter.from);
  return {first, std::max(first, at(filter.to))};
}

namespace {

/// Calls visit(index, record) for each that the filter has of a matrix.
template <class Visit>
void each_record(const AccessData& data, size_t matrix, const AccessFilter& filter, Visit&& visit) {
  const auto [first, end] = records_of(data, filter);
  for (size_t i = first; i < end; ++i) {
    const AccessRecord& r = data.answer.records[i];
    if (data.matrix_of[i] != static_cast<int>(matrix)) continue;
    if (filter.has(r)) visit(i, r);
  }
}

}  // namespace

AccessWindow touched_window(const AccessData& data, size_t matrix, const AccessFilter& filter) {
  uint64_t top = ~0ull, left = ~0ull, bottom = 0, right = 0;
  const Elements elements(data, matrix);
  each_record(data, matrix, filter, [&](size_t, const AccessRecord& r) {
    elements.of(r, [&](uint64_t row, uint64_t col, uint8_t, uint32_t) {
      top = std::min(top, row), bottom = std::max(bottom, row + 1);
      left = std::min(left, col), right = std::max(right, col + 1);
    });
  });
  if (bottom == 0) return {};
  return {top, left, bottom - top, right - left};
}

namespace {

constexpr size_t kRecordsOfBlock = 64;

}  // namespace

AccessWalk::AccessWalk(AccessWalkKey key, AccessCells room)
    : key_(std::move(key)), cells_(std::move(room)) {
  cells_.rows = cells_.cols = 0, cells_.cells.clear();
  const AccessWindow& window = key_.window;
  figures_.resize(key_.data->answer.instructions.size());
  std::tie(first_, end_) = records_of(*key_.data, key_.filter);
  blocks_ = (end_ - first_ + kRecordsOfBlock - 1) / kRecordsOfBlock;
  // Golden sections of the run, each block once.
  stride_ = std::max<size_t>(1, blocks_ * 618 / 1000);
  while (std::gcd(stride_, std::max<size_t>(1, blocks_)) != 1) ++stride_;
  if (window.rows == 0 || window.cols == 0 || key_.most_rows <= 0 || key_.most_cols <= 0) return;
  const auto per = [](uint64_t elements, int most) {
    const auto cells = static_cast<uint64_t>(most);
    return (elements + cells - 1) / cells;
  };
  AccessCells& c = cells_;
  c.per_row = per(window.rows, key_.most_rows), c.per_col = per(window.cols, key_.most_cols);
  c.rows = static_cast<int>((window.rows + c.per_row - 1) / c.per_row);
  c.cols = static_cast<int>((window.cols + c.per_col - 1) / c.per_col);
  c.cells.assign(static_cast<size_t>(c.rows) * static_cast<size_t>(c.cols), {});
}

double AccessWalk::share_done() const {
  return blocks_ == 0 ? 1 : static_cast<double>(at_) / static_cast<double>(blocks_);
}

void AccessWalk::go_on(std::chrono::steady_clock::time_point until) {
  const AccessData& data = *key_.data;
  const AccessWindow window = key_.window;
  const Elements elements(data, key_.matrix);
  const Divider by_row(cells_.per_row), by_col(cells_.per_col);
  const auto columns = static_cast<size_t>(cells_.cols);
  const bool has_light = key_.light.any(), draws = !cells_.cells.empty();
  while (at_ < blocks_) {
    const size_t block = at_ * stride_ % blocks_, begin = first_ + block * kRecordsOfBlock;
    for (size_t i = begin; i < std::min(end_, begin + kRecordsOfBlock); ++i) {
      const AccessRecord& r = data.answer.records[i];
      if (data.matrix_of[i] != static_cast<int>(key_.matrix)) continue;
      const bool lit = has_light && is_lit(key_.light, r);
      if ((key_.lit_alone && !lit) || !key_.filter.has(r)) continue;
      InstructionFigures& f = figures_[r.instruction];
      ++f.accesses, f.cost += r.cost, f.ideal += r.ideal;
      if (lit && key_.light.warp >= 0) present_ = static_cast<int64_t>(i);
      if (!draws) continue;
      const auto record = static_cast<uint32_t>(i) + 1;
      elements.of(r, [&](uint64_t row, uint64_t col, uint8_t lane, uint32_t times) {
        const uint64_t down = row - window.row, along = col - window.col;
        if (down >= window.rows || along >= window.cols) return;
        AccessCells::Cell& cell = cells_.cells[by_row(down) * columns + by_col(along)];
        cell.touches += times;
        if (record >= cell.last) cell.last = record, cell.lane = lane;
        cell.lit = cell.lit || lit;
      });
    }
    ++at_;
    if (at_ % 4 == 0 && std::chrono::steady_clock::now() >= until) return;
  }
}

void each_touch(const AccessData& data, size_t matrix, uint64_t row, uint64_t col,
                const AccessFilter& filter, const VisitTouch& visit) {
  const AccessBuffer& m = data.matrices[matrix];
  const auto begin = static_cast<int64_t>(element_offset(m, row, col));
  const int64_t end = begin + m.element_bytes;
  each_record(data, matrix, filter, [&](size_t index, const AccessRecord& r) {
    const auto at = static_cast<int64_t>(r.address - (data.is_shared(matrix) ? 0 : m.address));
    const auto [low, high] = data.reach[r.pattern];
    if (at + high <= begin || at + low >= end) return;
    const AccessPattern& p = data.answer.patterns[r.pattern];
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const int64_t first = at + p.difference[lane];
      if ((p.lanes >> lane & 1u) && first < end && first + p.bytes > begin) lanes |= 1u << lane;
    }
    if (lanes != 0) visit(index, lanes);
  });
}

ElementTouches touches_of(const AccessData& data, size_t matrix, uint64_t row, uint64_t col,
                          const AccessFilter& filter) {
  ElementTouches t;
  std::map<uint32_t, uint32_t> readers, writers;
  std::vector<uint32_t> ctas;
  each_touch(data, matrix, row, col, filter, [&](size_t index, uint32_t lanes) {
    const AccessRecord& r = data.answer.records[index];
    const auto count = static_cast<uint64_t>(std::popcount(lanes));
    if (r.reads()) t.reads += count, ++t.warp_reads, readers[r.warp] |= lanes;
    if (r.writes()) t.writes += count, ++t.warp_writes, writers[r.warp] |= lanes;
    if (ctas.empty() || ctas.back() != r.cta) ctas.push_back(r.cta);
    const auto record = static_cast<int64_t>(index);
    if (t.first < 0) t.first = record;
    t.last = record;
    if (!r.writes()) return;
    if (t.first_write < 0) t.first_write = record;
    t.last_write = record;
  });
  std::ranges::sort(ctas);
  ctas.erase(std::unique(ctas.begin(), ctas.end()), ctas.end());
  t.ctas = static_cast<uint32_t>(ctas.size());
  t.readers.assign(readers.begin(), readers.end());
  t.writers.assign(writers.begin(), writers.end());
  return t;
}

uint64_t element_offset(const AccessBuffer& m, uint64_t row, uint64_t col) {
  const uint64_t index = m.by_columns ? col * m.line + row : row * m.line + col;
  return m.first + index * m.element_bytes;
}

}  // namespace tilescope

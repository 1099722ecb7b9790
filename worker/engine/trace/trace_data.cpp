#include "worker/engine/trace/trace_data.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <set>
#include <tuple>

namespace tilescope::worker {
namespace {

/// Goes on with the last box, if the element lies just behind it.
void add(std::vector<TouchedBox>& boxes, const Element& e) {
  if (!boxes.empty()) {
    TouchedBox& last = boxes.back();
    if (last.matrix == e.matrix && last.rows == 1 && last.row == e.at.row &&
        last.col + last.cols == e.at.col) {
      ++last.cols;
      return;
    }
    if (last.matrix == e.matrix && last.cols == 1 && last.col == e.at.col &&
        last.row + last.rows == e.at.row) {
      ++last.rows;
      return;
    }
  }
  boxes.push_back({e.matrix, e.at.row, e.at.col, 1, 1});
}

using RunList = std::vector<std::pair<int, int>>;  // first, count

RunList runs_of(std::vector<int>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  RunList all;
  for (const int v : values) {
    if (!all.empty() && all.back().first + all.back().second == v) {
      ++all.back().second;
    } else {
      all.emplace_back(v, 1);
    }
  }
  return all;
}

/// Rows of A and columns of B that one instruction multiplies, each at the k that it has: a wrong
/// kernel's may differ.
struct Factors {
  std::vector<int> rows, columns;
  std::vector<TouchedBox> boxes;
  int k = -1;  // the first of all

  /// `depth` elements from this one on along k, as far as there are any.
  void add(const Element& e, int depth, const Problem& problem) {
    if (!e || e.matrix == static_cast<int>(Operand::c)) return;
    const bool is_a = e.matrix == static_cast<int>(Operand::a);
    std::vector<int>& outer = is_a ? rows : columns;
    const int at = is_a ? e.at.row : e.at.col, from = is_a ? e.at.col : e.at.row;
    if (outer.empty() || outer.back() != at) outer.push_back(at);
    if (k < 0 || from < k) k = from;
    const int count = std::min(depth, problem.k - from);
    // Lanes beside each other mostly hold what lies beside each other along k.
    if (!boxes.empty() && boxes.back().matrix == e.matrix) {
      TouchedBox& last = boxes.back();
      const bool goes_on = is_a ? last.row == at && last.col + last.cols == from
                                : last.col == at && last.row + last.rows == from;
      if (goes_on) {
        (is_a ? last.cols : last.rows) += count;
        return;
      }
    }
    boxes.push_back({e.matrix, e.at.row, e.at.col, is_a ? 1 : count, is_a ? count : 1});
  }
};

void add_products(std::vector<TouchedBox>& boxes, const RunList& m, const RunList& n) {
  for (const auto& [row, height] : m) {
    for (const auto& [column, width] : n) {
      boxes.push_back({static_cast<int>(Operand::c), row, column, height, width});
    }
  }
}

}  // namespace

DataEvent DataFollower::follow(const emulator::Trace& trace, const Live& live) {
  using emulator::EventKind;
  const emulator::Event& event = trace.events.back();
  DataEvent data = begin(trace);
  touched_.clear();
  switch (event.kind) {
    case EventKind::copy:
    case EventKind::load_global:
    case EventKind::load_shared:
    case EventKind::store_global:
    case EventKind::store_shared:
      memory(trace, live, data);
      break;
    case EventKind::mma:
      product(live, data);
      break;
    case EventKind::fma:
      fma(live, data);
      break;
    default:
      break;
  }
  if (touched_.empty()) return data;
  merge_boxes(touched_);
  data.touched = touched_;
  return data;
}

int DataFollower::k_of(const Element& element) {
  return element.matrix == static_cast<int>(Operand::a) ? element.at.col : element.at.row;
}

int DataFollower::stage_of(uint64_t shared_offset) const {
  const int bytes = gemm_.plan.stage_bytes();
  return bytes > 0 ? static_cast<int>(shared_offset / static_cast<unsigned>(bytes)) : -1;
}

void DataFollower::note(DataEvent& data, const Element& element) {
  if (!element) return;
  ++data.elements;
  add(touched_, element);
  if (data.matrix >= 0) return;
  data.matrix = static_cast<int8_t>(element.matrix);
  if (element.matrix != static_cast<int>(Operand::c)) {
    data.k_step = k_of(element) / gemm_.plan.block_k;
  }
}

// What lies at each lane's place, once the instruction has run: where a copy or a store went, where
// a load came from.
void DataFollower::memory(const emulator::Trace& trace, const Live& live, DataEvent& data) {
  using emulator::EventKind;
  const emulator::Event& event = trace.events.back();
  const int slot = event.kind == EventKind::copy ? event.address_slot2 : event.address_slot;
  if (slot < 0) return;
  const auto& address = trace.addresses[static_cast<size_t>(slot)];
  const uint32_t lanes = addressing_lanes(event, data.instruction);
  const int granule = element_bytes(gemm_.problem.type_a);
  if (moves_box(event)) {
    const uint64_t at = address[0];
    if (data.shared) {
      note_box(data, element_of(lines_, byte_at(live.of_shared(at), at, granule)));
      data.stage = stage_of(at);
    } else {
      const auto place = gemm_.memory.locate(at);
      note_box(data, element_of(lines_, {place.buffer, place.offset}));
    }
    return;
  }
  uint32_t noted = 0;  // of the lane before
  for (int lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const uint64_t first = address[static_cast<size_t>(lane)];
    if (data.shared) {
      if (lane > 0 && first == address[static_cast<size_t>(lane - 1)] &&
          (lanes >> (lane - 1) & 1)) {
        data.elements += noted;  // a broadcast
        continue;
      }
      const uint32_t before = data.elements;
      for (int byte = 0; byte < event.bytes; byte += granule) {
        const uint64_t at = first + static_cast<unsigned>(byte);
        Element element = element_of(lines_, byte_at(live.of_shared(at), at, granule));
        if (!element && byte % kSumBytes == 0) element = sum_of(live.product_in_shared(at));
        note(data, element);
      }
      noted = data.elements - before;
      continue;
    }
    const auto place = gemm_.memory.locate(first);
    if (place.buffer > static_cast<int>(Operand::c)) {
      // The workspace: parts of C, whose addresses are none of C's buffer.
      for (int byte = 0; byte < event.bytes; byte += kSumBytes) {
        const Element e = sum_of(live.product_in_global(first + static_cast<unsigned>(byte)));
        if (e) ++data.elements, add(touched_, e);
      }
      continue;
    }
    Element element = element_of(lines_, {place.buffer, place.offset});
    if (!element) continue;
    const int bytes =
        element_bytes(operand_type(gemm_.problem, static_cast<Operand>(element.matrix)));
    for (int byte = 0; byte < event.bytes; byte += bytes) {
      note(data, element_of(lines_, {place.buffer, place.offset + static_cast<unsigned>(byte)}));
    }
  }
  if (data.shared && data.matrix != static_cast<int>(Operand::c)) {
    const int first = std::countr_zero(event.active | 1u << 31);
    data.stage = stage_of(address[static_cast<size_t>(first)]);
  }
  if (event.kind == EventKind::load_shared && data.k_step >= 0) {
    stages_[{event.warp, data.k_step}] = data.stage;
  }
}

// Its row is that of A's factor, its column that of B's.
Element DataFollower::sum_of(const emulator::Product& product) const {
  Element a = element_of(lines_, product.a), b = element_of(lines_, product.b);
  if (a.matrix == static_cast<int>(Operand::b)) std::swap(a, b);
  if (a.matrix != static_cast<int>(Operand::a) || b.matrix != static_cast<int>(Operand::b)) {
    return {};
  }
  return {static_cast<int>(Operand::c), {a.at.row, b.at.col}};
}

/// Rows of A times columns of B, from the first of each along k on.
void DataFollower::product(const Live& live, DataEvent& data) {
  const emulator::Moved moved = live.moved();
  Factors factors;
  const auto add = [&](emulator::Origin origin, int64_t step, uint32_t count) {
    const Element first = element_of(lines_, origin);
    if (!first) return;
    const int bytes =
        element_bytes(operand_type(gemm_.problem, static_cast<Operand>(first.matrix)));
    const int unit = std::max(1, 2 / bytes);  // elements
    origin.offset += static_cast<uint64_t>(step);
    const Element second = count > 1 ? element_of(lines_, origin) : Element();
    // What does not go on along k is lit as far as it is known: its first.
    const bool along = second.matrix == first.matrix && k_of(second) == k_of(first) + unit;
    factors.add(first, along ? static_cast<int>(count) * unit : unit, gemm_.problem);
  };
  for (size_t i = 0; i < 32; ++i) add(moved.a[i], moved.a_step[i], moved.a_count[i]);
  for (size_t i = 0; i < 32; ++i) add(moved.b[i], moved.b_step[i], moved.b_count[i]);
  for (const auto& column : moved.more_b) add(column.first, column.step, column.count);
  touched_ = std::move(factors.boxes);
  add_products(touched_, runs_of(factors.rows), runs_of(factors.columns));
  data.mma_row = factors.rows.empty() ? -1 : factors.rows.front();
  data.mma_col = factors.columns.empty() ? -1 : factors.columns.front();
  data.mma_k = factors.k;
  place(data, factors.k);
}

int DataFollower::known_set(const Recents& recents, const Numbers& numbers) {
  for (const Recent& r : recents.first) {
    if (r.set >= 0 && r.numbers == numbers) return r.set;
  }
  return -1;
}

int DataFollower::add_set(Recents& recents, const Numbers& numbers,
                          const std::array<emulator::Origin, 32>& origins) {
  Factors factors;
  FactorSet set;
  for (size_t lane = 0; lane < 32; ++lane) {
    if (lane > 0 && numbers[lane] == numbers[lane - 1]) continue;  // lanes that share it
    const Element e = element_of(lines_, origins[lane]);
    factors.add(e, 1, gemm_.problem);
    if (e && set.matrix < 0) set.matrix = e.matrix;
  }
  set.k = factors.k;
  set.outer = runs_of(set.matrix == static_cast<int>(Operand::b) ? factors.columns : factors.rows);
  const bool is_a = set.matrix == static_cast<int>(Operand::a);
  const bool one_k = std::ranges::all_of(factors.boxes, [&](const TouchedBox& box) {
    return box.matrix == set.matrix && (is_a ? box.col : box.row) == set.k;
  });
  if (one_k) {  // as good as always
    for (const auto& [first, count] : set.outer) {
      set.boxes.push_back(is_a ? TouchedBox{set.matrix, first, set.k, count, 1}
                               : TouchedBox{set.matrix, set.k, first, 1, count});
    }
  } else {
    set.boxes = std::move(factors.boxes);
    merge_boxes(set.boxes);
  }
  auto& [recent, next] = recents;
  recent[next] = {numbers, static_cast<int>(sets_.size())};
  next = (next + 1) % kRecent;
  sets_.push_back(std::move(set));
  return static_cast<int>(sets_.size()) - 1;
}

void DataFollower::fma(const Live& live, DataEvent& data) {
  Recents& recents = recent_[data.warp];
  int a = known_set(recents, live.a_numbers()), b = known_set(recents, live.b_numbers());
  if (a < 0 || b < 0) {
    const emulator::Moved moved = live.moved();
    if (a < 0) a = add_set(recents, live.a_numbers(), moved.a);
    if (b < 0) b = add_set(recents, live.b_numbers(), moved.b);
  }
  if (sets_[static_cast<size_t>(a)].matrix == static_cast<int>(Operand::b)) std::swap(a, b);
  // The epilogue's own fma, and what multiplies padding, are no product of A and B.
  if (sets_[static_cast<size_t>(a)].matrix != static_cast<int>(Operand::a) ||
      sets_[static_cast<size_t>(b)].matrix != static_cast<int>(Operand::b)) {
    return;
  }
  data.row_factors = a, data.column_factors = b;
  place(data, sets_[static_cast<size_t>(a)].k);
}

std::vector<TouchedBox> DataFollower::touched_by(const std::vector<DataEvent>& fmas) const {
  std::map<int, std::map<int, std::set<int>>> steps;  // k → rows of A → the columns of B they met
  for (const DataEvent& e : fmas) {
    if (e.row_factors < 0) continue;
    const int k = sets_[static_cast<size_t>(e.row_factors)].k;
    steps[k][e.row_factors].insert(e.column_factors);
  }
  std::vector<TouchedBox> boxes;
  const auto light = [&](const std::set<int>& ids) {
    for (const int id : ids) {
      const FactorSet& set = sets_[static_cast<size_t>(id)];
      boxes.insert(boxes.end(), set.boxes.begin(), set.boxes.end());
    }
  };
  const auto united = [&](const std::set<int>& ids) {
    std::vector<int> all;
    for (const int id : ids) {
      for (const auto& [first, count] : sets_[static_cast<size_t>(id)].outer) {
        for (int i = 0; i < count; ++i) all.push_back(first + i);
      }
    }
    return runs_of(all);
  };
  std::set<std::pair<RunList, RunList>> added;  // each k mostly adds to the same elements of C
  for (const auto& [k, met] : steps) {
    // Rows that met the same columns, as nearly all do, make few rectangles together.
    std::map<std::set<int>, std::set<int>> rows_of;
    std::set<int> columns;
    for (const auto& [row, its] : met) {
      rows_of[its].insert(row);
      columns.insert(its.begin(), its.end());
    }
    light(columns);
    for (const auto& [its, rows] : rows_of) {
      light(rows);
      auto product = std::pair(united(rows), united(its));
      const auto [at, is_new] = added.insert(std::move(product));
      if (is_new) add_products(boxes, at->first, at->second);
    }
  }
  merge_boxes(boxes);
  return boxes;
}

void DataFollower::place(DataEvent& data, int k) {
  if (k < 0) return;
  data.k_step = k / gemm_.plan.block_k;
  data.slice_k = data.k_step * gemm_.plan.block_k;
  const auto it = stages_.find({data.warp, data.k_step});
  if (it != stages_.end()) data.stage = it->second;
}

emulator::Memory::Location DataFollower::locate(uint64_t address) const {
  const emulator::Memory::Location at = gemm_.memory.locate(address);
  return {at.buffer <= static_cast<int>(Operand::c) ? at.buffer : -1,
          at.offset};  // the workspace is no matrix
}

void merge_boxes(std::vector<TouchedBox>& boxes) {
  const auto merge = [&boxes](int TouchedBox::*first, int TouchedBox::*extent,
                              int TouchedBox::*other, int TouchedBox::*other_extent) {
    std::sort(boxes.begin(), boxes.end(), [&](const TouchedBox& x, const TouchedBox& y) {
      return std::tuple(x.matrix, x.*other, x.*other_extent, x.*first, x.*extent) <
             std::tuple(y.matrix, y.*other, y.*other_extent, y.*first, y.*extent);
    });
    size_t kept = 0;
    for (size_t i = 0; i < boxes.size(); ++i) {
      TouchedBox* last = kept ? &boxes[kept - 1] : nullptr;
      const TouchedBox& box = boxes[i];
      if (last && last->matrix == box.matrix && last->*other == box.*other &&
          last->*other_extent == box.*other_extent && box.*first <= last->*first + last->*extent) {
        last->*extent = std::max(last->*extent, box.*first + box.*extent - last->*first);
      } else {
        boxes[kept++] = box;
      }
    }
    boxes.resize(kept);
  };
  size_t before = 0;
  do {
    before = boxes.size();
    merge(&TouchedBox::col, &TouchedBox::cols, &TouchedBox::row, &TouchedBox::rows);
    merge(&TouchedBox::row, &TouchedBox::rows, &TouchedBox::col, &TouchedBox::cols);
  } while (boxes.size() < before);
}

}  // namespace tilescope::worker

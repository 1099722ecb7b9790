// The accesses of a launch as they are looked at: by matrices, which the buffers and shared memory
// are; found again by element.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/features/access/access_brush.h"
#include "worker/messages/messages_accesses.h"

namespace tilescope {

/// Bytes that lie behind each other in the addresses of a pattern: `count` units of `unit` bytes
/// (those of a lane), each of them touched by `times` lanes.
struct AccessRun {
  int64_t first = 0;  // from the record's address on
  uint32_t unit = 1, count = 1, times = 1;
  uint32_t lanes = 0;  // into AccessData::lanes: the lowest lane of each unit
};

/// A part of a matrix, in elements.
struct AccessWindow {
  uint64_t row = 0, col = 0, rows = 0, cols = 0;
  bool operator==(const AccessWindow&) const = default;
};

/// An answer with what drawing it needs.
struct AccessData {
  explicit AccessData(worker::AccessAnswer answer);

  worker::AccessAnswer answer;
  /// The answer's buffers, then shared memory, if there is any: rows of 128 bytes, a column for
  /// each bank.
  std::vector<worker::AccessBuffer> matrices;
  bool is_shared(size_t matrix) const { return matrix >= answer.buffers.size(); }
  std::vector<AccessRun> runs;
  std::vector<uint8_t> lanes;
  std::vector<uint32_t> first_run;  // by pattern, and one behind the last
  /// By pattern: bytes from the record's address on, [low, high).
  std::vector<std::pair<int64_t, int64_t>> reach;
  std::vector<int16_t> matrix_of;  // by record; −1: in none of them
  /// Matrices that something touches, in their order.
  std::vector<size_t> touched;
  std::vector<AccessWindow> windows;           // by matrix: touched_window() of all
  std::vector<std::vector<AccessStep>> steps;  // access_steps()
};

/// Which accesses are looked at.
struct AccessFilter {
  uint32_t from = 0, to = ~0u;  // moments: [from, to)
  bool reads = true, writes = true;
  RunSpanPointer span = nullptr;  // what is brushed, which lies in those moments; null: all
  bool has(const worker::AccessRecord& r) const {
    return ((r.reads() && reads) || (r.writes() && writes)) && (!span || span->has(r.warp, r.step));
  }
  bool operator==(const AccessFilter&) const = default;
};

/// Which of those are lit. Nothing set: none, and all are shown alike.
struct AccessLight {
  std::vector<uint32_t> instructions = {};  // ascending
  int64_t warp = -1, step = -1, last = -1;  // or steps of a warp, first to last,
  int64_t cta = -1;                         // of this CTA of a grid; −1: there is but one
  bool any() const { return warp >= 0 || !instructions.empty(); }
  bool operator==(const AccessLight&) const = default;
};
bool is_lit(const AccessLight& light, const worker::AccessRecord& record);

/// The records of a filter's moments: [first, second) of answer.records.
std::pair<size_t, size_t> records_of(const AccessData& data, const AccessFilter& filter);

/// The least window that has all that is touched; nothing touched: no rows.
AccessWindow touched_window(const AccessData& data, size_t matrix, const AccessFilter& filter);

/// A window as cells, of which each has per_row × per_col elements.
struct AccessCells {
  struct Cell {
    uint32_t touches = 0;  // by lanes, of all its elements
    uint32_t last = 0;     // 1 + the record that touched it last; 0: none has
    uint8_t lane = 0;
    bool lit = false;
  };
  int rows = 0, cols = 0;
  uint64_t per_row = 1, per_col = 1;
  std::vector<Cell> cells;  // by rows
};

/// What an instruction costs in a matrix.
struct InstructionFigures {
  uint64_t accesses = 0;  // of warps
  uint64_t cost = 0, ideal = 0;
  bool operator==(const InstructionFigures&) const = default;
};

/// What a picture of a matrix is made of.
struct AccessWalkKey {
  std::shared_ptr<const AccessData> data;
  size_t matrix = 0;
  AccessFilter filter;
  AccessLight light;
  AccessWindow window;
  int most_rows = 1, most_cols = 1;  // cells, at most
  bool lit_alone = false;            // what is not lit is passed over
  bool operator==(const AccessWalkKey&) const = default;
};

/// Walks over all accesses of a matrix, a part at a time: there may be tens of millions of lanes.
/// Parts lie scattered over the run, so that what is there half way shows all of it thinly.
class AccessWalk {
 public:
  /// `room`: cells of a walk before, whose memory is used again.
  explicit AccessWalk(AccessWalkKey key, AccessCells room = {});
  /// Goes on until all is done or `until` has come; at least a little.
  void go_on(std::chrono::steady_clock::time_point until);
  void finish() { go_on(std::chrono::steady_clock::time_point::max()); }
  bool is_done() const { return at_ == blocks_; }
  double share_done() const;

  const AccessWalkKey& key() const { return key_; }
  const AccessCells& cells() const { return cells_; }
  AccessCells take_cells() { return std::move(cells_); }
  /// By instruction of the answer.
  const std::vector<InstructionFigures>& figures() const { return figures_; }
  /// The record of the light's warp and step in this matrix; −1: none.
  int64_t present() const { return present_; }

 private:
  AccessWalkKey key_;
  AccessCells cells_;
  std::vector<InstructionFigures> figures_;
  int64_t present_ = -1;
  size_t first_ = 0, end_ = 0;               // records
  size_t blocks_ = 0, at_ = 0, stride_ = 1;  // of records; done; from one to the next
};

/// Who touches one element.
struct ElementTouches {
  uint64_t reads = 0, writes = 0;  // by lanes
  uint64_t warp_reads = 0, warp_writes = 0;
  std::vector<std::pair<uint32_t, uint32_t>> readers, writers;  // warp, mask of lanes; ascending
  uint32_t ctas = 0;                                            // how many
  int64_t first = -1, last = -1;                                // records
  int64_t first_write = -1, last_write = -1;
};
ElementTouches touches_of(const AccessData& data, size_t matrix, uint64_t row, uint64_t col,
                          const AccessFilter& filter);
/// Calls visit(record, mask of lanes) for each access that touches an element.
using VisitTouch = std::function<void(size_t record, uint32_t lanes)>;
void each_touch(const AccessData& data, size_t matrix, uint64_t row, uint64_t col,
                const AccessFilter& filter, const VisitTouch& visit);

/// Bytes of an element from its buffer's (or shared memory's) beginning on.
uint64_t element_offset(const worker::AccessBuffer& matrix, uint64_t row, uint64_t col);

}  // namespace tilescope

// How the elements of one operand's block tile travel: from global memory to threads or shared
// memory (CopyMap), and where they lie there (SharedTile).
//
// A block tile of an operand is addressed as [outer, k]: outer is m for A and n for B.
#pragma once
#include "core/layout/layout.h"
#include "core/layout/problem.h"
#include "core/layout/swizzle.h"

namespace tilescope {

/// [outer, k] of an operand's tile → row and column of the matrix: A is [m, k], B is [k, n].
constexpr Coord matrix_coord(Operand o, int outer, int k) {
  return o == Operand::b ? Coord{k, outer} : Coord{outer, k};
}

enum class CopyKind : int {
  none,
  direct,    // global → the register that is multiplied, no shared memory
  staged,    // global → register → shared memory, with ordinary loads and stores
  cp_async,  // global → shared memory, asynchronous, by threads
  tensor,    // global → shared memory by cp.async.bulk.tensor: one thread asks for whole boxes
};
/// It goes to shared memory.
constexpr bool fills_shared(CopyKind kind) {
  switch (kind) {
    case CopyKind::staged:
    case CopyKind::cp_async:
    case CopyKind::tensor:
      return true;
    case CopyKind::none:
    case CopyKind::direct:
      return false;
  }
  return false;
}
/// Whoever issues it goes on, and waits for it later.
constexpr bool asynchronous(CopyKind kind) {
  switch (kind) {
    case CopyKind::cp_async:
    case CopyKind::tensor:
      return true;
    case CopyKind::none:
    case CopyKind::direct:
    case CopyKind::staged:
      return false;
  }
  return false;
}
/// Copied box by box by the hardware, which fills with zeros what lies outside of the matrix.
constexpr bool by_boxes(CopyKind kind) {
  switch (kind) {
    case CopyKind::tensor:
      return true;
    case CopyKind::none:
    case CopyKind::direct:
    case CopyKind::staged:
    case CopyKind::cp_async:
      return false;
  }
  return false;
}

/// Who copies what in one k slice. Chunks of `width` elements along the contiguous dimension are
/// dealt to the threads in order: chunk c goes to thread c % threads in iteration c / threads. The
/// chunks of a tensor copy are its boxes, and one thread has them all; or the tile's lines are cut
/// into parts, and each of as many CTAs of a cluster asks for the chunks of one part, for all.
struct CopyMap {
  CopyKind kind = CopyKind::none;
  int outer = 0, depth = 0;  // extents of the tile in elements
  int width = 1;             // elements per access
  int bytes = 4;             // of one element
  bool k_contiguous = true;  // in global memory
  int threads = 1;
  int box_lines = 1;  // lines of a chunk
  int shared_by = 1;  // CTAs
  constexpr bool operator==(const CopyMap&) const = default;

  constexpr int chunks_per_line() const { return (k_contiguous ? depth : outer) / width; }
  constexpr int chunks() const { return outer * depth / (width * box_lines); }
  constexpr int iterations() const { return ceil_div(chunks(), threads); }
  /// True if each thread has a chunk in each iteration.
  constexpr bool even() const { return chunks() % threads == 0; }
  constexpr int access_bytes() const { return width * bytes; }
  /// Chunks of a part: those of part p are p * part_chunks(), …
  constexpr int part_chunks() const { return chunks() / shared_by; }
};

/// cp.async moves 4, 8 or 16 bytes: narrower copies go through registers.
constexpr CopyMap async_copy(int outer, int depth, int width, int bytes, bool k_contiguous,
                             int threads) {
  return {.kind = width * bytes < 4 ? CopyKind::staged : CopyKind::cp_async,
          .outer = outer,
          .depth = depth,
          .width = width,
          .bytes = bytes,
          .k_contiguous = k_contiguous,
          .threads = threads};
}

/// First element [outer, k] of the chunk that a thread copies in an iteration. Beyond the last
/// chunk (possible if !even()) the place lies outside the tile.
constexpr Coord copy_coord(const CopyMap& map, int thread, int iteration) {
  const int chunk = iteration * map.threads + thread;
  const int line = chunk / map.chunks_per_line() * map.box_lines;
  const int along = chunk % map.chunks_per_line() * map.width;
  return map.k_contiguous ? Coord{line, along} : Coord{along, line};
}

/// How many lines a thread moves on from one iteration to the next, if that is the same for all
/// threads and iterations; else 0. If it is not 0, copy_coord(map, thread, i) is copy_coord(map,
/// thread, 0) moved on by i times as many lines.
constexpr int copy_line_step(const CopyMap& map) {
  return map.threads % map.chunks_per_line() == 0 ? map.threads / map.chunks_per_line() : 0;
}

/// How many floats of CopyKind::staged a thread loads before it stores the first of them. They are
/// kept in registers, and each access of an unrolled loop takes NVRTC's time, so there is a limit.
inline constexpr int kStagedFloats = 32;
/// Accesses of a thread that are issued before the first of them is stored.
constexpr int copies_at_once(const CopyMap& map) {
  return min_of(kStagedFloats / map.width, map.iterations());
}

/// Where an operand's slice lies in one stage of shared memory: in lines along the contiguous
/// dimension, cut into panels so that no line is longer than the rows of the swizzle.
struct SharedTile {
  bool present = false;
  int outer = 0, depth = 0;  // extents in elements
  int bytes_per_element = 4;
  bool k_contiguous = true;  // in shared memory
  int panel = 0;             // elements of a line, one panel
  int pitch = 0;             // bytes from line to line in a panel, padding included
  Swizzle swizzle = Swizzle::none;
  int offset = 0;  // bytes from the start of the stage
  constexpr bool operator==(const SharedTile&) const = default;

  constexpr int lines() const { return k_contiguous ? outer : depth; }
  constexpr int panels() const { return ceil_div(k_contiguous ? depth : outer, panel); }
  constexpr int panel_bytes() const { return lines() * pitch; }
  constexpr int size_bytes() const { return panels() * panel_bytes(); }
};

/// Byte offset of element [outer, k] from the start of the tile, as if nothing were swizzled: what
/// the hardware is told that swizzles by itself.
constexpr int plain_offset(const SharedTile& tile, int outer, int k) {
  const int line = tile.k_contiguous ? outer : k;
  const int along = tile.k_contiguous ? k : outer;
  const bool one_panel = tile.panels() == 1;  // keeps the division out of the kernels
  const int before = one_panel ? 0 : along / tile.panel * tile.panel_bytes();
  const int in_panel = one_panel ? along : along % tile.panel;
  return before + line * tile.pitch + in_panel * tile.bytes_per_element;
}
/// Byte offset of element [outer, k] from the start of the stage.
constexpr int shared_offset(const SharedTile& tile, int outer, int k) {
  return tile.offset + swizzle_bytes(tile.swizzle, plain_offset(tile, outer, k));
}

/// A shared tile whose lines are those of global memory: no padding, no swizzle.
constexpr SharedTile plain_tile(const CopyMap& map) {
  const int line = map.k_contiguous ? map.depth : map.outer;
  return {.present = true,
          .outer = map.outer,
          .depth = map.depth,
          .bytes_per_element = map.bytes,
          .k_contiguous = map.k_contiguous,
          .panel = line,
          .pitch = line * map.bytes};
}

/// A copy by boxes as wide as the panels of the shared tile that it fills, by one thread.
constexpr CopyMap tensor_copy(const SharedTile& tile) {
  return {.kind = CopyKind::tensor,
          .outer = tile.outer,
          .depth = tile.depth,
          .width = tile.panel,
          .bytes = tile.bytes_per_element,
          .k_contiguous = tile.k_contiguous,
          .box_lines = tile.lines()};
}
/// The same, cut into parts for so many CTAs.
constexpr void share_copy(CopyMap& map, int ctas) {
  map.box_lines /= ctas;
  map.shared_by = ctas;
}

/// Where a box of the chunk at [outer, k] begins: the element along the lines, and the line.
struct BoxPlace {
  int along = 0, line = 0;
};
constexpr BoxPlace box_place(const CopyMap& map, Coord at) {
  return map.k_contiguous ? BoxPlace{at.col, at.row} : BoxPlace{at.row, at.col};
}

inline constexpr int kSwizzlePeriod = 8;  // lines after which every swizzle repeats

/// Bytes between an element and the one `lines` lines on, the same for all elements if `lines` is a
/// multiple of 8, the period of every swizzle.
constexpr int shared_line_step(const SharedTile& tile, int lines) { return lines * tile.pitch; }

/// From iteration to iteration of a copy a thread's places in shared memory differ by constants:
/// nothing is swizzled, or it moves on by whole periods of the swizzle. Otherwise each is computed
/// anew.
constexpr bool copied_in_steps(const CopyMap& map, const SharedTile& tile) {
  const bool linear = tile.swizzle == Swizzle::none && tile.panels() == 1;
  const int lines = copy_line_step(map);
  return map.even() && lines > 0 &&
         (linear || (map.k_contiguous == tile.k_contiguous && lines % kSwizzlePeriod == 0));
}

/// Bytes between an element and the one [outer, k] further on, in a tile of one panel without
/// swizzle: there offsets simply add up.
constexpr int shared_step(const SharedTile& tile, int outer, int k) {
  return shared_offset(tile, outer, k) - tile.offset;
}

/// The element [outer, k] at a byte offset from the start of the stage; outer −1 in padding or
/// outside the tile.
constexpr Coord shared_element(const SharedTile& tile, int offset) {
  const int from_tile = offset - tile.offset;
  if (!tile.present || from_tile < 0 || from_tile >= tile.size_bytes()) return {-1, -1};
  const int logical = swizzle_bytes(tile.swizzle, from_tile);
  const int along_in_panel = logical % tile.pitch / tile.bytes_per_element;
  if (along_in_panel >= tile.panel) return {-1, -1};
  const int along = logical / tile.panel_bytes() * tile.panel + along_in_panel;
  const int line = logical % tile.panel_bytes() / tile.pitch;
  return tile.k_contiguous ? Coord{line, along} : Coord{along, line};
}

}  // namespace tilescope

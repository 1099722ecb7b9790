// An operand of wgmma in shared memory: which part of which tile its descriptor names.
#pragma once
#include "core/layout/wgmma_shared.h"
#include "viz/scene/fragment/fragment_parts.h"

namespace tilescope::viz {

/// [outer, k] of the tile: rows of A or columns of B, and the elements along k. Elements of less
/// than a byte are counted as bytes.
struct DescribedOperand {
  Operand operand = Operand::b;
  SharedTile tile;
  int first_outer = 0, outer = 0;
  int first_k = 0, k = 0;
  int elements_per_byte = 1;

  /// Elements of a chunk of 16 bytes, which lie side by side along k or across.
  int chunk() const { return kCoreLineBytes / tile.bytes_per_element; }
  /// Bytes from the tile's start to a chunk's, of its first element.
  int place(int at_outer, int at_k) const {
    return shared_offset(tile, first_outer + at_outer, first_k + at_k) - tile.offset;
  }
  /// From the tile's start to what the descriptor's start says.
  int start() const { return plain_offset(tile, first_outer, first_k); }
  WgmmaLayout layout() const { return {tile.swizzle, tile.k_contiguous}; }
  /// Calls f(outer, k, byte of the tile) for each chunk that the instruction reads.
  template <class F>
  void each_chunk(F f) const {
    const int step_outer = tile.k_contiguous ? 1 : chunk(),
              step_k = tile.k_contiguous ? chunk() : 1;
    for (int o = 0; o < outer; o += step_outer) {
      for (int i = 0; i < k; i += step_k) f(o, i, place(o, i));
    }
  }
};
DescribedOperand described(const FragmentContext& f, Operand operand);

/// Of a chunk: the color of its four banks.
Color bank_color(int byte);

}  // namespace tilescope::viz

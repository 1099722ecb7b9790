// In which order a large C is verified, part by part, until all of it is done: first the tile that
// somebody looks at, then the edges and a few CTAs spread over the grid, then block after block,
// in an order that spreads them over C as well.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/layout/kernel_plan.h"

namespace tilescope::model {

/// CTAs that must run together so that the block tiles of C that they store are complete: all that
/// share a tile; of kernels whose CTAs go from tile to tile, one CTA with all its tiles.
struct CtaGroup {
  std::vector<int> ctas;         // by launch index
  std::vector<Coord> tiles;      // block tiles that they work on
  std::vector<Coord> completed;  // those whose C they store
};
/// Their numbers are 0 … cta_groups() - 1; of tiles, row by row.
int cta_groups(const KernelPlan& plan);
CtaGroup cta_group(const KernelPlan& plan, int number);
/// The group that stores a tile.
int group_of_tile(const KernelPlan& plan, Coord tile);

/// Knows which groups are still to be verified, and which come next. How many groups a part has
/// follows from the work in them, not from a clock, so that the order is always the same.
class VerificationOrder {
 public:
  VerificationOrder() = default;
  VerificationOrder(const KernelPlan& plan, const Problem& problem);

  /// The groups of the next part: those that are shown and have not been verified come before all
  /// else. Empty when all are done.
  std::vector<int> next(std::span<const int> shown) const;
  void done(std::span<const int> groups);

  bool whole() const { return left_ == 0; }
  uint64_t ctas() const { return ctas_; }  // of the groups that are done
  uint64_t of_ctas() const { return of_ctas_; }
  /// Products in all of C: what verifying it costs.
  double products() const { return products_; }

 private:
  int count() const { return rows_ * cols_; }
  /// Corners and middles of the edges, and a few spread over the rest.
  std::vector<int> first() const;
  std::vector<int> block(int number) const;

  int rows_ = 0, cols_ = 0;              // groups as they lie in C, or one row of them
  int block_rows_ = 1, block_cols_ = 1;  // groups in a part
  int blocks_down_ = 0, blocks_across_ = 0;
  int step_ = 1;  // from block to block, so that they are spread
  std::vector<bool> done_;
  int left_ = 0, next_block_ = 0;
  uint64_t ctas_ = 0, of_ctas_ = 0, ctas_per_group_ = 1;
  double products_ = 0;
};

}  // namespace tilescope::model

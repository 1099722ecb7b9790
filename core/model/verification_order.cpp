#include "core/model/verification_order.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace tilescope::model {
namespace {

/// Products that the emulator and the reference take some tenths of a second for on two cores;
/// tensor cores' instructions are a good deal cheaper to it than single ones.
double products_per_part(const KernelPlan& plan) {
  return plan.math() == Math::mma ? 0x1p31 : 0x1p28;
}

/// Coprime to `count` and near the golden section of it: multiples of it are spread evenly.
int spread_step(int count) {
  int step = std::max(1, static_cast<int>(count * 0.618));
  while (std::gcd(step, count) != 1) ++step;
  return step;
}

}  // namespace

int cta_groups(const KernelPlan& plan) {
  return stays(plan.work) ? plan.work.ctas : plan.work.raster.tiles();
}

CtaGroup cta_group(const KernelPlan& plan, int number) {
  CtaGroup group;
  if (!stays(plan.work)) {
    const int across = plan.work.raster.tiles_n;
    const Coord tile{number / across, number % across};
    const TileParts parts = tile_parts(plan.work, tile);
    for (int part = 0; part < parts.count; ++part) group.ctas.push_back(parts.cta(part));
    group.tiles = group.completed = {tile};
    return group;
  }
  group.ctas = {number};
  for (int i = 0; i < work_items(plan.work, number); ++i) {
    const WorkItem item = work_item(plan.work, number, i);
    group.tiles.push_back(item.tile);
    if (item.k_begin == 0) group.completed.push_back(item.tile);
  }
  return group;
}

int group_of_tile(const KernelPlan& plan, Coord tile) {
  return stays(plan.work) ? first_worker(plan.work, tile).cta
                          : tile.row * plan.work.raster.tiles_n + tile.col;
}

VerificationOrder::VerificationOrder(const KernelPlan& plan, const Problem& problem) {
  const bool one_row = stays(plan.work);
  rows_ = one_row ? 1 : plan.work.raster.tiles_m;
  cols_ = one_row ? plan.work.ctas : plan.work.raster.tiles_n;
  products_ = 1.0 * problem.m * problem.n * problem.k;
  of_ctas_ = static_cast<uint64_t>(cta_count(plan.work));
  ctas_per_group_ = of_ctas_ / static_cast<uint64_t>(count());
  // Square blocks need the fewest rows of A and columns of B.
  const double groups = std::max(1.0, products_per_part(plan) / products_ * count());
  while (1.0 * block_rows_ * block_cols_ < groups && block_rows_ * block_cols_ < count()) {
    if (block_rows_ < rows_ && (block_rows_ <= block_cols_ || block_cols_ == cols_)) {
      block_rows_ = min_of(2 * block_rows_, rows_);
    } else {
      block_cols_ = min_of(2 * block_cols_, cols_);
    }
  }
  blocks_down_ = ceil_div(rows_, block_rows_), blocks_across_ = ceil_div(cols_, block_cols_);
  step_ = spread_step(blocks_down_ * blocks_across_);
  done_.resize(static_cast<size_t>(count()));
  left_ = count();
}

std::vector<int> VerificationOrder::first() const {
  std::vector<int> groups;
  for (const int row : {0, rows_ / 2, rows_ - 1}) {
    for (const int col : {0, cols_ / 2, cols_ - 1}) groups.push_back(row * cols_ + col);
  }
  constexpr int kSpread = 7;
  const int step = spread_step(count());
  for (int i = 1; i <= kSpread; ++i) {
    groups.push_back(static_cast<int>(1LL * i * step % count()));
  }
  return groups;
}

std::vector<int> VerificationOrder::block(int number) const {
  const int all = blocks_down_ * blocks_across_;
  const int at = static_cast<int>(1LL * number * step_ % all);
  const int row = at / blocks_across_ * block_rows_, col = at % blocks_across_ * block_cols_;
  std::vector<int> groups;
  for (int r = row; r < min_of(row + block_rows_, rows_); ++r) {
    for (int c = col; c < min_of(col + block_cols_, cols_); ++c) groups.push_back(r * cols_ + c);
  }
  return groups;
}

std::vector<int> VerificationOrder::next(std::span<const int> shown) const {
  std::vector<int> part;
  const auto is_new = [&](int g) {
    return g >= 0 && g < count() && !done_[static_cast<size_t>(g)];
  };
  std::vector<int> early(shown.begin(), shown.end());
  const std::vector<int> begin = first();
  early.insert(early.end(), begin.begin(), begin.end());
  const auto most = static_cast<size_t>(block_rows_ * block_cols_);
  for (const int g : early) {
    if (part.size() == most) break;
    if (is_new(g) && std::ranges::find(part, g) == part.end()) part.push_back(g);
  }
  for (int b = next_block_; b < blocks_down_ * blocks_across_ && part.empty(); ++b) {
    std::ranges::copy_if(block(b), std::back_inserter(part), is_new);
  }
  return part;
}

void VerificationOrder::done(std::span<const int> groups) {
  for (const int g : groups) {
    if (g < 0 || g >= count() || done_[static_cast<size_t>(g)]) continue;
    done_[static_cast<size_t>(g)] = true;
    --left_;
    ctas_ += ctas_per_group_;
  }
  const int all = blocks_down_ * blocks_across_;
  const auto is_done = [&](int b) {
    return std::ranges::all_of(block(b), [&](int g) { return done_[static_cast<size_t>(g)]; });
  };
  while (next_block_ < all && is_done(next_block_)) ++next_block_;
}

}  // namespace tilescope::model

#include "core/model/sm_rounds.h"

#include <algorithm>
#include <cmath>

namespace tilescope::model {
namespace {

/// CTAs that each have one item: as many at once as an SM holds, then those that are left.
std::array<SmRound, 2> waves(double ctas, double slices, int sms, int at_once) {
  const double most = std::ceil(ctas / sms), held = std::min<double>(at_once, most);
  const double full = std::floor(most / held), rest = std::max(1.0, most - full * held);
  const double in_full = std::min(ctas, full * held * sms), left = ctas - in_full;
  return {{{full, held, slices, 1, in_full / (full * held * sms)},
           {left > 0 ? 1.0 : 0.0, rest, slices, 1, left / (rest * sms)}}};
}

/// CTAs that stay and take tile after tile; in the last round only some of them have one.
std::array<SmRound, 2> rounds_of_tiles(const WorkOrder& w, int sms) {
  const int full = w.raster.tiles() / w.ctas, rest = w.raster.tiles() % w.ctas;
  const double slices = w.k_slices, all = ceil_div(w.ctas, sms);
  const double last = std::max(1, ceil_div(rest, sms));
  return {{{static_cast<double>(full), all, slices, 1, w.ctas / (all * sms)},
           {rest > 0 ? 1.0 : 0.0, last, slices, 1, rest / (last * sms)}}};
}

/// CTAs that take parts of tiles: as long as the one with most.
std::array<SmRound, 2> parts_of_tiles(const WorkOrder& w, int sms) {
  // Parts of the tiles that are cut differ by a slice at most; the others are dealt out evenly, or
  // nothing is cut.
  const long long cut = (stream_slices(w) + w.ctas - 1) / w.ctas;
  const int whole = whole_tiles(w, w.raster.tiles() - stream_tiles(w), 0);
  int parts = 0;
  for (int cta = 0; cut > 0 && cta < w.ctas; ++cta) parts = std::max(parts, stream_items(w, cta));
  const double held = ceil_div(w.ctas, sms);
  const SmRound most{1, held, static_cast<double>(cut + 1LL * whole * w.k_slices),
                     static_cast<double>(parts + whole), w.ctas / (held * sms)};
  return {{most, {}}};
}

}  // namespace

std::array<SmRound, 2> sm_rounds(const WorkOrder& work, int sms, int at_once) {
  const auto ctas = static_cast<double>(cta_count(work));
  switch (work.kind) {
    case WorkKind::one_tile:
      return waves(ctas, work.k_slices, sms, at_once);
    case WorkKind::split_k:
      return waves(ctas, ceil_div(work.k_slices, std::max(1, work.splits)), sms, at_once);
    case WorkKind::persistent:
      return rounds_of_tiles(work, sms);
    case WorkKind::stream_k:
      return parts_of_tiles(work, sms);
  }
  return {};
}

double cold_share(const KernelPlan& plan, const Traffic& traffic, double dram_read, int sms,
                  int at_once) {
  const Raster& r = plan.work.raster;
  const double asked = traffic.l2.read - traffic.packed_bytes;
  const double tiles = std::min<double>(r.tiles(), 1.0 * sms * at_once);
  if (asked <= 0 || tiles < 1) return 1;
  // The part of C that is worked on at once: rows and columns of tiles.
  const double group = std::min(r.group, r.tiles_m);
  const double rows = std::min<double>(r.tiles_m, group * std::ceil(tiles / (group * r.tiles_n)));
  const double cols = std::min<double>(r.tiles_n, std::ceil(tiles / rows));
  const double sharing =
      tiles * (plan.block_m + plan.block_n) / (rows * plan.block_m + cols * plan.block_n);
  return std::clamp(dram_read * sharing / asked, 0.0, 1.0);
}

}  // namespace tilescope::model

#include <set>
#include <vector>

#include "tests/model/brute_cta.h"

namespace tilescope::model {

void BruteCta::copy_boxes(Operand o, int k0) {
  const SharedTile& shared = o == Operand::a ? plan.shared_a() : plan.shared_b();
  GlobalSum& from = o == Operand::a ? counts.load_a : counts.load_b;
  (o == Operand::a ? counts.boxes_a : counts.boxes_b) = true;
  // Of as many parts as CTAs share the tile this one asks for its own, and all come.
  const Raster& r = plan.work.raster;
  const int parts = o == Operand::a ? r.cluster_n : r.cluster_m;
  const int part = o == Operand::a ? tile.col % parts : tile.row % parts;
  const int lines = shared.lines() / parts;
  for (int panel = 0; panel < shared.panels(); ++panel) {
    ++from.requests, ++counts.shared_copy.requests;
    const int size = shared.lines() * shared.panel * shared.bytes_per_element;
    counts.shared_copy.bytes += static_cast<uint64_t>(size);
    counts.shared_copy.wavefronts += static_cast<uint64_t>((size + 127) / 128);
    counts.shared_copy.ideal += static_cast<uint64_t>((size + 127) / 128);
    for (int line = part * lines; line < (part + 1) * lines; ++line) {
      std::set<long long> sectors, blocks;
      for (int i = 0; i < shared.panel; ++i) {
        const int along = panel * shared.panel + i;
        const int outer = first(o) + (shared.k_contiguous ? line : along);
        const int k = k0 + (shared.k_contiguous ? along : line);
        if (!copies(o, outer, k)) continue;
        const long long at = global_offset(p, o, matrix_coord(o, outer, k));
        sectors.insert(at / 32), blocks.insert(at / 128);
        from.bytes += static_cast<uint64_t>(shared.bytes_per_element);
      }
      from.sectors += sectors.size(), from.fetched += sectors.size();
      from.lines += blocks.size();
    }
  }
}

void BruteCta::copy(Operand o, int k0) {
  const CopyMap& map = o == Operand::a ? plan.copy_a : plan.copy_b;
  const SharedTile& shared = o == Operand::a ? plan.shared_a() : plan.shared_b();
  if (map.kind == CopyKind::tensor) return copy_boxes(o, k0);
  const bool turned = map.k_contiguous != shared.k_contiguous;
  for (int i = 0; i < map.iterations(); ++i) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      Lanes global;
      std::vector<Lanes> writes(turned ? static_cast<size_t>(map.width) : 1);
      for (int lane = 0; lane < 32; ++lane) {
        const Coord at = copy_coord(map, warp * 32 + lane, i);
        if (at.row >= map.outer || at.col >= map.depth) continue;
        const int outer = first(o) + at.row, k = k0 + at.col;
        if (copies(o, outer, k)) {
          global.push_back({lane, global_offset(p, o, matrix_coord(o, outer, k))});
        }
        for (size_t e = 0; e < writes.size(); ++e) {
          const int step = static_cast<int>(e);
          writes[e].push_back({lane, shared_offset(shared, at.row + (map.k_contiguous ? 0 : step),
                                                   at.col + (map.k_contiguous ? step : 0))});
        }
      }
      GlobalSum& from = o == Operand::a ? counts.load_a : counts.load_b;
      add_global(from, global, map.access_bytes());
      if (map.kind == CopyKind::cp_async && map.access_bytes() == 16) {
        from.fetched += fetched(global, writes[0]);
      }
      SharedSum& to = map.kind == CopyKind::cp_async ? counts.shared_copy : counts.shared_store;
      for (const Lanes& lanes : writes) {
        add_shared(to, lanes, turned ? map.bytes : map.access_bytes(), Served::store);
      }
    }
  }
}

}  // namespace tilescope::model

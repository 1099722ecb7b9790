#include <set>
#include <vector>

#include "tests/model/brute_cta.h"

namespace tilescope::model {

Coord BruteCta::pair(int lane, int access) const {
  const int q = lane % 4;
  if (plan.epilogue.width == 4) return {lane / 4 + 8 * access, lane % 2 * 8 + q / 2 * 4};
  if (plan.epilogue.width == 2) {
    return {lane / 8 * 2 + access % 2 + access / 2 * 8, 2 * q + lane / 4 % 2 * 8};
  }
  return {lane / 16 * 4 + access % 4 + access / 4 * 8, 2 * q + lane / 4 % 2 + lane / 8 % 2 * 8};
}

void BruteCta::store_pairs() {
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int mi = 0; mi < mmas_m(plan); ++mi) {
      for (int ni = 0; ni < mmas_n(plan); ni += 2) {
        const Coord at = accumulator_coord(plan, warp, mi, ni, 0, 0);
        for (int access = 0; access < 8 / plan.epilogue.width; ++access) {
          Lanes lanes;
          for (int lane = 0; lane < 32; ++lane) add_inside(lanes, lane, at + pair(lane, access));
          add_c(lanes);
        }
      }
    }
  }
}

void BruteCta::store_accumulators() {
  if (plan.epilogue.bias_ahead) bias_ahead();
  if (plan.epilogue.atoms == 2) return store_pairs();
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int part = 0; part < mmas_m(plan) * mmas_n(plan); ++part) {
      for (int v = 0; v < plan.atom.c.values(); v += plan.epilogue.width) {
        Lanes lanes;
        for (int lane = 0; lane < 32; ++lane) {
          add_inside(
              lanes, lane,
              accumulator_coord(plan, warp, part / mmas_n(plan), part % mmas_n(plan), lane, v));
        }
        add_c(lanes);
      }
    }
  }
}

void BruteCta::through_shared() {
  const SharedRegion sums = region_of(plan, RegionKind::c);
  for (int warp = 0; warp < plan.warps(); ++warp) {
    const int part_of_k = warp / (plan.warps_m * plan.warps_n);
    for (int part = 0; part < mmas_m(plan) * mmas_n(plan); ++part) {
      for (int v = 0; v < 8; v += 2) {
        Lanes lanes;
        for (int lane = 0; lane < 32; ++lane) {
          const Coord at =
              accumulator_coord(plan, warp, part / mmas_n(plan), part % mmas_n(plan), lane, v);
          lanes.push_back(
              {lane, part_of_k * sums.stride + shared_offset(sums.tile, at.row, at.col)});
        }
        add_shared(counts.shared_store, lanes, 8, Served::store);
      }
    }
  }
  const CopyMap& map = plan.epilogue.map;
  for (int i = 0; i < map.iterations(); ++i) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      Lanes from, to;
      for (int lane = 0; lane < 32; ++lane) {
        const Coord at = copy_coord(map, warp * 32 + lane, i);
        if (at.row >= map.outer) continue;
        const Coord in_c = Coord{first(Operand::a), first(Operand::b)} + at;
        if (in_c.row >= p.m || in_c.col >= p.n) continue;
        from.push_back({lane, shared_offset(sums.tile, at.row, at.col)});
        add_inside(to, lane, at);
      }
      for (int part = 0; part < plan.warps_k; ++part) {
        add_shared(counts.shared_load, from, map.width * 4, Served::load);
      }
      add_c(to);
    }
  }
}

void BruteCta::add_inside(Lanes& lanes, int lane, Coord in_tile) {
  const Coord at = Coord{first(Operand::a), first(Operand::b)} + in_tile;
  if (at.row < p.m && at.col < p.n) lanes.push_back({lane, global_offset(p, Operand::c, at)});
}

void BruteCta::by_boxes() {
  const SharedRegion buffers = region_of(plan, RegionKind::c);
  const int bytes = element_bytes(p.type_c), wide = buffers.tile.pitch / bytes;
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int atom = 0; atom < plan.warp_m / 64; ++atom) {
      const int row = warp / 4 * plan.warp_m + 64 * atom + warp % 4 * 16;
      for (int col = 0; col < plan.block_n; col += wide) {
        for (int eight = 0; eight < wide / 8; ++eight) fill_eight(warp, {row, col}, eight, wide);
        send_box({row, col}, wide);
      }
    }
  }
}

void BruteCta::fill_eight(int warp, Coord box, int eight, int wide) {
  const SharedRegion buffers = region_of(plan, RegionKind::c);
  const int bytes = element_bytes(p.type_c), buffer = warp * 2 * buffers.stride;
  for (int half = 0; half < 2; ++half) {
    Lanes places, in_c;
    for (int lane = 0; lane < 32; ++lane) {
      // Of wide boxes lanes of odd rows go through pairs of eights the other way round.
      const bool turned = bytes == 4 && wide > 16 && lane / 4 % 2 == 1;
      const int at = (turned ? eight ^ 2 : eight) * 8 + lane % 4 * 2;
      const int down = 8 * half + lane / 4;
      places.push_back({lane, buffer + shared_offset(buffers.tile, down, at)});
      add_inside(in_c, lane, box + Coord{down, at});
    }
    if (bytes == 4) add_shared(counts.shared_store, places, 8, Served::store);
    if (!in_c.empty()) load_c(in_c);
  }
  if (bytes == 4 || eight % 2 == 1) return;
  Lanes rows;  // of four matrices, below each other, then beside
  for (int lane = 0; lane < 32; ++lane) {
    const int at = (eight + lane / 16) * 8;
    rows.push_back({lane, buffer + shared_offset(buffers.tile, lane % 16, at)});
  }
  add_shared(counts.shared_store, rows, 16, Served::rows);
}

void BruteCta::send_box(Coord in_tile, int wide) {
  counts.boxes_c = true;
  ++counts.store_c.requests;
  const int bytes = element_bytes(p.type_c);
  uint64_t size = 0;
  for (int down = 0; down < 16; ++down) {
    std::set<long long> sectors, blocks;
    uint64_t inside = 0;
    for (int i = 0; i < wide; ++i) {
      const Coord at = Coord{first(Operand::a), first(Operand::b)} + in_tile + Coord{down, i};
      if (at.row >= p.m || at.col >= p.n) continue;
      const long long offset = global_offset(p, Operand::c, at);
      sectors.insert(offset / 32), blocks.insert(offset / 128);
      counts.store_c.bytes += static_cast<uint64_t>(bytes);
      ++inside;
    }
    counts.store_c.sectors += sectors.size(), counts.store_c.fetched += sectors.size();
    counts.store_c.lines += blocks.size();
    size += (inside * static_cast<uint64_t>(bytes) + 15) / 16 * 16;
  }
  for (SharedSum* sum : {&counts.shared_product, &counts.box_load}) {
    ++sum->requests;
    sum->bytes += size, sum->wavefronts += (size + 127) / 128, sum->ideal += (size + 127) / 128;
  }
}

void BruteCta::load_c(const Lanes& lanes) {
  if (p.beta != 0) add_global(counts.load_c, lanes, plan.epilogue.width * element_bytes(p.type_c));
  if (p.bias) add_bias(lanes);
}

void BruteCta::add_c(const Lanes& lanes) {
  add_global(counts.store_c, lanes, plan.epilogue.width * 4);
  if (p.beta != 0) add_global(counts.load_c, lanes, plan.epilogue.width * 4);
  if (p.bias) add_bias(lanes);
}

void BruteCta::bias_ahead() {
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int ni = 0; ni < mmas_n(plan); ni += plan.epilogue.atoms) {
      const int values = plan.epilogue.atoms == 2 ? 8 : 4;
      std::set<std::vector<std::pair<int, int>>> seen;  // columns of all lanes
      for (int v = 0; v < values; v += plan.epilogue.width) {
        std::vector<std::pair<int, int>> columns;
        Lanes lanes;
        for (int lane = 0; lane < 32; ++lane) {
          const Coord at = plan.epilogue.atoms == 2 ? accumulator_coord(plan, warp, 0, ni, 0, 0) +
                                                          pair(lane, v / plan.epilogue.width)
                                                    : accumulator_coord(plan, warp, 0, ni, lane, v);
          const int col = first(Operand::b) + at.col;
          columns.emplace_back(lane, col);
          if (col < p.n) lanes.push_back({lane, col * 4});
        }
        if (!seen.insert(columns).second) continue;
        const int width = p.order_c == Order::row_major ? plan.epilogue.width : 1;
        add_global(counts.load_bias, lanes, width * 4);
      }
    }
  }
}

void BruteCta::add_bias(const Lanes& stored) {
  if (plan.epilogue.bias_ahead) return;
  Lanes lanes;
  for (const auto& [lane, offset] : stored) {
    lanes.push_back({lane, global_coord(p, Operand::c, offset).col * 4});
  }
  const int width = p.order_c == Order::row_major ? plan.epilogue.width : 1;
  add_global(counts.load_bias, lanes, width * 4);
}

}  // namespace tilescope::model

#include "tests/model/brute_cta.h"

namespace tilescope::model {

void BruteCta::product_step() {
  for (int warp = 0; warp < plan.warps(); ++warp) {
    const int products = mmas_m(plan) * mmas_n(plan) * (plan.split.threads > 0 ? 3 : 1);
    for (int product = 0; product < products; ++product) {
      const int warps = plan.warps_per_atom();
      const int lines = plan.atom.m / warps + (warp % warps == 0 ? plan.atom.n : 0);
      const int line_bytes = plan.atom.k * plan.shared_a().bytes_per_element;
      ++counts.shared_product.requests;
      counts.shared_product.bytes += static_cast<uint64_t>(line_bytes * lines);
      counts.shared_product.wavefronts += static_cast<uint64_t>(lines / 4);
      counts.shared_product.ideal += static_cast<uint64_t>(lines / 4);
    }
  }
}

void BruteCta::split() {
  const int warps = plan.split.threads / 32;
  const int bytes = (plan.block_m + plan.block_n) * plan.block_k * 4;
  for (int first = 0, warp = 0; first < bytes; first += 512, warp = (warp + 1) % warps) {
    Lanes lanes;
    for (int lane = 0; lane < 32 && first + lane * 16 < bytes; ++lane) {
      lanes.push_back({lane, first + lane * 16});
    }
    add_shared(counts.shared_load, lanes, 16, Served::load);
    add_shared(counts.shared_store, lanes, 16, Served::store);
  }
}

void BruteCta::ldmatrix(const SharedTile& shared, const LdmatrixMap& map, int outer, int k) {
  Lanes lanes;
  for (int lane = 0; lane < 32; ++lane) {
    const Coord at = ldmatrix_row(map, lane);
    lanes.push_back({lane, shared_offset(shared, outer + at.row, k + at.col)});
  }
  add_shared(counts.shared_load, lanes, 16, Served::rows);
}

void BruteCta::mma_step(int k) {
  for (int warp = 0; warp < plan.warps(); ++warp) {
    const Coord at = warp_origin(plan, warp);
    for (int mi = 0; mi < mmas_m(plan); ++mi) {
      ldmatrix(plan.shared_a(), plan.load_a.map, at.row + mi * 16, k);
    }
    for (int pair = 0; pair < mmas_n(plan) / 2; ++pair) {
      ldmatrix(plan.shared_b(), plan.load_b.map, at.col + pair * 16, k);
    }
  }
}

void BruteCta::thread_tile_step(int k) {
  for (Operand o : {Operand::a, Operand::b}) {
    const bool is_a = o == Operand::a;
    const int extent = is_a ? thread_m(plan) : thread_n(plan);
    const int run = is_a ? plan.load_a.width : plan.load_b.width;
    const int atoms = is_a ? mmas_m(plan) : mmas_n(plan);
    for (int i = 0; i < atoms * extent; i += run) {
      for (int warp = 0; warp < plan.warps(); ++warp) {
        Lanes lanes;
        for (int lane = 0; lane < 32 && warp * 32 + lane < plan.threads; ++lane) {
          const int atom = i / extent, value = i % extent * (is_a ? thread_n(plan) : 1);
          const Coord at =
              accumulator_coord(plan, warp, is_a ? atom : 0, is_a ? 0 : atom, lane, value);
          lanes.push_back({lane, is_a ? shared_offset(plan.shared_a(), at.row, k)
                                      : shared_offset(plan.shared_b(), at.col, k)});
        }
        add_shared(counts.shared_load, lanes, run * 4, Served::load);
      }
    }
  }
}

void BruteCta::naive() {
  for (int k = 0; k < p.k; ++k) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      Lanes a, b;
      for (int lane = 0; lane < 32; ++lane) {
        const Coord at = thread_coord(plan.atom.c, warp * 32 + lane);
        const int row = first(Operand::a) + at.row, col = first(Operand::b) + at.col;
        if (row >= p.m || col >= p.n) continue;
        a.push_back({lane, global_offset(p, Operand::a, {row, k})});
        b.push_back({lane, global_offset(p, Operand::b, {k, col})});
        ++counts.fma;
      }
      add_global(counts.load_a, a, 4);
      add_global(counts.load_b, b, 4);
    }
  }
}

void BruteCta::wmma_step(int step) {
  for (int warp = 0; warp < plan.warps(); ++warp) {
    const Coord at = warp_origin(plan, warp);
    const int k0 = warp_k_origin(plan, warp) + step * 16;
    for (Operand o : {Operand::a, Operand::b}) {
      const bool is_a = o == Operand::a;
      const FragmentLayout& f = is_a ? plan.atom.a : plan.atom.b;
      for (int tile = 0; tile < (is_a ? mmas_m(plan) : mmas_n(plan)); ++tile) {
        const SharedTile& stored = is_a ? plan.shared_a() : plan.shared_b();
        for (int v = 0; v < 8; v += 2) {
          Lanes lanes;
          const Coord corner = fragment_coord(f, 0, v);  // A [m, k], B [k, n]
          const int outer = (is_a ? at.row : at.col) + tile * 16 + (is_a ? corner.row : corner.col);
          const int k = k0 + (is_a ? corner.col : corner.row);
          for (int lane = 0; lane < 32; ++lane) {
            const int line = lane / 4, along = lane % 4 * 2;
            lanes.push_back({lane, stored.k_contiguous
                                       ? shared_offset(stored, outer + line, k + along)
                                       : shared_offset(stored, outer + along, k + line)});
          }
          add_shared(counts.shared_load, lanes, 4, Served::load);
        }
      }
    }
  }
}

void BruteCta::step(int kk) {
  switch (plan.load_a.kind) {
    case LoadKind::ldmatrix:
      return mma_step(kk * 16);
    case LoadKind::wmma:
      return wmma_step(kk);
    case LoadKind::none:
      return product_step();
    case LoadKind::global:
    case LoadKind::lds:
      return thread_tile_step(kk);
  }
}

}  // namespace tilescope::model

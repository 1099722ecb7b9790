// ldmatrix, stmatrix and movmatrix: a register over a warp is a tile of 8 × 8 halves.
#include <algorithm>

#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {
namespace {

// The halves of a register over a warp are an 8 × 8 tile: lane l has row l / 4, columns 2 (l % 4),
// +1.
Tag& tile(const Plane& p, int row, int col) { return p.half[col % 2][4 * row + col / 2]; }

}  // namespace

void Tracker::load_matrix(const Context& c, uint32_t inst) {
  const Access& a = accesses_.front();
  const Step& s = plan_.steps[inst];
  for (uint32_t q = 0; q < s.results; ++q) {
    const Plane d = plane(c.warp, inst, q);
    for (int row = 0; row < 8; ++row) {
      const size_t lane = 8 * q + static_cast<size_t>(row);
      const uint64_t g = a.address[lane] / 2;
      if (!((a.mask >> lane) & 1u) || g + 8 > shared_.size()) continue;
      const Tag* from = shared_.data() + g;
      const uint32_t* routes = shared_route_.data() + g;
      if (!s.transposed) {
        for (int l = 0; l < 4; ++l) {
          d.half[0][4 * row + l] = from[2 * l];
          d.half[1][4 * row + l] = from[2 * l + 1];
          d.route[4 * row + l] = graph_.route(inst, routes[2 * l]);
        }
        continue;
      }
      for (int col = 0; col < 8; ++col) {
        tile(d, col, row) = from[col];
        d.route[4 * col + row / 2] = graph_.route(inst, routes[col]);
      }
    }
  }
}

void Tracker::store_matrix(const Context& c, uint32_t inst) {
  const Access& a = accesses_.front();
  const Step& s = plan_.steps[inst];
  for (uint32_t q = 0; q + 1 < s.operands; ++q) {
    const Plane v = plane(c.warp, inst, 1 + q);
    for (int row = 0; row < 8; ++row) {
      const size_t lane = 8 * q + static_cast<size_t>(row);
      const uint64_t g = a.address[lane] / 2;
      if (!((a.mask >> lane) & 1u) || g + 8 > shared_.size()) continue;
      for (int col = 0; col < 8; ++col) {
        const int r = s.transposed ? col : row, k = s.transposed ? row : col;
        shared_[g + static_cast<uint64_t>(col)] = tile(v, r, k);
        shared_route_[g + static_cast<uint64_t>(col)] = graph_.route(inst, v.route[4 * r + k / 2]);
      }
    }
  }
}

void Tracker::move_matrix(const Context& c, uint32_t inst) {
  const Plane to = plane(c.warp, inst, 0);
  transpose(plane(c.warp, inst, 1), to);
  for (int lane = 0; lane < 32; ++lane) to.route[lane] = graph_.route(inst, to.route[lane]);
}

void Tracker::transpose(const Plane& from, const Plane& to) {
  Tag tags[8][8];
  uint32_t routes[32];
  std::copy(from.route, from.route + 32, routes);
  for (int row = 0; row < 8; ++row) {
    for (int col = 0; col < 8; ++col) tags[row][col] = tile(from, row, col);
  }
  for (int row = 0; row < 8; ++row) {
    for (int col = 0; col < 8; ++col) {
      tile(to, row, col) = tags[col][row];
      to.route[4 * row + col / 2] = routes[4 * col + row / 2];
    }
  }
}

}  // namespace tilescope::emulator

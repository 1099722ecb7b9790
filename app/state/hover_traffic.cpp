#include "app/state/hover_traffic.h"

#include <fmt/format.h>

#include <cmath>

#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "core/model/warp_walk.h"

namespace tilescope {
namespace {

using model::grouped;

/// The ending of what there are so many of.
const char* ending(long long count) { return count == 1 ? "" : "s"; }

/// What Tiling shows beside it, as it is hovered.
std::string reuse_words(const Problem& p, Operand o, Coord at) {
  const auto outputs = [](int count) {
    return wording("{} output{}", grouped(count), ending(count));
  };
  switch (o) {
    case Operand::a:
      return wording("feeds {}: row {} of C", outputs(p.n), at.row);
    case Operand::b:
      return wording("feeds {}: column {} of C", outputs(p.m), at.col);
    case Operand::c:
      break;
  }
  return wording("sum of {}: row {} of A, column {} of B",
                 wording("{} product{}", grouped(p.k), ending(p.k)), at.row, at.col);
}

std::string element_words(const AppState& state, Operand o) {
  const KernelPlan& plan = state.derived.plan;
  const Problem& p = state.edit.problem;
  if (o == Operand::c) {
    const int bytes = element_bytes(p.type_c);
    return wording("stays in registers through k, then {} B to the L2{}", bytes,
                   p.beta != 0.0f ? wording("; {} B read first, as β ≠ 0", bytes) : "");
  }
  const Raster& raster = plan.work.raster;
  const int asking = o == Operand::a ? raster.tiles_n : raster.tiles_m;
  const std::string ctas = wording("{} CTA{}", grouped(asking), ending(asking));
  if (!shared_of(plan, o).present) {
    const int lanes = o == Operand::a ? plan.block_n : plan.block_m;
    return wording("{} ask for it, {} of each; the L1 has it after the first", ctas,
                   wording("{} lane{}", grouped(lanes), ending(lanes)));
  }
  const long long reads = std::llround(model::reads_per_element(plan, o));
  return wording("{} fetch it from the L2; each reads it {} from shared memory", ctas,
                 wording("{} time{}", grouped(reads), ending(reads)));
}

const char* way_of(const CopyMap& map) {
  switch (map.kind) {
    case CopyKind::cp_async:
      return model::passes_l1_by(map) ? "L2 → shared memory past the L1 (cp.async)"
                                      : "L2 → L1 → shared memory (cp.async)";
    case CopyKind::tensor:
      return "L2 → shared memory by the copy engine (TMA)";
    case CopyKind::staged:
      return "L2 → L1 → registers → shared memory";
    case CopyKind::direct:
      return "L2 → L1 → registers";
    case CopyKind::none:
      return "its way is not known";
  }
  return "";
}

std::string slice_words(const KernelPlan& plan) {
  if (plan.stages() == 0) return {};
  std::string words;
  for (const Operand o : {Operand::a, Operand::b}) {
    const CopyMap& map = copy_of(plan, o);
    words +=
        wording("{}{} B of {} per slice, {}", words.empty() ? "" : "\n",
                grouped(1LL * map.outer * map.depth * map.bytes), model::name_of(o), way_of(map));
  }
  return words;
}

std::string warp_words(const KernelPlan& plan) {
  if (plan.stages() == 0) return {};
  const auto bytes = static_cast<long long>(model::walk_shared_reads(plan).bytes +
                                            model::walk_product_reads(plan).bytes);
  return wording("reads {} B of shared memory a k slice", grouped(bytes / plan.warps()));
}

std::string mma_words(const KernelPlan& plan) {
  if (plan.math() != Math::mma) return {};
  const auto bytes = [](const FragmentLayout& f) {
    return 1LL * f.threads() * f.values() * f.bits / 8;
  };
  const auto from = [&](Operand o) {
    return plan.atom.in_shared(o) ? "shared memory" : "registers";
  };
  if (plan.atom.in_shared(Operand::b)) {
    return wording("reads {} B of A from {}, {} B of B from {}; {} B of C stay in registers",
                   grouped(bytes(plan.atom.a)), from(Operand::a), grouped(bytes(plan.atom.b)),
                   from(Operand::b), grouped(bytes(plan.atom.c)));
  }
  return wording("registers: reads {} B of A, {} B of B, reads and writes {} B of C",
                 grouped(bytes(plan.atom.a)), grouped(bytes(plan.atom.b)),
                 grouped(bytes(plan.atom.c)));
}

}  // namespace

std::string traffic_words(const AppState& state, const viz::Pick& pick) {
  using Kind = viz::Pick::Kind;
  const Derived& d = state.derived;
  if (!d.kernel || !d.legal()) return {};
  switch (pick.kind) {
    case Kind::cta:
      return l2_tile_words(state, {pick.cta_row, pick.cta_col});
    case Kind::warp:
      return warp_words(d.plan);
    case Kind::mma:
      return mma_words(d.plan);
    case Kind::k_slice:
    case Kind::stage:
      return slice_words(d.plan);
    default:
      break;
  }
  if (pick.matrix < 0 || pick.row < 0 || pick.col < 0) return {};
  const auto o = static_cast<Operand>(pick.matrix);
  const Problem& p = state.edit.problem;
  const bool inside = pick.row < operand_rows(p, o) && pick.col < operand_cols(p, o);
  if (!inside) return {};
  return reuse_words(p, o, {pick.row, pick.col}) + "\n" + element_words(state, o);
}

std::string l2_tile_words(const AppState& state, Coord tile) {
  const Derived& d = state.derived;
  const Raster& raster = d.plan.work.raster;
  if (!d.l2 || d.l2->tiles.empty() || tile.row < 0 || tile.row >= raster.tiles_m || tile.col < 0 ||
      tile.col >= raster.tiles_n) {
    return {};
  }
  const model::L2Tile& t =
      d.l2->tiles[static_cast<size_t>(tile.row) * static_cast<size_t>(raster.tiles_n) +
                  static_cast<size_t>(tile.col)];
  if (t.begin < 0 || t.asked <= 0) return {};
  return wording("reads ~{}: {:.0f} % from the L2, ~{} from DRAM (simulated)",
                 model::bytes_text(t.asked), 100 * t.hits(), model::bytes_text(t.read));
}

}  // namespace tilescope

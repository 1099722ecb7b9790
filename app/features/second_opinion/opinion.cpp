#include "app/features/second_opinion/opinion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

using worker::OpinionTile;

struct TilePart {
  TileFieldId field;
  int OpinionTile::*value;
  bool exact;   // another value would be another tile
  int without;  // what a kernel that has no such slider does; 0: whatever is suggested
};
constexpr TilePart kTileParts[] = {
    {TileFieldId::block_m, &OpinionTile::block_m, true, 0},
    {TileFieldId::block_n, &OpinionTile::block_n, true, 0},
    {TileFieldId::block_k, &OpinionTile::block_k, true, 0},
    {TileFieldId::warp_m, &OpinionTile::warp_m, true, 0},
    {TileFieldId::warp_n, &OpinionTile::warp_n, true, 0},
    {TileFieldId::warps_k, &OpinionTile::warps_k, true, 1},
    {TileFieldId::stages, &OpinionTile::stages, false, 0},
    {TileFieldId::raster, &OpinionTile::group, false, 0},
    {TileFieldId::splits, &OpinionTile::splits, false, 1},
};

/// Of two as near the lower one; 0 is a mode of its own (Stream-K), no small number.
int nearest_value(const Slider& slider, int wanted) {
  int best = 0;
  for (int i = 0; i < slider.count; ++i) {
    const int value = slider.values[i];
    if (value > 0 && (best == 0 || std::abs(value - wanted) < std::abs(best - wanted))) {
      best = value;
    }
  }
  return best;
}

std::string block_text(const OpinionTile& t) {
  return fmt::format("{}×{}×{}", t.block_m, t.block_n, t.block_k);
}

struct Mapped {
  TileConfig tile;
  std::string changed;  // "raster 12 became raster 8"
};
/// Nothing if this kernel has no such tile.
std::optional<Mapped> mapped(const AppState& state, const OpinionTile& suggested) {
  const KernelEntry& kernel = *state.derived.kernel;
  Mapped m{kernel.sliders.defaults(), {}};
  for (const TilePart& part : kTileParts) {
    const int value = suggested.*part.value;
    const Slider* slider = kernel.sliders.find(part.field);
    if (!slider) {
      if (part.without != 0 && value != part.without) return std::nullopt;
      continue;
    }
    const int taken = slider->allows(value) ? value : nearest_value(*slider, value);
    if (taken != value) {
      if (part.exact) return std::nullopt;
      m.changed += wording("{}{} instead of {}", m.changed.empty() ? "" : ", ",
                           model::setting_text(part.field, taken), value);
    }
    set(m.tile, part.field, taken);
  }
  if (!kernel.validate(m.tile, state.edit.problem, state.limits).legal()) return std::nullopt;
  return m;
}

}  // namespace

OpinionQuestion opinion_question(const AppState& state) {
  const Edit& e = state.edit;
  return {e.rung().kernel, e.rung().tile, e.problem, state.limits.sm_count, state.gpu.name};
}

std::string why_no_opinion(const AppState& state) {
  const Derived& d = state.derived;
  if (!d.kernel || d.plan.math() != Math::mma) {
    return "nvMatmulHeuristics knows tensor-core kernels alone.";
  }
  if (d.plan.split.present()) {
    return "nvMatmulHeuristics knows no kernels that multiply parts of floats.";
  }
  return d.legal() ? std::string() : "nvMatmulHeuristics is asked of tiles that can be launched.";
}

const worker::SecondOpinion* opinion_of_problem(const AppState& state) {
  const Opinion& o = state.of<Opinion>();
  return o.answer && o.of && o.of->same_problem(opinion_question(state)) ? o.answer.get() : nullptr;
}

const worker::SecondOpinion* opinion_of_tile(const AppState& state) {
  const Opinion& o = state.of<Opinion>();
  return o.answer && o.of == opinion_question(state) ? o.answer.get() : nullptr;
}

std::string opinion_error(const AppState& state) {
  const Opinion& o = state.of<Opinion>();
  return o.of && o.of->same_problem(opinion_question(state)) ? o.error : std::string();
}

Suggestions suggested_tiles(const AppState& state) {
  Suggestions all;
  const worker::SecondOpinion* opinion = opinion_of_problem(state);
  if (!opinion || !state.derived.kernel) return all;
  std::string lacking;
  for (const OpinionTile& suggested : opinion->best) {
    const std::optional<Mapped> m = mapped(state, suggested);
    if (!m) {
      const std::string text = block_text(suggested);
      if (lacking.find(text) == lacking.npos) lacking += (lacking.empty() ? "" : ", ") + text;
      continue;
    }
    // Some differ in nothing that this kernel has.
    const bool again = std::any_of(all.presets.begin(), all.presets.end(),
                                   [&](const Preset& p) { return p.edit.rung().tile == m->tile; });
    if (again) continue;
    Preset preset;
    preset.edit = state.edit;
    preset.edit.change_rung().tile = m->tile;
    preset.name = fmt::format("{} ~{}", tile_label(preset.edit), model::time_text(suggested.us));
    preset.source = m->changed.empty() ? wording("{} for an {}", opinion->library, opinion->gpu)
                                       : wording("{} for an {}, with {}", opinion->library,
                                                 opinion->gpu, m->changed);
    all.presets.push_back(std::move(preset));
  }
  if (!lacking.empty()) {
    all.left_out =
        wording("Left out, since {} has no such tile: {}", state.edit.rung().kernel, lacking);
  }
  return all;
}

}  // namespace tilescope

#include "app/kit/core/linked.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/edit.h"
#include "app/state/hover_traffic.h"
#include "app/state/origins.h"
#include "app/state/playback.h"
#include "core/language/language.h"
#include "core/layout/packing.h"
#include "core/layout/ring_stage.h"
#include "core/model/banks.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope::widgets {

namespace {

/// Is it a part of a level's picture, so that there is something further in?
bool leads_in(const viz::Pick& pick) {
  using Kind = viz::Pick::Kind;
  return pick.kind == Kind::element || pick.kind == Kind::cta || pick.kind == Kind::warp ||
         pick.kind == Kind::mma || pick.kind == Kind::lane || pick.kind == Kind::reg;
}

}  // namespace

void select_pick(AppState& state, const viz::Pick& pick) {
  using Kind = viz::Pick::Kind;
  switch (pick.kind) {
    case Kind::level:
      select_level(state, static_cast<int>(pick.level));
      return;
    case Kind::k_slice:
      choose_k_step(state, pick.k_slice);
      return;
    case Kind::stage:
      if (pick.k_slice >= 0) choose_k_step(state, pick.k_slice);
      return;
    case Kind::event:
    case Kind::epoch:
    case Kind::point:
    case Kind::nothing:
      return;
    default:
      break;
  }
  if (pick.cta_row >= 0 && pick.cta_col >= 0) select_cta(state, {pick.cta_row, pick.cta_col});
  if (pick.warp >= 0) select_warp(state, pick.warp);
  if (pick.mma_m >= 0 && pick.mma_n >= 0) select_mma(state, pick.mma_m, pick.mma_n);
  if (pick.lane >= 0) select_lane(state, pick.lane);
  if (pick.value >= 0 && pick.matrix >= 0 && pick.lane >= 0) {
    select_value(state, static_cast<Operand>(pick.matrix), pick.value);
  }
}

void follow_input(AppState& state, const SceneInput& input) {
  if (!input.hovered) return;
  state.hover.pick = input.hovered;
  if (input.clicked) select_pick(state, *input.hovered);
}

bool enter_pick(AppState& state, const viz::Pick& pick) {
  if (!leads_in(pick)) return false;
  // Of what lies under the pointer only this level's part: a warp tile also knows elements.
  switch (pick.level) {
    case Level::grid:
      if (pick.cta_row >= 0 && pick.cta_col >= 0) select_cta(state, {pick.cta_row, pick.cta_col});
      break;
    case Level::cta:
      if (pick.warp >= 0) select_warp(state, pick.warp);
      break;
    case Level::warp:
      if (pick.mma_m >= 0 && pick.mma_n >= 0) select_mma(state, pick.mma_m, pick.mma_n);
      if (pick.lane >= 0) select_lane(state, pick.lane);
      break;
    case Level::atom:
    case Level::lane:
      if (pick.lane >= 0) select_lane(state, pick.lane);
      break;
  }
  select_level(state, static_cast<int>(pick.level) + 1);
  return true;
}

namespace {

/// Where an element lies in shared memory at the present moment, if its operand goes there.
std::string shared_place(const AppState& state, Operand o, Coord at) {
  const KernelPlan& plan = state.derived.plan;
  const SharedTile& tile = o == Operand::a ? plan.shared_a() : plan.shared_b();
  if (o == Operand::c || !tile.present || plan.stages() == 0) return {};
  const int k = o == Operand::a ? at.col : at.row;
  const int outer = o == Operand::a ? at.row : at.col;
  const Coord cta = state.selection.cta;
  const Coord origin = block_origin(plan, cta);
  const int first = o == Operand::a ? origin.row : origin.col;
  const int in_tile = outer - first;
  if (in_tile < 0 || in_tile >= tile.outer) return {};
  const int slice = k / plan.block_k, stage = stage_of_slice(plan, cta, slice);
  const int offset = shared_offset(tile, in_tile, k % plan.block_k);
  return wording("shared: stage {} + {} B, bank {}", stage, model::grouped(offset),
                 offset / kBankBytes % kBanks);
}

/// 16 bytes of a stage in the picture of shared memory: address, banks, element, who reads them.
std::string chunk_place(const viz::Pick& pick) {
  const int bank = pick.value / kBankBytes % kBanks;
  std::string text =
      wording("shared: stage + {} B, banks {}–{}", model::grouped(pick.value), bank, bank + 3);
  text += pick.row >= 0 ? wording("\nbegins with [{}, k {}] of the block tile", pick.row, pick.col)
                        : tr("\npadding");
  return text + (pick.lane >= 0 ? wording("\nread by lane {}", pick.lane)
                                : tr("\nread by no lane in this phase"));
}

}  // namespace

void pick_tooltip(AppContext& context, const viz::Pick& pick) {
  if (context.rendering || !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) return;
  const AppState& state = *context.state;
  std::string text;
  const auto line = [&](const std::string& more) {
    if (more.empty()) return;
    if (!text.empty()) text += '\n';
    text += more;
  };
  if (pick.matrix >= 0 && pick.row >= 0 && pick.col >= 0) {
    const auto o = static_cast<Operand>(pick.matrix);
    const Problem& p = state.edit.problem;
    const Coord at{pick.row, pick.col};
    const bool inside = at.row < operand_rows(p, o) && at.col < operand_cols(p, o);
    line(fmt::format("{}[{}, {}]", model::name_of(o), at.row, at.col));
    if (inside) {
      const long long offset = global_offset(p, o, at);
      line(wording("global: {} + {} B, sector {}, byte {}", model::name_of(o),
                   model::grouped(offset), model::grouped(offset / 32), offset % 32));
      const KernelPlan& plan = state.derived.plan;
      if (packs(plan.spec, o)) {
        line(wording("read from its packed copy: + {} B",
                     model::grouped(global_offset(problem_read(plan, p), o, at))));
      }
    } else {
      line(tr("outside the matrix: filled with zeros"));
    }
    line(shared_place(state, o, at));
  } else if (pick.kind == viz::Pick::Kind::chunk && pick.value >= 0) {
    line(chunk_place(pick));
  } else if (pick.kind == viz::Pick::Kind::cta) {
    const WorkOrder& work = state.derived.plan.work;
    const TileParts parts = tile_parts(work, {pick.cta_row, pick.cta_col});
    const auto number = [](int cta) { return model::grouped(cta); };
    if (parts.count > 1 || stays(work)) {
      line(wording("tile {}, {}", pick.cta_row, pick.cta_col));
      const std::string first = number(parts.first), last = number(parts.cta(parts.count - 1));
      line(parts.count == 1 ? wording("CTA {}", first)
           : parts.step > 1 ? wording("{} CTAs share its k: {} to {}, every {}", parts.count, first,
                                      last, number(parts.step))
                            : wording("{} CTAs share its k: {} to {}", parts.count, first, last));
    } else {
      line(wording("CTA {}, {}", pick.cta_row, pick.cta_col));
      line(wording("launch index {}", number(parts.first)));
    }
  } else if (pick.kind == viz::Pick::Kind::mma) {
    line(wording("mma {}, {} of warp {}", pick.mma_m, pick.mma_n, pick.warp));
  } else if (pick.kind == viz::Pick::Kind::warp) {
    line(wording("warp {}", pick.warp));
  } else if (pick.kind == viz::Pick::Kind::k_slice || pick.kind == viz::Pick::Kind::stage) {
    if (pick.stage >= 0) line(wording("stage {}", pick.stage));
    if (pick.k_slice >= 0)
      line(wording("k slice {}: click to go there", model::grouped(pick.k_slice)));
  }
  if (pick.lane >= 0 && pick.kind != viz::Pick::Kind::chunk) {
    std::string lane = wording("lane {}", pick.lane);
    if (pick.value >= 0 && pick.matrix >= 0) {
      const char names[] = {'a', 'b', 'c'};
      if (pick.reg >= 0) lane += wording(", register {}{}", names[pick.matrix], pick.reg);
      lane += wording(", value V{}", pick.value);
    }
    line(lane);
  }
  line(traffic_words(state, pick));
  line(origin_words(*context.state, pick));
  if (text.empty()) return;
  place_picture_tooltip(context);
  ImGui::SetTooltip("%s", text.c_str());
}

void atom_tooltip(AppContext& context, const viz::FragmentState& f, const viz::Pick& pick,
                  const std::string& more) {
  if (context.rendering || !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) return;
  std::string text;
  if (pick.row >= 0 && pick.col >= 0 && pick.matrix >= 0) {
    text = f.is_move()
               ? wording("matrix {}, row {}, column {}", pick.row / kMatrixRows,
                         pick.row % kMatrixRows, pick.col)
               : fmt::format("{}[{}, {}]", model::name_of(static_cast<Operand>(pick.matrix)),
                             pick.row, pick.col);
  }
  if (pick.kind == viz::Pick::Kind::chunk && pick.value >= 0) {
    text = chunk_place(pick);
  } else if (pick.lane >= 0) {
    if (!text.empty()) text += '\n';
    const bool warps = !f.is_move() && f.plan.warps_per_atom() > 1;
    if (warps) text += wording("warp {}, ", std::max(0, pick.warp));
    text += wording("lane {}", pick.lane);
    if (pick.value >= 0 && pick.matrix >= 0) {
      const char names[] = {'a', 'b', 'c'};
      text += f.is_move()
                  ? wording(", register {}, {} half", pick.reg, pick.value % 2 ? "high" : "low")
                  : wording(", register {}{}, value V{}", names[pick.matrix], pick.reg, pick.value);
    }
  }
  if (!more.empty()) text += (text.empty() ? "" : "\n") + more;
  if (text.empty()) return;
  place_picture_tooltip(context);
  ImGui::SetTooltip("%s", text.c_str());
}

}  // namespace tilescope::widgets

#include "app/state/origins.h"

#include <fmt/format.h>

#include "app/state/playback.h"
#include "app/state/present_launch.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/layout/ring_stage.h"
#include "core/model/names.h"
#include "worker/messages/messages_origin.h"

namespace tilescope {
namespace {

using worker::OriginQuestion;
using worker::OriginResult;

/// The record of the mma that the Fragment panel shows; nullptr if it is not in the trace's window.
const worker::RawAccess* shown_mma(const AppState& state) {
  if (!state.results.trace) return nullptr;
  const worker::TraceResult& trace = *state.results.trace;
  const Moment moment = moment_of(state);
  const int slice = moment.k_slice, k = std::max(0, moment.k_step_in_slice);
  const Selection& s = state.selection;
  for (const worker::TraceEvent& e : trace.events) {
    if (e.kind != worker::TraceEvent::Kind::mma || e.warp != s.warp || e.k_step != slice) continue;
    for (uint32_t i = 0; i < e.count && e.first_raw >= 0; ++i) {
      const worker::RawAccess& raw = trace.raw[static_cast<size_t>(e.first_raw) + i];
      if (raw.mma_m == s.mma_m && raw.mma_n == s.mma_n && raw.mma_k == k) return &raw;
    }
  }
  return nullptr;
}

void set_cta(OriginQuestion& q, const KernelPlan& plan, Coord tile) {
  q.cta = block_index(launch_of(plan), first_worker(plan.work, tile).cta);
}

std::optional<OriginQuestion> register_question(const AppState& state, const viz::Pick& pick) {
  const worker::RawAccess* raw = shown_mma(state);
  if (!raw) return std::nullopt;
  const MmaAtom& atom = state.derived.plan.atom;
  const FragmentLayout& layout = pick.matrix == 0 ? atom.a : pick.matrix == 1 ? atom.b : atom.c;
  OriginQuestion q;
  q.what = "register";
  q.cta = state.results.trace->cta;
  q.warp = state.selection.warp;
  q.step = raw->step, q.ptx_line = raw->ptx_line;
  q.operand = (pick.matrix + 1) % 3;  // D, A, B
  q.index = pick.value / layout.values_per_register;
  q.half = layout.values_per_register == 2 ? pick.value % 2 : -1;
  q.lane = pick.lane;
  return q;
}

std::optional<OriginQuestion> shared_question(const AppState& state, const viz::Pick& pick) {
  const KernelPlan& plan = state.derived.plan;
  const auto o = static_cast<Operand>(pick.matrix);
  const SharedTile& tile = o == Operand::a ? plan.shared_a() : plan.shared_b();
  const Moment moment = moment_of(state);
  if (!tile.present || plan.stages() == 0 || !moment.raw || moment.raw->step == 0) return {};
  const int k = o == Operand::a ? pick.col : pick.row;
  const int outer = o == Operand::a ? pick.row : pick.col;
  const Coord origin = block_origin(plan, state.selection.cta);
  const int in_tile = outer - (o == Operand::a ? origin.row : origin.col);
  if (in_tile < 0 || in_tile >= tile.outer) return {};
  OriginQuestion q;
  q.what = "shared";
  q.cta = state.results.trace->cta;
  q.warp = state.selection.warp;
  q.step = moment.raw->step;
  const int stage = stage_of_slice(plan, state.selection.cta, k / plan.block_k);
  q.offset = static_cast<uint64_t>(stage) * static_cast<uint64_t>(plan.stage_bytes()) +
             static_cast<uint64_t>(shared_offset(tile, in_tile, k % plan.block_k));
  q.bytes = tile.bytes_per_element;
  return q;
}

/// What the picture says and the registers do not, in one sentence; else empty.
std::string contradiction(const OriginResult& r, const viz::Pick& pick) {
  if (!r.wrong.empty()) return retold(r.wrong);
  if (r.kind != "element" || r.boxes.size() != 1 || pick.matrix > 1) return {};
  const worker::TouchedBox& box = r.boxes.front();
  if (box.matrix == pick.matrix && box.row == pick.row && box.col == pick.col) return {};
  return wording("The layout has {}[{}, {}] here.",
                 model::name_of(static_cast<Operand>(pick.matrix)), pick.row, pick.col);
}

/// "cp.async", "ld.global", but "ldmatrix", "fma".
std::string short_opcode(const std::string& opcode) {
  size_t end = opcode.find('.');
  const std::string_view first = std::string_view(opcode).substr(0, end);
  if (first == "ld" || first == "st" || first == "cp") end = opcode.find('.', end + 1);
  return opcode.substr(0, end);
}

std::string ways_text(const OriginResult& r) {
  std::string text;
  for (const OriginResult::Way& way : r.ways) {
    text += way.of.empty() ? tr("\nthen: ") : fmt::format("\n{}: ", way.of);
    for (size_t i = 0; i < way.steps.size(); ++i) {
      const OriginResult::Step& s = way.steps[i];
      text += fmt::format("{}{}", i ? " → " : "", short_opcode(s.opcode));
      text += s.line > 0 ? wording(" (line {})", s.line) : wording(" (PTX {})", s.ptx_line);
    }
  }
  return text;
}

/// Of a kernel without a plan: an element of C at the end of the CTA that is pointed at.
std::optional<OriginQuestion> own_question(const AppState& state, const viz::Pick& pick) {
  const worker::LaunchRequest& launch = *state.own_launch;
  const bool is_gemm = launch.sheet && launch.sheet->gemm;
  if (!is_gemm || pick.matrix != static_cast<int>(Operand::c)) return std::nullopt;
  if (pick.row < 0 || pick.col < 0 || pick.row >= launch.sheet->gemm->m ||
      pick.col >= launch.sheet->gemm->n) {
    return std::nullopt;
  }
  OriginQuestion q;
  q.what = "element";
  q.element = {pick.row, pick.col};
  q.cta = chosen_block(state);
  if (pick.cta_row >= 0 && pick.cta_col >= 0) q.cta = {pick.cta_col, pick.cta_row, pick.cta_z};
  return q;
}

/// `pick`: what the picture says of the value; null: nothing.
std::string answer_words(AppState& state, const OriginQuestion& question, const viz::Pick* pick) {
  Origins& o = state.origins;
  o.wanted = question;
  if (o.serial != state.edit_serial || o.asked != question || (!o.answer && o.error.empty())) {
    return tr("following it through the PTX …");
  }
  if (!o.answer) return retold(o.error);
  const OriginResult& r = *o.answer;
  std::string text = r.kind == "element" ? wording("{} holds {}", retold(r.of), retold(r.text))
                                         : fmt::format("{} = {}", retold(r.of), retold(r.text));
  const std::string wrong = pick ? contradiction(r, *pick) : retold(r.wrong);
  if (!wrong.empty()) text += "\n✗ " + wrong;
  return text + ways_text(r);
}

}  // namespace

std::optional<OriginQuestion> question_of(const AppState& state, const viz::Pick& pick) {
  if (state.own_launch) return own_question(state, pick);
  if (!state.results.trace || !state.derived.legal() || pick.matrix < 0) return std::nullopt;
  const KernelPlan& plan = state.derived.plan;
  if (pick.lane >= 0 && pick.value >= 0 && hierarchy_of(plan).lanes_share_atoms()) {
    return register_question(state, pick);
  }
  const auto o = static_cast<Operand>(pick.matrix);
  const Problem& p = state.edit.problem;
  if (pick.row < 0 || pick.col < 0 || pick.row >= operand_rows(p, o) ||
      pick.col >= operand_cols(p, o)) {
    return std::nullopt;
  }
  if (o != Operand::c) return shared_question(state, pick);
  OriginQuestion q;
  q.what = "element";
  q.element = {pick.row, pick.col};
  set_cta(q, plan, block_of(plan, {pick.row, pick.col}));
  return q;
}

std::optional<OriginQuestion> question_of_line(const AppState& state, int ptx_line) {
  const auto& trace = state.results.trace;
  if (!state.own_launch || !trace) return std::nullopt;
  const Moment moment = moment_of(state);
  const uint64_t now = moment.raw ? moment.raw->step : 0;
  std::optional<OriginQuestion> last;
  for (const worker::TraceEvent& e : trace->events) {
    const bool writes = e.kind == worker::TraceEvent::Kind::load ||
                        e.kind == worker::TraceEvent::Kind::mma ||
                        e.kind == worker::TraceEvent::Kind::fma;
    if (e.warp != state.selection.warp || !writes || e.first_raw < 0) continue;
    const uint32_t records = e.kind == worker::TraceEvent::Kind::fma ? 1 : e.count;
    for (uint32_t i = 0; i < records; ++i) {
      const worker::RawAccess& raw = trace->raw.at(static_cast<size_t>(e.first_raw) + i);
      if (raw.ptx_line != ptx_line || (last && raw.step > now)) continue;
      OriginQuestion q;
      q.what = "register";
      q.cta = trace->cta;
      q.warp = e.warp, q.lane = state.selection.lane;
      q.step = raw.step, q.ptx_line = ptx_line;
      last = q;
    }
  }
  return last;
}

std::string origin_words(AppState& state, const viz::Pick& pick) {
  const auto question = question_of(state, pick);
  if (!question) return {};
  return answer_words(state, *question, state.own_launch ? nullptr : &pick);
}

std::string origin_words(AppState& state, const OriginQuestion& question) {
  return answer_words(state, question, nullptr);
}

}  // namespace tilescope

#include "app/features/fragment/executed_mma.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "app/state/playback.h"
#include "app/state/present.h"
#include "app/state/stepped.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

/// The opcode that stands on a line of a PTX, counted from 1, behind its guard.
std::string opcode_at(std::string_view ptx, int line) {
  size_t at = 0;
  for (int i = 1; i < line && at != std::string_view::npos; ++i) {
    at = ptx.find('\n', at);
    if (at != std::string_view::npos) ++at;
  }
  if (line < 1 || at == std::string_view::npos || at >= ptx.size()) return {};
  std::string_view text = ptx.substr(at, ptx.find('\n', at) - at);
  const auto skip = [&] {
    const size_t first = text.find_first_not_of(" \t{");
    text.remove_prefix(std::min(first, text.size()));
  };
  skip();
  if (text.starts_with('@')) {
    text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));
    skip();
  }
  return std::string(text.substr(0, text.find_first_of(" \t;")));
}

bool is_mma(std::string_view opcode) {
  return opcode.starts_with("mma.") || opcode.starts_with("wgmma.mma") ||
         opcode.starts_with("wmma.mma");
}

/// To saturate changes sums, and no lane.
const model::Instruction* instruction_of(std::string opcode) {
  if (const model::Instruction* found = model::find_instruction(opcode)) return found;
  constexpr std::string_view kSaturates = ".satfinite";
  const size_t at = opcode.find(kSaturates);
  if (at != std::string::npos) opcode.erase(at, kSaturates.size());
  return model::find_instruction(opcode);
}

struct Seen {
  const worker::TraceEvent* event = nullptr;
  const worker::RawAccess* raw = nullptr;
};
/// Of a warp: the last mma with a step below `end`; else its first.
Seen last_mma(const worker::TraceResult& trace, int warp, uint64_t end, bool* comes_later) {
  Seen last, first;
  for (const worker::TraceEvent& e : trace.events) {
    if (e.kind != worker::TraceEvent::Kind::mma || e.warp != warp || e.first_raw < 0) continue;
    for (uint32_t i = 0; i < e.count; ++i) {
      const size_t at = static_cast<size_t>(e.first_raw) + i;
      if (at >= trace.raw.size()) break;
      const worker::RawAccess& raw = trace.raw[at];
      if (!first.raw || raw.step < first.raw->step) first = {&e, &raw};
      if (raw.step < end && (!last.raw || raw.step >= last.raw->step)) last = {&e, &raw};
    }
  }
  *comes_later = !last.raw;
  return last.raw ? last : first;
}

}  // namespace

std::optional<ExecutedMma> executed_mma(const AppState& state) {
  const Results& r = present_results(state);
  if (!state.edit.own() || !r.compile) return std::nullopt;
  const std::string& ptx = r.compile->ptx;
  ExecutedMma mma;
  uint64_t end = 0;  // steps of the warp before this one count
  if (const Stepped* at = stepped(state); at && !at->ended) {
    mma.opcode = opcode_at(ptx, at->ptx_line);
    mma.cta = at->cta, mma.warp = at->warp, mma.step = at->step, mma.ptx_line = at->ptx_line;
    mma.line = at->line;
    mma.is_next = true;
    if (is_mma(mma.opcode)) {
      mma.instruction = instruction_of(mma.opcode);
      return mma;
    }
    if (!state.results.trace || !(state.results.trace->cta == at->cta)) return std::nullopt;
    mma.is_next = false;
    end = at->step;
  } else {
    if (!state.results.trace) return std::nullopt;
    const Moment moment = moment_of(state);
    mma.warp = state.selection.warp;
    end = moment.raw ? moment.raw->step + 1 : 0;
  }
  const worker::TraceResult& trace = *state.results.trace;
  const Seen seen = last_mma(trace, mma.warp, end, &mma.comes_later);
  if (!seen.raw) return std::nullopt;
  mma.ptx_line = seen.raw->ptx_line, mma.line = seen.event->line;
  mma.opcode = opcode_at(ptx, mma.ptx_line);
  mma.instruction = instruction_of(mma.opcode);
  mma.cta = trace.cta, mma.step = seen.raw->step, mma.lanes = seen.event->lanes;
  return mma;
}

std::string executed_words(const ExecutedMma& m) {
  const std::string place =
      (m.line > 0 ? wording("line {}, ", m.line) : std::string()) +
      wording("PTX {} · CTA {},{} warp {} · step {}", m.ptx_line, m.cta.x, m.cta.y, m.warp,
              model::grouped(static_cast<long long>(m.step)));
  std::string text = m.is_next       ? wording("runs next: {}", place)
                     : m.comes_later ? wording("not run yet: {}", place)
                                     : wording("executed: {}", place);
  if (m.lanes != ~0u) text += wording(" · {} lanes", std::popcount(m.lanes));
  return text;
}

std::string why_no_executed_mma(const AppState& state) {
  if (!state.own_launch) {
    return "Of a kernel of your own the instruction that a warp executed is shown: confirm its "
           "launch sheet, Run this launch. Any instruction of the list can be chosen above.";
  }
  if (!state.results.trace) {
    return state.results.error.empty() ? "The kernel is being run." : state.results.error;
  }
  const bool some = std::ranges::any_of(state.results.trace->events, [](const auto& e) {
    return e.kind == worker::TraceEvent::Kind::mma;
  });
  return some
             ? "This warp has executed no mma so far: choose another in Timeline or Warps."
             : "This launch executes no mma: its sums are made by fma, one in each lane. Registers "
               "shows them while it is stepped.";
}

std::optional<worker::OriginQuestion> origin_of_executed(const ExecutedMma& mma,
                                                         const viz::Pick& pick) {
  if (!mma.instruction || mma.is_next || mma.comes_later || mma.step == 0) return std::nullopt;
  if (mma.instruction->kind != model::Instruction::Kind::mma || pick.matrix < 0 ||
      pick.matrix > 2 || pick.lane < 0 || pick.value < 0) {
    return std::nullopt;
  }
  const MmaAtom& atom = mma.instruction->mma;
  const FragmentLayout& layout = pick.matrix == 0 ? atom.a : pick.matrix == 1 ? atom.b : atom.c;
  if (layout.values_per_register <= 0 || layout.values_per_register > 2) return std::nullopt;
  worker::OriginQuestion q;
  q.what = "register";
  q.cta = mma.cta, q.warp = mma.warp, q.step = mma.step, q.ptx_line = mma.ptx_line;
  q.operand = (pick.matrix + 1) % 3;  // D, A, B
  q.index = pick.value / layout.values_per_register;
  q.half = layout.values_per_register == 2 ? pick.value % 2 : -1;
  q.lane = pick.lane;
  return q;
}

}  // namespace tilescope

// What warps do, and what may be run until.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/features/step/step_words.h"
#include "app/state/code_link.h"
#include "app/state/present_launch.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using emulator::StepSplit;

/// Warps that a barrier still waits for: those with lanes that have not come to it.
std::string awaited_words(const emulator::StepState& state, uint32_t barrier) {
  const auto found = std::ranges::find(state.barriers, barrier, &emulator::StepBarrier::id);
  if (found == state.barriers.end()) return {};
  std::string names;
  int count = 0;
  constexpr int kNamed = 4;
  for (size_t w = 0; w < state.warps.size(); ++w) {
    const uint32_t arrived = w < found->arrived.size() ? found->arrived[w] : 0;
    if ((state.warps[w].alive & ~arrived) == 0) continue;
    if (++count <= kNamed) names += (names.empty() ? "" : ", ") + std::to_string(w);
  }
  // Of a part of the CTA nobody says which warps are to come.
  if (found->expected > 0) return wording("until {} threads have come", found->expected);
  if (count == 0) return {};
  if (count > kNamed) return wording("for {} warps", count);
  return wording("for warp{} {}", count == 1 ? "" : "s", names);
}

std::string where_words(const StepSplit& split, int iteration) {
  std::string text = split.source.line > 0 ? wording("line {}", split.source.line)
                     : split.ptx_line > 0  ? wording("PTX {}", split.ptx_line)
                                           : "";
  if (iteration >= 0) text += fmt::format("{}k {}", text.empty() ? "" : " · ", iteration);
  return text;
}

WarpWords split_words(const emulator::StepState& state, const emulator::StepWarp& warp,
                      const StepSplit& split) {
  WarpWords words;
  words.lanes = split.lanes;
  words.where = where_words(split, warp.iteration);
  switch (split.status) {
    case StepSplit::Status::next:
      words.kind = WarpWords::Kind::next;
      words.doing = tr("runs next");
      break;
    case StepSplit::Status::ready:
      words.kind = WarpWords::Kind::ready;
      words.doing = tr("ready");
      break;
    case StepSplit::Status::at_barrier:
      words.kind = WarpWords::Kind::waits;
      if (const std::string who = awaited_words(state, split.barrier); !who.empty()) {
        words.doing = wording("at barrier {}, {}", split.barrier, who);
      } else {
        words.doing = wording("at barrier {}", split.barrier);
      }
      break;
    case StepSplit::Status::waits_for_lanes:
      words.kind = WarpWords::Kind::waits;
      words.doing = tr("for its other lanes");
      break;
    case StepSplit::Status::waits_for_memory:
      words.kind = WarpWords::Kind::waits;
      words.doing = tr("for another CTA to write");
      break;
    case StepSplit::Status::waits_for_warpgroup:
      words.kind = WarpWords::Kind::waits;
      words.doing = tr("for its warpgroup");
      break;
    case StepSplit::Status::waits_for_cluster:
      words.kind = WarpWords::Kind::waits;
      words.doing = tr("at the cluster's barrier");
      break;
  }
  words.tip = words.doing + "\n" + lanes_words(split.lanes);
  if (!words.where.empty()) words.tip = wording("{}, before {}", words.tip, words.where);
  words.tip += wording("\n{} instructions run, {} barriers passed",
                       model::grouped(static_cast<long long>(warp.steps)), warp.epoch);
  const uint32_t groups = *std::ranges::max_element(warp.pending_groups);
  if (groups > 0) words.tip += wording(", {} groups of cp.async on their way", groups);
  return words;
}

std::string buffer_name(const worker::StepAnswer& answer, size_t i) {
  const std::string& name = answer.buffers[i].name;
  // A name with blanks or signs of the language is called by its number.
  const bool plain =
      !name.empty() && name != "s" && name.find_first_of(" +[:|*.,") == std::string::npos;
  return plain ? name : std::to_string(i);
}

}  // namespace

std::vector<WarpWords> warp_words(const emulator::StepState& state, int number) {
  const emulator::StepWarp& warp = state.warps.at(static_cast<size_t>(number));
  std::vector<WarpWords> all;
  for (const StepSplit& split : warp.splits) all.push_back(split_words(state, warp, split));
  if (all.empty()) {
    WarpWords ended{.kind = WarpWords::Kind::ended, .doing = tr("ended"), .where = {}, .tip = {}};
    ended.tip =
        wording("It ran {} instructions", model::grouped(static_cast<long long>(warp.steps)));
    all.push_back(std::move(ended));
  }
  return all;
}

std::string warps_summary(const emulator::StepState& state) {
  int next = 0, ready = 0, waits = 0, ended = 0;
  for (size_t w = 0; w < state.warps.size(); ++w) {
    switch (warp_words(state, static_cast<int>(w)).front().kind) {
      case WarpWords::Kind::next:
        ++next;
        break;
      case WarpWords::Kind::ready:
        ++ready;
        break;
      case WarpWords::Kind::waits:
        ++waits;
        break;
      case WarpWords::Kind::ended:
        ++ended;
        break;
    }
  }
  return wording("{} next · {} ready · {} waiting · {} ended", next, ready, waits, ended);
}

std::vector<UntilOffer> until_offers(const AppState& state) {
  std::vector<UntilOffer> offers;
  const worker::StepAnswer* answer = step_answer(state);
  const bool gemm = state.own_launch && state.own_launch->sheet && state.own_launch->sheet->gemm;
  Coord at{0, 0};
  if (state.derived.kernel && state.derived.legal()) {
    const KernelPlan& plan = state.derived.plan;
    const Selection& s = state.selection;
    at = block_origin(plan, s.cta);
    if (s.operand == Operand::c) {
      at = at + accumulator_coord(plan, s.warp, s.mma_m, s.mma_n, s.lane, s.value);
    }
    at.row = std::min(at.row, state.edit.problem.m - 1);
    at.col = std::min(at.col, state.edit.problem.n - 1);
  }
  if (gemm || state.derived.kernel) {
    const std::string c = fmt::format("C[{},{}]", at.row, at.col);
    offers.push_back({"written:" + c, wording("{} is written", c)});
    const std::string a = fmt::format("A[{},0]", at.row), b = fmt::format("B[0,{}]", at.col);
    offers.push_back({"read:" + a, wording("{} is read", a)});
    offers.push_back({"read:" + b, wording("{} is read", b)});
  }
  for (size_t i = 0; answer && i < answer->buffers.size() && i < 8; ++i) {
    const std::string name = buffer_name(*answer, i);
    const std::string& said = answer->buffers[i].name;
    offers.push_back({fmt::format("touched:{}+0:16", name),
                      wording("the first 16 bytes of {} are read or written",
                              said.empty() ? wording("buffer {}", name) : said)});
  }
  if (answer && !answer->state.shared.empty()) {
    offers.push_back({"written:s+0:16", tr("the first 16 bytes of shared memory are written")});
    offers.push_back({"read:s+0:16", tr("they are read")});
  }
  offers.push_back({"event:load_global", tr("the next load from global memory")});
  offers.push_back({"event:load_shared", tr("the next load from shared memory")});
  offers.push_back({"event:store_shared", tr("the next store to shared memory")});
  offers.push_back({"event:mma", tr("the next mma")});
  offers.push_back({"event:store_global", tr("the next store to global memory")});
  offers.push_back({"step:100", tr("100 instructions on")});
  offers.push_back({"k*8", tr("8 k steps on")});
  offers.push_back({"cta_end", tr("the CTA's last instruction")});
  offers.push_back({"end", tr("the end of the run")});
  return offers;
}

}  // namespace tilescope

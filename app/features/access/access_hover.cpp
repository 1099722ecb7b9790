#include "app/features/access/access_hover.h"

#include <algorithm>
#include <optional>
#include <set>

#include "app/state/hovered.h"
#include "app/state/scene_words.h"

namespace tilescope {
namespace {

/// The number in the records of a CTA that Timeline shows: −1: all records are of it; nothing: none
/// are.
std::optional<int64_t> number_in(const AccessData& data, const BlockIndex& cta) {
  const worker::AccessAnswer& a = data.answer;
  if (!a.whole_grid) return a.cta == cta ? std::optional<int64_t>(-1) : std::nullopt;
  return cta.x + int64_t{a.grid.x} * (cta.y + int64_t{a.grid.y} * cta.z);
}

}  // namespace

AccessLight hovered_light(const AppState& state, const AccessData& data) {
  AccessLight light;
  if (const CodeLink& code = state.hover_before.code; code.any()) {
    light.instructions = instructions_at(state, data, code);
  } else if (const auto steps = hovered_steps(state)) {
    const auto number = number_in(data, steps->cta);
    if (!number) return light;
    light.warp = steps->warp, light.cta = *number;
    light.step = static_cast<int64_t>(steps->first), light.last = static_cast<int64_t>(steps->last);
  }
  return light;
}

std::shared_ptr<const Touchers> touchers_of(const AppState& state, const AccessData& data,
                                            const AccessElement& e) {
  auto touchers = std::make_shared<Touchers>();
  std::optional<int64_t> shown;
  if (trace_is_of_choice(state)) shown = number_in(data, state.results.trace->cta);
  std::set<uint32_t> instructions;
  each_touch(data, e.matrix, e.row, e.col, access_filter(state, data), [&](size_t i, uint32_t) {
    const worker::AccessRecord& r = data.answer.records[i];
    instructions.insert(r.instruction);
    if (!shown || (*shown >= 0 && *shown != static_cast<int64_t>(r.cta))) return;
    touchers->steps.emplace_back(r.warp, r.step);
  });
  for (const uint32_t i : instructions) {
    const worker::AccessInstruction& in = data.answer.instructions[i];
    touchers->places.push_back({in.line, in.ptx_line});
  }
  std::ranges::sort(touchers->steps);
  return touchers;
}

}  // namespace tilescope

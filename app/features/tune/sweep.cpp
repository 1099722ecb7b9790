#include "app/features/tune/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "app/features/tune/landscape.h"
#include "app/state/device.h"
#include "app/state/known_results.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using Values = std::array<int, kTileFieldCount>;

Values values_of(const TileConfig& tile) {
  Values values{};
  for (const TileField& field : kTileFields)
    values[static_cast<size_t>(field.id)] = get(tile, field.id);
  return values;
}

std::string tiles_text(int count) {
  return wording("{} tile{}", model::grouped(count), count == 1 ? "" : "s");
}

}  // namespace

Sweep plan_sweep(const AppState& state, const std::vector<TileFieldId>& axes) {
  Sweep sweep;
  const KernelEntry* kernel = state.derived.kernel;
  if (!kernel) return sweep;
  sweep.kernel = state.edit.rung().kernel;
  sweep.base = state.edit.rung().tile;
  sweep.problem = state.edit.problem;
  sweep.device = state.device;
  sweep.axes = axes;
  std::set<Values> measured;
  for (const worker::KnownResult* r : known_of(state, sweep.kernel, sweep.problem)) {
    if (standing_of(*r) == Standing::measured) measured.insert(values_of(r->request.tile));
  }
  for (const TileConfig& tile : combinations(*kernel, sweep.base, axes)) {
    if (!kernel->validate(tile, sweep.problem, state.limits).legal()) {
      ++sweep.illegal;
    } else if (measured.contains(values_of(tile))) {
      ++sweep.known;
    } else {
      sweep.cells.push_back({tile, SweepCell::State::queued, {}});
    }
  }
  return sweep;
}

std::string sweep_blocker(const AppState& state, const Sweep& plan) {
  if (!is_card(state.device)) {
    const bool has_card = std::ranges::any_of(
        state.devices, [](const worker::DeviceInfo& d) { return is_card(d.id) && d.available; });
    return has_card ? "A sweep measures on a GPU: choose one at the right of the menu."
                    : "A sweep measures on a GPU, and this machine has none that works: what is "
                      "shown is recorded or modelled.";
  }
  if (!plan.cells.empty()) return "";
  if (plan.known == 0) return "None of these tiles can run on this device.";
  return wording("All {} that can run are measured already.", tiles_text(plan.known));
}

std::string sweep_outdated(const AppState& state, const Sweep& sweep) {
  const char* what = sweep.device != state.device               ? "the device"
                     : sweep.kernel != state.edit.rung().kernel ? "the kernel"
                     : sweep.problem != state.edit.problem      ? "the problem"
                                                                : nullptr;
  if (!what) return "";
  const SweepProgress p = progress_of(sweep);
  return wording("The sweep of {} ended when {} changed, after {} of {}; what was measured stays.",
                 sweep.kernel, what, p.done + p.failed, tiles_text(p.all));
}

SweepProgress progress_of(const Sweep& sweep) {
  SweepProgress p;
  p.all = static_cast<int>(sweep.cells.size());
  for (const SweepCell& cell : sweep.cells) {
    p.done += cell.state == SweepCell::State::done;
    p.failed += cell.state == SweepCell::State::failed;
  }
  const int ended = p.done + p.failed;
  if (ended > 0) p.seconds_left = sweep.seconds / ended * (p.all - ended);
  return p;
}

std::string progress_text(const Sweep& sweep) {
  const SweepProgress p = progress_of(sweep);
  std::string text = wording("{} of {}", p.done + p.failed, tiles_text(p.all));
  if (p.seconds_left >= 90) {
    text += wording(", {:.0f} min left", p.seconds_left / 60);
  } else if (p.seconds_left > 0) {
    text += wording(", {:.0f} s left", std::ceil(p.seconds_left));
  }
  return text;
}

std::string summary_of(const Sweep& sweep) {
  const SweepProgress p = progress_of(sweep);
  std::string text = wording("Measured {} of {}", tiles_text(p.done), sweep.kernel);
  if (sweep.known > 0) text += wording("; {} were known", model::grouped(sweep.known));
  if (p.failed > 0) text += wording("; {} failed", model::grouped(p.failed));
  text += ".";
  if (sweep.not_kept > 0) {
    text += wording(" {} will be gone when the window closes: {}",
                    sweep.not_kept == p.done ? tr("All") : model::grouped(sweep.not_kept),
                    retold(sweep.why_not_kept));
  }
  return text;
}

}  // namespace tilescope

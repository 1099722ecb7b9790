#include "app/features/tune/landscape.h"

#include <algorithm>
#include <cstdlib>

#include "app/features/tune/tune.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/known_results.h"
#include "core/model/names.h"
#include "core/model/sentences.h"

namespace tilescope {
namespace {

constexpr size_t kMostPerCell = 256;  // looked at for one that can run: of more, the nearest

std::vector<int> values_of(const KernelEntry& kernel, TileFieldId field) {
  const Slider* slider = kernel.sliders.find(field);
  if (!slider) return {};
  return {slider->values, slider->values + slider->count};
}

int place_of(const std::vector<int>& values, int value) {
  const auto at = std::find(values.begin(), values.end(), value);
  return at == values.end() ? -1 : static_cast<int>(at - values.begin());
}

std::vector<TileFieldId> fields_of(const std::string& names) {
  std::vector<TileFieldId> fields;
  for (size_t from = 0; from < names.size();) {
    const size_t comma = std::min(names.find(',', from), names.size());
    const TileFieldId field = model::tile_field_named(names.substr(from, comma - from));
    if (field != TileFieldId::none) fields.push_back(field);
    from = comma + 1;
  }
  return fields;
}

std::string names_of(const std::vector<TileFieldId>& fields) {
  std::string names;
  for (const TileFieldId field : fields)
    names += (names.empty() ? "" : ",") + std::string(model::name_of(field));
  return names;
}

bool contains(const std::vector<TileFieldId>& fields, TileFieldId field) {
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

/// Fills cells from what is known: which cell a tile belongs to is asked of the axes alone.
class Filler {
 public:
  Filler(const AppState& state, Landscape& land)
      : state_(state), land_(land), kernel_(*state.derived.kernel), varied_(all_of(land.axes)) {}

  void fill() {
    const size_t columns = land_.columns.size(), rows = std::max<size_t>(1, land_.rows.size());
    land_.cells.resize(columns * rows);
    for (size_t i = 0; i < land_.cells.size(); ++i) start(i);
    for (const worker::KnownResult* r :
         known_of(state_, state_.edit.rung().kernel, state_.edit.problem)) {
      take(*r);
    }
    take_sweep();
    for (LandscapeCell& cell : land_.cells) model(cell);
    for (size_t i = 0; i < land_.cells.size(); ++i) {
      const LandscapeCell& cell = land_.cells[i];
      if (!is_timed(cell.standing)) continue;
      const auto best = static_cast<size_t>(std::max(land_.best, 0));
      if (land_.best < 0 || *cell.tflops > *land_.cells[best].tflops)
        land_.best = static_cast<int>(i);
    }
  }

 private:
  /// The cell's tiles: which can run, and where a click goes while nothing is known.
  void start(size_t index) {
    LandscapeCell& cell = land_.cells[index];
    TileConfig base = state_.edit.rung().tile;
    const size_t columns = land_.columns.size();
    set(base, land_.axes.across, land_.columns[index % columns]);
    if (!land_.rows.empty()) set(base, land_.axes.down, land_.rows[index / columns]);
    for (const TileConfig& tile : combinations(kernel_, base, land_.axes.also, kMostPerCell)) {
      const Violation v = kernel_.validate(tile, state_.edit.problem, state_.limits);
      const bool first = cell.tiles == 0 && cell.violation.legal();
      if (v.legal() && cell.tiles++ == 0) cell.tile = tile, cell.violation = {};
      if (!v.legal() && first) cell.tile = tile, cell.violation = v;
      cell.present = cell.present || tile == state_.edit.rung().tile;
    }
  }

  LandscapeCell* cell_of(const TileConfig& tile) {
    for (int i = 0; i < kernel_.sliders.count; ++i) {
      const TileFieldId field = kernel_.sliders.slider[i].field;
      if (!contains(varied_, field) && get(tile, field) != get(state_.edit.rung().tile, field))
        return nullptr;
    }
    const int column = place_of(land_.columns, get(tile, land_.axes.across));
    const int row = land_.rows.empty() ? 0 : place_of(land_.rows, get(tile, land_.axes.down));
    if (column < 0 || row < 0) return nullptr;
    return &land_.cells[static_cast<size_t>(row) * land_.columns.size() +
                        static_cast<size_t>(column)];
  }

  void take(const worker::KnownResult& result) {
    LandscapeCell* cell = cell_of(result.request.tile);
    if (!cell || !cell->legal()) return;
    ++cell->timed;
    if (cell->tflops && *cell->tflops >= result.tflops) return;
    cell->tile = result.request.tile;
    cell->standing = standing_of(result);
    cell->tflops = result.tflops;
    cell->date = result.date;
    cell->older = result.older, cell->judged = result.judged;
    cell->checkable = !result.revision.empty() && !result.arch.empty();
  }

  void take_sweep() {
    const Sweep& sweep = state_.of<Sweeping>().sweep;
    if (sweep.kernel != state_.edit.rung().kernel || sweep.problem != state_.edit.problem ||
        sweep.device != state_.device) {
      return;
    }
    for (const SweepCell& swept : sweep.cells) {
      LandscapeCell* cell = cell_of(swept.tile);
      if (!cell) continue;
      ++cell->swept;
      if (swept.state == SweepCell::State::failed) cell->error = swept.error;
      if (!sweep.running) continue;
      cell->queued += swept.state == SweepCell::State::queued;
      cell->running += swept.state == SweepCell::State::running;
    }
  }

  void model(LandscapeCell& cell) {
    if (!cell.legal() || cell.tflops) return;
    if (cell.tile == state_.edit.rung().tile && state_.derived.legal()) {
      cell.tflops = state_.derived.prediction.tflops;  // as the headline: it may know more
    } else {
      cell.tflops = state_.models->tflops(kernel_, cell.tile, state_.edit.problem, state_.gpu);
    }
    if (cell.tflops) cell.standing = Standing::modelled;
  }

  const AppState& state_;
  Landscape& land_;
  const KernelEntry& kernel_;
  std::vector<TileFieldId> varied_;
};

Landscape fill(const AppState& state, Axes axes) {
  Landscape land;
  land.axes = std::move(axes);
  const KernelEntry* kernel = state.derived.kernel;
  if (!kernel) return land;
  land.columns = values_of(*kernel, land.axes.across);
  land.rows = values_of(*kernel, land.axes.down);
  if (land.columns.empty()) return land;
  land.present_column = place_of(land.columns, get(state.edit.rung().tile, land.axes.across));
  land.present_row =
      land.rows.empty() ? 0 : place_of(land.rows, get(state.edit.rung().tile, land.axes.down));
  Filler(state, land).fill();
  return land;
}

}  // namespace

int Landscape::count(Standing standing) const {
  return static_cast<int>(std::count_if(
      cells.begin(), cells.end(), [&](const LandscapeCell& c) { return c.standing == standing; }));
}

int Landscape::illegal() const {
  return static_cast<int>(
      std::count_if(cells.begin(), cells.end(), [](const LandscapeCell& c) { return !c.legal(); }));
}

std::vector<TileFieldId> all_of(const Axes& axes) {
  std::vector<TileFieldId> all;
  if (axes.across != TileFieldId::none) all.push_back(axes.across);
  if (axes.down != TileFieldId::none) all.push_back(axes.down);
  all.insert(all.end(), axes.also.begin(), axes.also.end());
  return all;
}

Axes landscape_axes(const AppState& state) {
  Axes axes;
  const KernelEntry* kernel = state.derived.kernel;
  if (!kernel) return axes;
  const Sliders& sliders = kernel->sliders;
  const auto offered = [&](const std::string& name) {
    const TileFieldId field = model::tile_field_named(name);
    return sliders.find(field) ? field : TileFieldId::none;
  };
  axes.across = offered(state.of<TuneView>().across);
  axes.down = offered(state.of<TuneView>().down);
  if (axes.down == axes.across) axes.down = TileFieldId::none;
  for (int i = 0; i < sliders.count; ++i) {
    const TileFieldId field = sliders.slider[i].field;
    if (field == axes.across || field == axes.down) continue;
    if (axes.across == TileFieldId::none) {
      axes.across = field;
    } else if (axes.down == TileFieldId::none) {
      axes.down = field;
    }
  }
  for (const TileFieldId field : fields_of(state.of<TuneView>().also)) {
    if (sliders.find(field) && field != axes.across && field != axes.down &&
        !contains(axes.also, field)) {
      axes.also.push_back(field);
    }
  }
  return axes;
}

void choose_across(AppState& state, TileFieldId field) {
  const Axes axes = landscape_axes(state);
  state.of<TuneView>().across = model::name_of(field);
  state.of<TuneView>().down = model::name_of(field == axes.down ? axes.across : axes.down);
}

void choose_down(AppState& state, TileFieldId field) {
  const Axes axes = landscape_axes(state);
  state.of<TuneView>().down = model::name_of(field);
  state.of<TuneView>().across = model::name_of(field == axes.across ? axes.down : axes.across);
}

void vary_also(AppState& state, TileFieldId field, bool on) {
  std::vector<TileFieldId> fields = fields_of(state.of<TuneView>().also);
  std::erase(fields, field);
  if (on) fields.push_back(field);
  state.of<TuneView>().also = names_of(fields);
}

std::vector<TileConfig> combinations(const KernelEntry& kernel, const TileConfig& base,
                                     const std::vector<TileFieldId>& axes, size_t most) {
  struct Candidate {
    TileConfig tile;
    int notches = 0;  // from the base, over all axes
  };
  std::vector<Candidate> all = {{base, 0}};
  for (const TileFieldId field : axes) {
    const std::vector<int> values = values_of(kernel, field);
    if (values.empty()) continue;
    const int now = std::max(0, place_of(values, get(base, field)));
    std::vector<Candidate> longer;
    for (const Candidate& c : all) {
      for (size_t i = 0; i < values.size(); ++i) {
        Candidate next = c;
        set(next.tile, field, values[i]);
        next.notches += std::abs(static_cast<int>(i) - now);
        longer.push_back(next);
      }
    }
    all = std::move(longer);
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.notches < b.notches; });
    if (all.size() > most) all.resize(most);
  }
  std::vector<TileConfig> tiles;
  for (const Candidate& c : all) tiles.push_back(c.tile);
  return tiles;
}

Landscape landscape(const AppState& state) { return fill(state, landscape_axes(state)); }

Landscape cut_along(const AppState& state, TileFieldId field) {
  return fill(state, {field, TileFieldId::none, {}});
}

std::string why_illegal(const AppState& state, const LandscapeCell& cell) {
  if (cell.legal()) return "";
  const KernelEntry& kernel = *state.derived.kernel;
  const Problem& problem = state.edit.problem;
  // Without a plan, and of extents out of range, the sentence takes its numbers from the tile.
  const bool own = cell.violation.rule != Rule::extent_range && has_plan(kernel, cell.tile);
  const KernelPlan plan =
      own ? kernel.plan(cell.tile, problem, state.limits.sm_count) : state.derived.plan;
  return model::sentence(cell.violation, cell.tile, problem, plan, state.limits);
}

}  // namespace tilescope

// The landscape and its cut in the words of viz, and in words.
#include <fmt/format.h>

#include <algorithm>

#include "app/features/tune/sweep.h"
#include "app/features/tune/tune_pictures.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/known_results.h"
#include "app/state/rule_kind.h"
#include "app/state/scene_words.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

using KeyKind = viz::LandscapeKey::Kind;

viz::LandscapeCell scene_cell(const LandscapeCell& cell, bool best) {
  viz::LandscapeCell out;
  out.letter = rule_kind(cell.violation.rule).letter;
  out.standing = scene_standing(cell.standing);
  out.value = cell.tflops.value_or(0);
  out.older = cell.older;
  out.best = best;
  out.queued = cell.queued > 0;
  out.failed = !cell.error.empty();
  if (cell.running > 0) {
    const int done = cell.swept - cell.queued - cell.running;
    out.progress = cell.swept == 1 ? tr("now") : wording("{} of {}", done, cell.swept);
  }
  return out;
}

/// "128×128×64, 64×64, 3 stages: 472.1".
std::string named(const AppState& state, const TileConfig& tile, Standing standing, double value) {
  Edit edit = state.edit;
  edit.change_rung().tile = tile;
  return tile_label(edit) + ": " + viz::standing_figure(scene_standing(standing), value);
}

std::string counts_of(const Landscape& land) {
  std::string text = wording("{} cells", land.cells.size());
  const auto add = [&](int count, const char* what) {
    if (count > 0) text += wording(", {} {}", count, what);
  };
  add(land.count(Standing::measured), "measured");
  add(land.count(Standing::recorded), "recorded");
  add(land.count(Standing::modelled), "modelled");
  add(land.illegal(), "illegal");
  return text;
}

/// What is known of the kernel that a recording was made with.
std::string revision_words(const AppState& state, const LandscapeCell& cell) {
  if (cell.older) return tr(" with an older kernel");
  if (cell.judged || cell.standing != Standing::recorded) return "";
  if (!cell.checkable) return tr("\nThe recording does not say which text of the kernel it is of.");
  const bool another =
      std::ranges::any_of(known_of(state, state.edit.rung().kernel, state.edit.problem),
                          [&](const worker::KnownResult* r) {
                            return !r->measured && r->older && r->date >= cell.date;
                          });
  return another ? tr("\nNot checked: whether the kernel has changed since. Going there does; for "
                      "another tile of that day or later it has.")
                 : tr("\nNot checked: whether the kernel has changed since. Going there does.");
}

std::vector<viz::LandscapeKey> keys_of(const AppState& state, const Landscape& land) {
  std::vector<viz::LandscapeKey> keys;
  for (const LandscapeCell& cell : land.cells) {
    if (!cell.present) continue;
    const bool shown = cell.tflops && cell.tile == state.edit.rung().tile;
    keys.push_back({KeyKind::present, "",
                    shown ? named(state, cell.tile, cell.standing, *cell.tflops)
                          : wording("present: {}", tile_label(state.edit))});
  }
  if (land.best >= 0) {
    const LandscapeCell& best = land.cells[static_cast<size_t>(land.best)];
    keys.push_back({KeyKind::best, "", named(state, best.tile, best.standing, *best.tflops)});
  }
  const auto any = [&](auto&& test) { return std::ranges::any_of(land.cells, test); };
  if (any([](const LandscapeCell& c) { return c.older; }))
    keys.push_back({KeyKind::older, "", "recorded with an older kernel"});
  if (any([](const LandscapeCell& c) { return c.queued > 0; }))
    keys.push_back({KeyKind::queued, "", "queued: the sweep comes to it"});
  if (any([](const LandscapeCell& c) { return !c.error.empty(); }))
    keys.push_back({KeyKind::failed, "", "failed: the tooltip says why"});
  for (const LandscapeCell& cell : land.cells) {
    if (cell.legal()) continue;
    viz::LandscapeKey key{KeyKind::letter, rule_kind(cell.violation.rule).letter,
                          rule_kind(cell.violation.rule).what};
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

viz::CurveState curve_picture(const AppState&, const Landscape& line) {
  viz::CurveState curve;
  const TileFieldId field = line.axes.across;
  curve.title = wording("{}, all else as now", model::label_of(field));
  for (size_t i = 0; i < line.cells.size(); ++i) {
    const LandscapeCell& cell = line.cells[i];
    viz::CurvePoint point;
    point.label = model::value_name(field, line.columns[i]);
    point.standing = scene_standing(cell.standing);
    point.value = cell.tflops.value_or(0);
    point.letter = rule_kind(cell.violation.rule).letter;
    point.present = cell.present;
    point.best = line.best == static_cast<int>(i);
    point.queued = cell.queued > 0;
    curve.points.push_back(std::move(point));
  }
  return curve;
}

viz::LandscapeState landscape_picture(const AppState& state, const Landscape& land) {
  viz::LandscapeState picture;
  picture.across = model::label_of(land.axes.across);
  picture.down = model::label_of(land.axes.down);
  for (const int value : land.columns)
    picture.columns.push_back(model::value_name(land.axes.across, value));
  for (const int value : land.rows)
    picture.rows.push_back(model::value_name(land.axes.down, value));
  if (land.rows.empty()) picture.rows = {""};
  for (size_t i = 0; i < land.cells.size(); ++i)
    picture.cells.push_back(scene_cell(land.cells[i], land.best == static_cast<int>(i)));
  picture.present_column = land.present_column;
  picture.present_row = land.present_row;
  picture.keys = keys_of(state, land);
  picture.counts = counts_of(land);
  if (land.present_row < 0 || land.rows.empty()) return picture;
  Landscape row;
  row.axes = {land.axes.across, TileFieldId::none, land.axes.also};
  row.columns = land.columns;
  const auto first = static_cast<std::ptrdiff_t>(land.present_row) *
                     static_cast<std::ptrdiff_t>(land.columns.size());
  row.cells.assign(land.cells.begin() + first,
                   land.cells.begin() + first + static_cast<std::ptrdiff_t>(land.columns.size()));
  picture.cut = curve_picture(state, row);
  picture.cut.title =
      wording("cut at {}",
              model::setting_text(land.axes.down, get(state.edit.rung().tile, land.axes.down)));
  return picture;
}

std::string cell_words(const AppState& state, const Landscape& land, size_t index) {
  const LandscapeCell& cell = land.cells[index];
  Edit edit = state.edit;
  edit.change_rung().tile = cell.tile;
  std::string text = tile_label(edit);
  if (!cell.legal()) return wording("{} cannot run\n{}.", text, why_illegal(state, cell));
  if (cell.tflops) {
    text +=
        fmt::format("\n{}{}", is_timed(cell.standing) ? "" : "~", model::rate_text(*cell.tflops));
    const int best = land.best;
    if (best >= 0 && is_timed(cell.standing) && best != static_cast<int>(index)) {
      const double of = *cell.tflops / *land.cells[static_cast<size_t>(best)].tflops;
      text += wording(", {:.1f} % of the best here", of * 100);
    }
  }
  switch (cell.standing) {
    case Standing::measured:
      text += wording("\nmeasured {}", cell.date);
      break;
    case Standing::recorded:
      text += wording("\nrecorded {}", cell.date);
      break;
    default:
      text += tr("\nnot measured: by the model");
  }
  text += revision_words(state, cell);
  if (cell.tiles > 1) text += wording("\nthe best of {} tiles, {} timed", cell.tiles, cell.timed);
  if (cell.queued > 0) text += tr("\nThe sweep comes to it.");
  if (!cell.error.empty())
    text += wording("\nThe sweep could not measure it: {}", retold(cell.error));
  return text + tr("\nClick to go there.");
}

std::string rest_words(const AppState& state, const Axes& axes) {
  const std::vector<TileFieldId> varied = all_of(axes);
  std::string text, best;
  const Sliders& sliders = state.derived.kernel->sliders;
  for (int i = 0; i < sliders.count; ++i) {
    const TileFieldId field = sliders.slider[i].field;
    if (std::find(varied.begin(), varied.end(), field) != varied.end()) continue;
    text +=
        (text.empty() ? "" : ", ") + model::setting_text(field, get(state.edit.rung().tile, field));
  }
  for (const TileFieldId field : axes.also)
    best += (best.empty() ? "" : ", ") + std::string(tr(model::label_of(field)));
  return best.empty() ? text : wording("{}; the best of all {}", text, best);
}

std::string landscape_text(const AppState& state, const Landscape& land) {
  std::string text = wording("{}\t{}\ttile\tTFLOPS\tstanding\tdate\tdevice\n",
                             model::name_of(land.axes.across), model::name_of(land.axes.down));
  for (size_t i = 0; i < land.cells.size(); ++i) {
    const LandscapeCell& cell = land.cells[i];
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", get(cell.tile, land.axes.across),
                        land.rows.empty() ? 0 : get(cell.tile, land.axes.down),
                        model::tile_text(cell.tile, state.derived.kernel->sliders),
                        cell.tflops ? fmt::format("{}", *cell.tflops) : "",
                        cell.legal() ? name_of(cell.standing) +
                                           std::string(cell.older ? " with an older kernel" : "")
                                     : "illegal: " + rule_kind(cell.violation.rule).what,
                        cell.date, state.gpu.name);
  }
  return text;
}

}  // namespace tilescope

#include "app/features/tune/error_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/features/tune/tune_pictures.h"
#include "app/state/present.h"
#include "app/state/rule_kind.h"
#include "app/state/verifying.h"
#include "core/language/language.h"
#include "core/model/names.h"
#include "core/model/sum_error.h"

namespace tilescope {
namespace {

constexpr double kParts = 1e6;  // per million

std::string ppm(double error) {
  return error * kParts < 10 ? fmt::format("{:.2g}", error * kParts)
                             : fmt::format("{:.0f}", error * kParts);
}

double usual_error(const AppState& state, const LandscapeCell& cell) {
  const Problem& problem = state.edit.problem;
  return model::cut_off_error(state.derived.kernel->plan(cell.tile, problem), problem);
}

/// What the present tile's C was found to be off by; a run in IEEE f32 says nothing of it.
std::optional<double> found_error(const AppState& state) {
  const Results& r = present_results(state);
  const bool as_card = r.measured || (r.emulated && !r.emulated->arithmetic.empty() &&
                                      r.emulated->arithmetic.find("IEEE") == std::string::npos);
  const Verdict verdict = verdict_of(state);
  const bool compared =
      verdict.kind == Verdict::Kind::whole || verdict.kind == Verdict::Kind::partial;
  if (!as_card || !compared || !std::isfinite(verdict.norm)) return std::nullopt;
  return verdict.norm;
}

}  // namespace

viz::CurveState error_picture(const AppState& state, const Landscape& line) {
  viz::CurveState curve;
  if (!state.derived.kernel) return curve;
  curve.title = wording("error of C by {}", model::label_of(line.axes.across));
  curve.unit = "ppm";
  curve.from_zero = true;
  const std::optional<double> found = found_error(state);
  double low = 1e30, high = 0;
  for (size_t i = 0; i < line.cells.size(); ++i) {
    const LandscapeCell& cell = line.cells[i];
    viz::CurvePoint point;
    point.label = model::value_name(line.axes.across, line.columns[i]);
    point.present = cell.present;
    point.letter = rule_kind(cell.violation.rule).letter;
    if (!cell.legal()) {
      curve.points.push_back(std::move(point));
      continue;
    }
    const double usual = usual_error(state, cell);
    low = std::min(low, usual), high = std::max(high, usual);
    const bool is_found = cell.present && found;
    point.standing = is_found ? viz::Standing::measured : viz::Standing::modelled;
    point.value = kParts * (is_found ? *found : usual);
    curve.points.push_back(std::move(point));
  }
  if (low >= high) curve.points.clear();  // or none can run
  return curve;
}

std::string error_words(const AppState& state, const Landscape& line, size_t index) {
  const LandscapeCell& cell = line.cells[index];
  if (!cell.legal()) return cell_words(state, line, index);
  std::string text = model::setting_text(line.axes.across, line.columns[index]) +
                     wording(
                         "\n~{} ppm of C's norm: what tensor cores cut off of sums, as usual for "
                         "numbers from −1 to 1",
                         ppm(usual_error(state, cell)));
  if (const auto found = found_error(state); found && cell.present) {
    text += wording("\n{} ppm found, beside double precision", ppm(*found));
  }
  return text + tr("\nClick to go there.");
}

}  // namespace tilescope

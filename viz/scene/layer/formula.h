// Names and formulas with a transpose: fonts lack the raised T, so it is drawn small.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "viz/scene/builder.h"

namespace tilescope::viz {

/// The size of a raised T, of its text's, and how far up it stands, of that size too.
inline constexpr float kRaisedSize = 0.72f, kRaisedBy = 0.32f;

/// The text between raised Ts: one more than there are of them.
std::vector<std::string_view> formula_parts(std::string_view text);
/// "X·W^T": where nothing can be raised, as in a tooltip.
std::string plain_formula(std::string_view text);

float formula_width(const TextMeasure& measure, std::string_view text, float size, Weight weight);
/// Left-aligned; returns the width drawn. Plain and shortened where it is wider than the style's
/// limit.
float formula(SceneBuilder& b, float x, float y, std::string_view text, const TextStyle& style);

}  // namespace tilescope::viz

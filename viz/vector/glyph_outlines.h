// Text as outlines, for those who write files without a library that knows fonts.
#pragma once
#include <string_view>
#include <vector>

#include "viz/scene/scene.h"

namespace tilescope::viz {

/// One step of a filled path; a curve is a cubic one, and `close` has no point.
struct PathStep {
  enum class Kind : uint8_t { move, line, curve, close };
  Kind kind = Kind::move;
  Point first{}, second{};  // a curve's control points
  Point to{};
};

class GlyphOutlines : public TextMeasure {
 public:
  /// Its left end at `at`, on the baseline; y downwards.
  virtual std::vector<PathStep> outlines(std::string_view text, float size, Weight weight,
                                         Point at) const = 0;
};

/// What a text is drawn by, with its left end where its alignment and the outlines' width put it.
std::vector<PathStep> outlines_of(const Text& text, const GlyphOutlines& glyphs);

}  // namespace tilescope::viz

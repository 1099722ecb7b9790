// The program's fonts as outlines, read by stb_truetype, which Dear ImGui brings along.
#pragma once
#include <memory>
#include <string>

#include "viz/vector/glyph_outlines.h"

namespace tilescope::web {

class FontOutlines final : public viz::GlyphOutlines {
 public:
  /// Of the program's font files in that folder; a font that is not there has no outlines, and the
  /// width of an average one.
  explicit FontOutlines(const std::string& folder);
  ~FontOutlines() override;
  FontOutlines(const FontOutlines&) = delete;
  FontOutlines& operator=(const FontOutlines&) = delete;

  float width(std::string_view text, float size, viz::Weight weight) const override;
  std::vector<viz::PathStep> outlines(std::string_view text, float size, viz::Weight weight,
                                      viz::Point at) const override;

 private:
  struct Fonts;
  std::unique_ptr<Fonts> fonts_;
};

}  // namespace tilescope::web

#include "viz/scene/layer/formula.h"

namespace tilescope::viz {
namespace {

constexpr std::string_view kRaised = "ᵀ";

}  // namespace

std::vector<std::string_view> formula_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t at = text.find(kRaised); at != std::string_view::npos; at = text.find(kRaised)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + kRaised.size());
  }
  parts.push_back(text);
  return parts;
}

std::string plain_formula(std::string_view text) {
  std::string plain;
  for (const std::string_view part : formula_parts(text)) {
    if (part.data() != text.data()) plain += "^T";
    plain += part;
  }
  return plain;
}

float formula_width(const TextMeasure& measure, std::string_view text, float size, Weight weight) {
  float width = 0;
  const std::vector<std::string_view> parts = formula_parts(text);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) width += measure.width("T", size * kRaisedSize, weight) + 1;
    width += measure.width(parts[i], size, weight);
  }
  return width;
}

float formula(SceneBuilder& b, float x, float y, std::string_view text, const TextStyle& style) {
  const std::vector<std::string_view> parts = formula_parts(text);
  const float width = formula_width(b.measure(), text, style.size, style.weight);
  if (parts.size() == 1 || (style.max_width > 0 && width > style.max_width)) {
    return b.text(x, y, plain_formula(text), style);
  }
  float at = x;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      TextStyle raised = style;
      raised.size *= kRaisedSize, raised.max_width = 0;
      at += b.text(at, y - style.size * kRaisedBy, "T", raised) + 1;
    }
    TextStyle plain = style;
    plain.max_width = 0;
    if (!parts[i].empty()) at += b.text(at, y, parts[i], plain);
  }
  return at - x;
}

}  // namespace tilescope::viz

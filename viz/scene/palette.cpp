#include "viz/scene/palette.h"

#include <algorithm>
#include <cmath>

namespace tilescope::viz {
namespace {

// Tol's "muted" set: eight hues that colour-blind eyes tell apart.
constexpr std::array<uint32_t, 8> kHues = {0x88CCEE, 0xCC6677, 0xDDCC77, 0x117733,
                                           0xAA4499, 0x44AA99, 0x332288, 0x999933};
constexpr std::array<float, 4> kWhite = {0.0f, 0.26f, 0.45f, 0.62f};
constexpr std::array<float, 4> kPanel = {0.0f, 0.08f, 0.16f, 0.24f};
constexpr std::array<uint32_t, 8> kPastels = {0xAFAFFF, 0xAFFFAF, 0xFFFFAF, 0xFFAFAF,
                                              0xD2D2FF, 0xD2FFD2, 0xFFFFD2, 0xFFD2D2};
constexpr std::array<uint32_t, 10> kViridis = {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e,
                                               0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};

std::array<Color, 32> lane_colors(const Palette& p, LaneScheme scheme) {
  std::array<Color, 32> lanes{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (scheme == LaneScheme::pastel) {
      lanes[lane] = rgb(kPastels[lane % 8]);
      continue;
    }
    Color c = mix(rgb(kHues[lane / 4]), rgb(0xffffff), kWhite[lane % 4]);
    if (p.dark) c = mix(c, p.panel, kPanel[lane % 4]);
    lanes[lane] = c;
  }
  return lanes;
}

Palette make(const Colors& colors, bool dark) {
  Palette p;
  static_cast<Colors&>(p) = colors;
  p.dark = dark;
  p.lanes = lane_colors(p, p.scheme);
  return p;
}

float linear(uint8_t channel) {
  const float v = static_cast<float>(channel) / 255.0f;
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

}  // namespace

float luminance(Color c) {
  // A table, because ink is chosen for every cell of every frame.
  static const std::array<float, 256> kLinear = [] {
    std::array<float, 256> table{};
    for (unsigned i = 0; i < 256; ++i) table[i] = linear(static_cast<uint8_t>(i));
    return table;
  }();
  return 0.2126f * kLinear[c.r] + 0.7152f * kLinear[c.g] + 0.0722f * kLinear[c.b];
}

Color ink_on(Color ground) {
  const float l = luminance(ground) + 0.05f;
  return l / 0.05f > 1.05f / l ? rgb(0x0b0d10) : rgb(0xffffff);
}

Color viridis(float t) {
  const float at = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(kViridis.size() - 1);
  const auto i = std::min(static_cast<size_t>(at), kViridis.size() - 2);
  return mix(rgb(kViridis[i]), rgb(kViridis[i + 1]), at - static_cast<float>(i));
}

const Palette& dark_palette() {
  static const Palette palette = make(kDarkColors, true);
  return palette;
}

const Palette& contrast_palette(bool dark) {
  static const Palette with_dark = make(with_contrast(kDarkColors), true);
  static const Palette with_light = make(with_contrast(kLightColors), false);
  return dark ? with_dark : with_light;
}

const Palette& light_palette() {
  static const Palette palette = make(kLightColors, false);
  return palette;
}

Palette with_scheme(const Palette& palette, LaneScheme scheme) {
  Palette copy = palette;
  copy.scheme = scheme;
  copy.lanes = lane_colors(copy, scheme);
  return copy;
}

}  // namespace tilescope::viz

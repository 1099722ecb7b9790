// The look of the window: the colours of viz/scene/palette.h, dark or light, and mixes of them. No
// ImGui in here: the command line draws the same scenes with the same colours.
#pragma once
#include "viz/scene/palette.h"

namespace tilescope {

using viz::Color;

constexpr Color with_alpha(Color c, int alpha) {
  c.a = static_cast<uint8_t>(alpha);
  return c;
}

/// `percent` of `over` on `under`; alpha is `under`'s.
constexpr Color mix(Color under, Color over, int percent) {
  const auto channel = [percent](int u, int o) {
    return static_cast<uint8_t>((u * (100 - percent) + o * percent + 50) / 100);
  };
  return {channel(under.r, over.r), channel(under.g, over.g), channel(under.b, over.b), under.a};
}

enum class ThemeKind { kDark, kLight };

struct Theme : viz::Colors {
  ThemeKind kind = ThemeKind::kDark;
  bool contrast = false;  // more of it than others need
};

inline constexpr Theme kDarkTheme{viz::kDarkColors, ThemeKind::kDark};
inline constexpr Theme kLightTheme{viz::kLightColors, ThemeKind::kLight};
inline constexpr Theme kDarkContrastTheme{viz::with_contrast(viz::kDarkColors), ThemeKind::kDark,
                                          true};
inline constexpr Theme kLightContrastTheme{viz::with_contrast(viz::kLightColors), ThemeKind::kLight,
                                           true};

constexpr const Theme& theme_of(ThemeKind kind, bool contrast = false) {
  if (contrast) return kind == ThemeKind::kDark ? kDarkContrastTheme : kLightContrastTheme;
  return kind == ThemeKind::kDark ? kDarkTheme : kLightTheme;
}

}  // namespace tilescope

// Every named colour of the window, dark and light. No ImGui in here: the command line draws the
// same scenes with the same colours. Lanes and everything else of scenes: viz/scene/palette.h; a
// test compares what both tables hold.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tilescope {

struct Color {
  uint8_t r = 0, g = 0, b = 0, a = 255;
  constexpr bool operator==(const Color&) const = default;
};

/// 0xRRGGBB as designers write it.
constexpr Color rgb(uint32_t hex) {
  return {static_cast<uint8_t>(hex >> 16), static_cast<uint8_t>(hex >> 8 & 255),
          static_cast<uint8_t>(hex & 255)};
}

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

/// Relative luminance times 1000, as WCAG defines it but with gamma 2: good enough to choose an
/// ink.
constexpr int luminance(Color c) {
  return (2126 * c.r * c.r + 7152 * c.g * c.g + 722 * c.b * c.b) / 650250;
}

enum class ThemeKind { kDark, kLight };

struct Theme {
  ThemeKind kind;
  Color background, tab_bar;
  Color panel, frame, border;
  Color text, dim;
  Color accent, accent_ground;
  Color warning, ok;
  Color a, b, c;                     // the matrices
  Color copy, ldmatrix, mma, store;  // event kinds; waits are hatched `dim`
  Color selection;                   // a 2 px ring, never a hue

  /// Ink for text on `ground`, by contrast.
  constexpr Color ink(Color ground) const {
    return luminance(ground) >= 180 ? rgb(0x000000) : rgb(0xffffff);
  }
};

inline constexpr Theme kDarkTheme = {.kind = ThemeKind::kDark,
                                     .background = rgb(0x0d1014),
                                     .tab_bar = rgb(0x12161b),
                                     .panel = rgb(0x191e24),
                                     .frame = rgb(0x242b33),
                                     .border = rgb(0x2b323b),
                                     .text = rgb(0xdfe4ea),
                                     .dim = rgb(0x94a0ad),
                                     .accent = rgb(0x7aa2ff),
                                     .accent_ground = rgb(0x26365c),
                                     .warning = rgb(0xff7d68),
                                     .ok = rgb(0x4cc38a),
                                     .a = rgb(0x56b4e9),
                                     .b = rgb(0xe6a23c),
                                     .c = rgb(0x3dbd94),
                                     .copy = rgb(0x4a94d8),
                                     .ldmatrix = rgb(0xcc79a7),
                                     .mma = rgb(0xd8c84c),
                                     .store = rgb(0xdd6b2e),
                                     .selection = rgb(0xffffff)};

inline constexpr Theme kLightTheme = {.kind = ThemeKind::kLight,
                                      .background = rgb(0xd9dde2),
                                      .tab_bar = rgb(0xe3e7ec),
                                      .panel = rgb(0xfbfcfd),
                                      .frame = rgb(0xeaedf1),
                                      .border = rgb(0xc9cfd7),
                                      .text = rgb(0x1d232b),
                                      .dim = rgb(0x566170),
                                      .accent = rgb(0x2f5bd3),
                                      .accent_ground = rgb(0xdbe5fd),
                                      .warning = rgb(0xc0301a),
                                      .ok = rgb(0x1a7f4e),
                                      .a = rgb(0x3f9fd8),
                                      .b = rgb(0xdd9210),
                                      .c = rgb(0x12936b),
                                      .copy = rgb(0x2f7fc6),
                                      .ldmatrix = rgb(0xb85f92),
                                      .mma = rgb(0xd9c430),
                                      .store = rgb(0xcf5a17),
                                      .selection = rgb(0x000000)};

constexpr const Theme& theme_of(ThemeKind kind) {
  return kind == ThemeKind::kDark ? kDarkTheme : kLightTheme;
}

}  // namespace tilescope

// The colours of scenes, dark and light: the table of the interface's design, the lanes of a warp,
// viridis for quantities. Widgets have their own table in app/theme.h.
#pragma once
#include <array>
#include <cstdint>

namespace tilescope::viz {

struct Color {
  uint8_t r = 0, g = 0, b = 0, a = 0;  // transparent unless set
  constexpr bool operator==(const Color&) const = default;
};

/// 0xRRGGBB, opaque.
constexpr Color rgb(uint32_t hex) {
  return {static_cast<uint8_t>(hex >> 16), static_cast<uint8_t>(hex >> 8),
          static_cast<uint8_t>(hex), 255};
}
/// The same colour with its opacity multiplied by `alpha`.
constexpr Color fade(Color c, float alpha) {
  c.a = static_cast<uint8_t>(static_cast<float>(c.a) * alpha + 0.5f);
  return c;
}
/// `t` of the way from one colour to another; opaque.
constexpr Color mix(Color from, Color to, float t) {
  const auto channel = [t](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(static_cast<float>(a) +
                                (static_cast<float>(b) - static_cast<float>(a)) * t + 0.5f);
  };
  return {channel(from.r, to.r), channel(from.g, to.g), channel(from.b, to.b), 255};
}
/// WCAG relative luminance, 0 to 1.
float luminance(Color c);
/// Black or white, whichever stands out more.
Color ink_on(Color ground);
/// Perceptually even, safe for colour-blind eyes; t from 0 to 1.
Color viridis(float t);

enum class LaneScheme {
  tilescope,  // hue = lane / 4, tint = lane % 4
  pastel,     // eight pastels by lane % 8, as in CuTe's figures
};

struct Palette {
  bool dark = true;
  Color background, panel, frame, frame_strong, border, grid;
  Color text, dim, faint;
  Color accent, accent_ground, warning, warning_ground, ok;
  Color select, halo;                  // rings: never a hue
  Color a, b, c;                       // the matrices
  Color a_text, b_text, c_text;        // the same hues with the contrast that text needs
  Color copy, wait, load, mma, store;  // event kinds
  LaneScheme scheme = LaneScheme::tilescope;
  std::array<Color, 32> lanes;

  /// The colour of a thread's cells, towards the panel's ground as `strength` falls.
  Color lane(int thread, float strength = 1.0f) const {
    return mix(panel, lanes[static_cast<unsigned>(thread) & 31u], strength);
  }
};

/// The two palettes; built once.
const Palette& dark_palette();
const Palette& light_palette();
/// A copy with its lanes coloured in another way.
Palette with_scheme(const Palette& palette, LaneScheme scheme);

}  // namespace tilescope::viz

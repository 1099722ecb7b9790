// Every named colour, dark and light, of widgets and scenes alike: the table of the interface's
// design; and for scenes the lanes of a warp, and viridis for quantities.
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

struct Colors {
  Color background, tab_bar, panel, frame, frame_strong, border, grid;
  Color text, dim, faint;
  Color accent, accent_ground, warning, warning_ground, ok;
  Color select, halo;                  // rings: never a hue
  Color a, b, c;                       // the matrices
  Color a_text, b_text, c_text;        // the same hues with the contrast that text needs
  Color copy, wait, load, mma, store;  // event kinds
  constexpr bool operator==(const Colors&) const = default;
};

/// What words are written in, and what below them; each on each has a contrast of kReadable at
/// least (WCAG 2.1, AA). `faint` is for lines and marks that say nothing by themselves.
inline constexpr Color Colors::*kReads[] = {&Colors::text,    &Colors::dim,   &Colors::accent,
                                            &Colors::warning, &Colors::ok,    &Colors::a_text,
                                            &Colors::b_text,  &Colors::c_text};
inline constexpr Color Colors::*kGrounds[] = {&Colors::panel,         &Colors::tab_bar,
                                              &Colors::frame,         &Colors::frame_strong,
                                              &Colors::accent_ground, &Colors::warning_ground};
/// Two more of them: below what the pointer is on, and below a popup.
constexpr Color hovered_ground(const Colors& c) { return mix(c.frame, c.accent, 0.10f); }
constexpr Color popup_ground(const Colors& c) { return mix(c.panel, c.frame, 0.60f); }
inline constexpr float kReadable = 4.5f;

inline constexpr Colors kDarkColors = {.background = rgb(0x0d1014),
                                       .tab_bar = rgb(0x12161b),
                                       .panel = rgb(0x191e24),
                                       .frame = rgb(0x242b33),
                                       .frame_strong = rgb(0x2e3740),
                                       .border = rgb(0x2b323b),
                                       .grid = rgb(0x262d35),
                                       .text = rgb(0xdfe4ea),
                                       .dim = rgb(0x95a1ae),
                                       .faint = rgb(0x5d6874),
                                       .accent = rgb(0x7aa2ff),
                                       .accent_ground = rgb(0x26365c),
                                       .warning = rgb(0xff7d68),
                                       .warning_ground = rgb(0x3a211f),
                                       .ok = rgb(0x4cc38a),
                                       .select = rgb(0xffffff),
                                       .halo = rgb(0x0b0d10),
                                       .a = rgb(0x56b4e9),
                                       .b = rgb(0xe6a23c),
                                       .c = rgb(0x3dbd94),
                                       .a_text = rgb(0x6cc0f0),
                                       .b_text = rgb(0xebae50),
                                       .c_text = rgb(0x4cc9a2),
                                       .copy = rgb(0x4a94d8),
                                       .wait = rgb(0x6d7884),
                                       .load = rgb(0xcc79a7),
                                       .mma = rgb(0xd8c84c),
                                       .store = rgb(0xdd6b2e)};

inline constexpr Colors kLightColors = {.background = rgb(0xd9dde2),
                                        .tab_bar = rgb(0xe3e7ec),
                                        .panel = rgb(0xfbfcfd),
                                        .frame = rgb(0xeaedf1),
                                        .frame_strong = rgb(0xdde2e8),
                                        .border = rgb(0xc9cfd7),
                                        .grid = rgb(0xe4e8ed),
                                        .text = rgb(0x1d232b),
                                        .dim = rgb(0x566170),
                                        .faint = rgb(0x98a2ae),
                                        .accent = rgb(0x2e59cf),
                                        .accent_ground = rgb(0xdbe5fd),
                                        .warning = rgb(0xb82e19),
                                        .warning_ground = rgb(0xfdebe7),
                                        .ok = rgb(0x177045),
                                        .select = rgb(0x0b0d10),
                                        .halo = rgb(0xffffff),
                                        .a = rgb(0x3f9fd8),
                                        .b = rgb(0xdd9210),
                                        .c = rgb(0x12936b),
                                        .a_text = rgb(0x19669c),
                                        .b_text = rgb(0x895600),
                                        .c_text = rgb(0x0a6b4c),
                                        .copy = rgb(0x2f7fc6),
                                        .wait = rgb(0x8b95a1),
                                        .load = rgb(0xb85f92),
                                        .mma = rgb(0xd9c430),
                                        .store = rgb(0xcf5a17)};

/// For eyes that need more contrast than others: what is read or tells things apart goes towards
/// the colour of rings, which is the farthest from the ground, and the ground away from it.
constexpr Colors with_contrast(Colors c) {
  const Color most = c.select, least = c.halo;
  c.text = most;
  for (Color* read : {&c.dim, &c.faint}) *read = mix(*read, most, 0.6f);
  for (Color* hue : {&c.accent, &c.warning, &c.ok, &c.a_text, &c.b_text, &c.c_text}) {
    *hue = mix(*hue, most, 0.35f);
  }
  for (Color* line : {&c.border, &c.grid, &c.wait}) *line = mix(*line, most, 0.35f);
  for (Color* ground : {&c.background, &c.tab_bar, &c.panel}) *ground = mix(*ground, least, 0.6f);
  return c;
}

/// What a scene is painted with.
struct Palette : Colors {
  bool dark = true;
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
/// Either with with_contrast() of its colours.
const Palette& contrast_palette(bool dark);
/// A copy with its lanes coloured in another way.
Palette with_scheme(const Palette& palette, LaneScheme scheme);

}  // namespace tilescope::viz

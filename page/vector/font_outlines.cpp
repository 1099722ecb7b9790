#include "page/vector/font_outlines.h"

#include <array>
#include <functional>
#include <utility>

#include "core/files/whole_file.h"

#if defined(__GNUC__)  // somebody else's code
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"
#endif
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <imstb_truetype.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace tilescope::web {
namespace {

using viz::PathStep;
using viz::Point;
using viz::Weight;

constexpr float kAverageEms = 0.56f;  // of a character

// As viz::Weight has them.
constexpr std::array<const char*, 4> kFiles = {"Inter-Regular.otf", "Inter-SemiBold.otf",
                                               "JetBrainsMono-Regular.ttf",
                                               "JetBrainsMono-SemiBold.ttf"};

/// Of what these have no glyph: there once a language needed it.
constexpr const char* kLanguageFile = "wqy-microhei-subset.ttf";

/// The next character of UTF-8; what is none counts as one character of its byte.
int take_character(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  unsigned value = length == 1 ? first : first & (0x7fu >> length);
  if (length > text.size()) {
    text.remove_prefix(1);
    return static_cast<int>(first);
  }
  for (size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3fu);
  text.remove_prefix(length);
  return static_cast<int>(value);
}

struct Font {
  std::string bytes;
  stbtt_fontinfo info{};
  float em = 0;  // one of the font's units
  bool there = false;

  explicit Font(const std::string& path) {
    auto read = files::read_file(path);
    if (!read) return;
    bytes = std::move(*read);
    const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
    const int at = stbtt_GetFontOffsetForIndex(data, 0);
    there = at >= 0 && stbtt_InitFont(&info, data, at) != 0;
    if (there) em = stbtt_ScaleForMappingEmToPixels(&info, 1);
  }
};

/// One glyph's outline; `place` puts a point of the font onto the page.
void add_glyph(const stbtt_fontinfo& info, int glyph, std::vector<PathStep>& steps,
               const std::function<Point(float, float)>& place) {
  stbtt_vertex* vertices = nullptr;
  const int count = stbtt_GetGlyphShape(&info, glyph, &vertices);
  Point last;
  bool open = false;
  const auto close = [&] {
    if (std::exchange(open, false)) steps.push_back({.kind = PathStep::Kind::close});
  };
  for (int i = 0; i < count; ++i) {
    const stbtt_vertex& v = vertices[i];
    const Point to = place(v.x, v.y);
    if (v.type == STBTT_vmove) {
      close();
      steps.push_back({.kind = PathStep::Kind::move, .to = to});
      open = true;
    } else if (v.type == STBTT_vline) {
      steps.push_back({.kind = PathStep::Kind::line, .to = to});
    } else if (v.type == STBTT_vcubic) {
      steps.push_back({.kind = PathStep::Kind::curve,
                       .first = place(v.cx, v.cy),
                       .second = place(v.cx1, v.cy1),
                       .to = to});
    } else {  // a quadratic curve: its control point lies two thirds of the way
      const Point c = place(v.cx, v.cy);
      const auto towards = [&c](Point p) {
        return Point{p.x + (c.x - p.x) * 2 / 3, p.y + (c.y - p.y) * 2 / 3};
      };
      steps.push_back(
          {.kind = PathStep::Kind::curve, .first = towards(last), .second = towards(to), .to = to});
    }
    last = to;
  }
  close();
  stbtt_FreeShape(&info, vertices);
}

}  // namespace

struct FontOutlines::Fonts {
  std::string folder;
  std::vector<std::unique_ptr<Font>> all;
  std::unique_ptr<Font> of_languages;

  const Font& of(Weight weight) const { return *all[static_cast<size_t>(weight)]; }

  /// Calls `glyph` with each glyph, its font and its left end in ems; returns where the text ends.
  float walk(std::string_view text, const Font& font,
             const std::function<void(const Font&, int, float)>& glyph) {
    float x = 0;
    while (!text.empty()) {
      const int character = take_character(text);
      const Font* has = &font;
      int now = stbtt_FindGlyphIndex(&font.info, character);
      if (const Font* more = now != 0 ? nullptr : language_font()) {
        const int found = stbtt_FindGlyphIndex(&more->info, character);
        if (found != 0) has = more, now = found;
      }
      if (glyph) glyph(*has, now, x);
      int advance = 0;
      stbtt_GetGlyphHMetrics(&has->info, now, &advance, nullptr);
      x += static_cast<float>(advance) * has->em;  // without kerning, as cairo's plain texts
    }
    return x;
  }

 private:
  /// Null: it has not come yet.
  const Font* language_font() {
    if (!of_languages || !of_languages->there) {
      of_languages = std::make_unique<Font>(folder + "/" + kLanguageFile);
    }
    return of_languages->there ? of_languages.get() : nullptr;
  }
};

FontOutlines::FontOutlines(const std::string& folder) : fonts_(std::make_unique<Fonts>()) {
  fonts_->folder = folder;
  for (const char* file : kFiles) {
    fonts_->all.push_back(std::make_unique<Font>(folder + "/" + file));
  }
}
FontOutlines::~FontOutlines() = default;

float FontOutlines::width(std::string_view text, float size, Weight weight) const {
  const Font& font = fonts_->of(weight);
  if (!font.there) return viz::FixedMeasure(kAverageEms).width(text, size, weight);
  return fonts_->walk(text, font, {}) * size;
}

std::vector<PathStep> FontOutlines::outlines(std::string_view text, float size, Weight weight,
                                             Point at) const {
  std::vector<PathStep> steps;
  const Font& font = fonts_->of(weight);
  if (!font.there) return steps;
  fonts_->walk(text, font, [&](const Font& has, int glyph, float left) {
    const float scale = has.em * size;
    add_glyph(has.info, glyph, steps, [&](float x, float y) {
      return Point{at.x + left * size + x * scale, at.y - y * scale};
    });
  });
  return steps;
}

}  // namespace tilescope::web

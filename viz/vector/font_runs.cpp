#include "viz/vector/font_runs.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace tilescope::viz {
namespace {

// Weights as families of their own: cairo's toy faces know only normal and bold.
constexpr const char* kFamilies[] = {"Inter", "Inter Semi Bold", "JetBrains Mono",
                                     "JetBrains Mono SemiBold"};
/// Of what one lacks, in the order in which they are asked: symbols, then languages.
constexpr const char* kMoreFamilies[] = {"JetBrains Mono", "Inter", "WenQuanYi Micro Hei"};

/// A font that has this character; null: none has it. Of several of a family, the whole font beside
/// a part of it, one that lacks the character is none.
cairo_font_face_t* found_face(FcChar32 character) {
  FcPattern* wanted = FcPatternCreate();
  for (const char* family : kMoreFamilies) {
    FcPatternAddString(wanted, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  }
  FcCharSet* characters = FcCharSetCreate();
  FcCharSetAddChar(characters, character);
  FcPatternAddCharSet(wanted, FC_CHARSET, characters);
  FcCharSetDestroy(characters);
  FcPatternAddBool(wanted, FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultNoMatch;
  FcPattern* found = FcFontMatch(nullptr, wanted, &result);
  FcPatternDestroy(wanted);
  if (!found) return nullptr;
  FcCharSet* has = nullptr;
  const bool there = FcPatternGetCharSet(found, FC_CHARSET, 0, &has) == FcResultMatch &&
                     FcCharSetHasChar(has, character);
  cairo_font_face_t* face = there ? cairo_ft_font_face_create_for_pattern(found) : nullptr;
  FcPatternDestroy(found);
  return face;
}

/// The same, looked for once.
cairo_font_face_t* face_of(FcChar32 character) {
  static std::mutex one_at_a_time;
  static std::map<FcChar32, cairo_font_face_t*> known;
  const std::scoped_lock lock(one_at_a_time);
  const auto at = known.find(character);
  return at != known.end() ? at->second
                           : known.emplace(character, found_face(character)).first->second;
}

/// What of these characters the context's font has no glyph of.
std::vector<bool> lacking(cairo_t* cr, const std::vector<FcChar32>& characters) {
  std::vector<bool> lacks(characters.size(), false);
  cairo_scaled_font_t* font = cairo_get_scaled_font(cr);
  if (cairo_scaled_font_get_type(font) != CAIRO_FONT_TYPE_FT) return lacks;
  FT_Face face = cairo_ft_scaled_font_lock_face(font);
  if (!face) return lacks;
  for (size_t i = 0; i < characters.size(); ++i) {
    lacks[i] = FT_Get_Char_Index(face, characters[i]) == 0;
  }
  cairo_ft_scaled_font_unlock_face(font);
  return lacks;
}

}  // namespace

void in_font_runs(cairo_t* cr, const std::string& text, Weight weight, float size,
                  const std::function<void(const char* run)>& use) {
  const auto use_first = [&] {
    cairo_select_font_face(cr, kFamilies[static_cast<int>(weight)], CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
  };
  use_first();
  cairo_set_font_size(cr, static_cast<double>(size));
  // Most texts are: each of the families has that.
  if (std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; })) {
    return use(text.c_str());
  }
  std::vector<FcChar32> characters;
  std::vector<size_t> ends;
  for (size_t at = 0; at < text.size();) {
    FcChar32 character = 0;
    const int length = FcUtf8ToUcs4(reinterpret_cast<const FcChar8*>(text.data() + at), &character,
                                    static_cast<int>(text.size() - at));
    if (length <= 0) return use(text.c_str());  // cairo says what it is
    at += static_cast<size_t>(length);
    characters.push_back(character), ends.push_back(at);
  }
  const std::vector<bool> lacks = lacking(cr, characters);
  const auto face_at = [&](size_t i) { return lacks[i] ? face_of(characters[i]) : nullptr; };
  size_t begin = 0;
  for (size_t i = 0; i < characters.size();) {
    cairo_font_face_t* const face = face_at(i);
    while (i < characters.size() && face_at(i) == face) ++i;
    if (face) {
      cairo_set_font_face(cr, face);
    } else {
      use_first();
    }
    use(text.substr(begin, ends[i - 1] - begin).c_str());
    begin = ends[i - 1];
  }
}

}  // namespace tilescope::viz

#include "app/shell/fonts.h"

#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "app/shell/folders.h"
#include "core/files/whole_file.h"

namespace tilescope {
namespace {

struct FontFile {
  const char* name;
  const char* fallback;  // merged in for the symbols that the first one lacks (▶ ⏮ …)
};

/// Merged in behind these, in the order in which they are asked for a glyph, which is made when it
/// is first drawn: languages' own names, which a page has before it fetches the rest; our own
/// texts; and all that there is, for a kernel with comments in it or a file's name.
constexpr const char* kForLanguages[] = {"wqy-microhei-names.ttf", kLanguageFont,
                                         "wqy-microhei.ttc"};

/// A file's bytes, once for all fonts that it is part of: the last of them has 5 MB. Null: it
/// cannot be read.
std::string* font_bytes(const char* name) {
  static std::map<std::string, std::string> read;
  if (const auto known = read.find(name); known != read.end()) return &known->second;
  auto bytes = files::read_file((assets_folder() / "fonts" / name).string());
  return bytes ? &(read[name] = std::move(*bytes)) : nullptr;
}

/// As a font of its own, or merged into `to`. Null: it is not there.
ImFont* add_font(const char* name, ImFont* to) {
  constexpr size_t kLeast = 128;  // bytes: ImGui asserts what is no font
  std::string* bytes = font_bytes(name);
  if (!bytes || bytes->size() < kLeast) return nullptr;
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.MergeMode = to != nullptr;
  config.DstFont = to;
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(bytes->data(), static_cast<int>(bytes->size()),
                                                    Fonts::kText, &config);
}

ImFont* load(const FontFile& file) {
  ImFont* font = add_font(file.name, nullptr);
  if (!font) {
    std::fprintf(stderr, "tilescope: font %s is missing in %s; using ImGui's own\n", file.name,
                 (assets_folder() / "fonts").lexically_normal().c_str());
    return ImGui::GetIO().Fonts->AddFontDefault();
  }
  add_font(file.fallback, font);
  for (const char* more : kForLanguages) add_font(more, font);
  return font;
}

}  // namespace

Fonts load_fonts() {
  Fonts fonts;
  fonts.text = load({"Inter-Regular.otf", "JetBrainsMono-Regular.ttf"});
  fonts.bold = load({"Inter-SemiBold.otf", "JetBrainsMono-SemiBold.ttf"});
  fonts.mono = load({"JetBrainsMono-Regular.ttf", "Inter-Regular.otf"});
  fonts.mono_bold = load({"JetBrainsMono-SemiBold.ttf", "Inter-SemiBold.otf"});
  return fonts;
}

void add_language_font(const Fonts& fonts) {
  for (ImFont* font : {fonts.text, fonts.bold, fonts.mono, fonts.mono_bold}) {
    add_font(kLanguageFont, font);
  }
}

}  // namespace tilescope

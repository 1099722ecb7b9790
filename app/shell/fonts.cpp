#include "app/shell/fonts.h"

#include <cstdio>
#include <filesystem>
#include <string>

#include "app/shell/folders.h"

namespace tilescope {
namespace {

struct FontFile {
  const char* name;
  const char* fallback;  // merged in for the symbols that the first one lacks (▶ ⏮ …)
};

/// For languages and for kernels with comments in them; a glyph is made when it is first drawn.
constexpr const char* kChinese = "wqy-microhei.ttc";

ImFont* load(const FontFile& file) {
  ImGuiIO& io = ImGui::GetIO();
  const std::filesystem::path folder = assets_folder() / "fonts";
  const auto exists = [&](const char* name) {
    std::error_code error;
    return std::filesystem::is_regular_file(folder / name, error);
  };
  if (!exists(file.name)) {
    std::fprintf(stderr, "tilescope: font %s is missing in %s; using ImGui's own\n", file.name,
                 folder.lexically_normal().c_str());
    return io.Fonts->AddFontDefault();
  }
  ImFont* font = io.Fonts->AddFontFromFileTTF((folder / file.name).c_str(), Fonts::kText);
  for (const char* more : {file.fallback, kChinese}) {
    if (!font || !exists(more)) continue;
    ImFontConfig merge;
    merge.MergeMode = true;
    io.Fonts->AddFontFromFileTTF((folder / more).c_str(), Fonts::kText, &merge);
  }
  return font ? font : io.Fonts->AddFontDefault();
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

}  // namespace tilescope

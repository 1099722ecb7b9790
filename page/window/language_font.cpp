#include "app/shell/language_font.h"

#include <emscripten.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/shell/folders.h"
#include "app/shell/fonts.h"
#include "page/window/page_language.h"

EM_JS(void, tilescope_fetch_language_font, (), { Module['fetchLanguageFont'](); });

namespace tilescope {
namespace {

struct WaitsForFont {
  const Fonts* fonts = nullptr;  // of the window, once a language was asked for
  std::function<void()> use;     // empty: nobody waits
};
WaitsForFont& waits_for_font() {
  static WaitsForFont one;
  return one;
}

bool language_font_is_there() {
  std::error_code error;
  return std::filesystem::exists(assets_folder() / "fonts" / kLanguageFont, error);
}

}  // namespace

void when_drawable(const Fonts& fonts, std::string_view language,
                   const std::function<void()>& use) {
  waits_for_font() = {&fonts, {}};
  if (language == "en" || language_font_is_there()) return use();
  waits_for_font().use = use;
  tilescope_fetch_language_font();
}

void language_font_came() {
  WaitsForFont& waits = waits_for_font();
  if (!waits.fonts) return;  // fetched before the window is there, which loads it with the others
  add_language_font(*waits.fonts);  // also for who has chosen another language meanwhile
  if (const auto use = std::exchange(waits.use, {})) use();
}

}  // namespace tilescope

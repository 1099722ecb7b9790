#include "app/shell/settings.h"

#include <chrono>
#include <fstream>
#include <string>

#include "app/shell/folders.h"

namespace tilescope {
namespace {
using nlohmann::json;
}

Settings load_settings(const std::filesystem::path& file, std::string* problem) {
  Settings settings;
  std::ifstream in(file);
  if (!in) return settings;
  const json found = json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!found.is_object()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    std::error_code error;
    std::filesystem::rename(file, file.string() + ".corrupt-" + std::to_string(seconds), error);
    *problem = "window.json could not be read; it was set aside and the defaults are used";
    return settings;
  }
  if (found.value("theme", json("dark")) == "light") settings.theme = ThemeKind::kLight;
  if (const auto panels = found.find("panels"); panels != found.end() && panels->is_object()) {
    settings.panels = *panels;
  }
  return settings;
}

bool save_settings(const std::filesystem::path& file, const Settings& settings) {
  const json out = {{"version", 1},
                    {"theme", settings.theme == ThemeKind::kLight ? "light" : "dark"},
                    {"panels", settings.panels}};
  return write_file_atomically(file,
                               out.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

void load_panel_options(const Settings& settings, AppContext& context) {
  for (const Panel* panel : all_panels()) {
    const auto found = settings.panels.find(panel->id);
    if (panel->load && found != settings.panels.end() && found->is_object()) {
      panel->load(context, *found);
    }
  }
}

void save_panel_options(Settings* settings, const AppContext& context) {
  for (const Panel* panel : all_panels()) {
    if (!panel->save) continue;
    json options = json::object();
    panel->save(context, options);
    settings->panels[panel->id] = std::move(options);
  }
}

}  // namespace tilescope

// What the shell itself remembers: the theme, and each panel's own options. Where panels are docked
// is Hello ImGui's to remember; the state of the work is the session's.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/panel.h"

namespace tilescope {

struct Settings {
  ThemeKind theme = ThemeKind::kDark;
  nlohmann::json panels = nlohmann::json::object();  // by panel id
  std::vector<std::string> recent;                   // rows of the palette by title, last first
};

/// A file that cannot be read is renamed `.corrupt-<time>` and the defaults are used; `problem`
/// then says so.
Settings load_settings(const std::filesystem::path& file, std::string* problem);
bool save_settings(const std::filesystem::path& file, const Settings& settings);

void load_panel_options(const Settings& settings, AppContext& context);
void save_panel_options(Settings* settings, const AppContext& context);

}  // namespace tilescope

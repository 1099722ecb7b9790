// What the shell itself remembers: theme, layout, and each panel's own options. Where panels are
// docked is in Hello ImGui's file (docking_file.h); the state of the work is the session's.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/panel.h"

namespace tilescope {

/// Panels as somebody has put them, by a name.
struct NamedLayout {
  std::string name;
  std::string base;                // title of the layout that it was made from
  std::string docking;             // as ImGui writes it
  std::vector<std::string> shown;  // ids of panels
};
inline constexpr size_t kMostNamed = 12;  // layouts, and states

struct Settings {
  ThemeKind theme = ThemeKind::kDark;
  nlohmann::json panels = nlohmann::json::object();  // by panel id
  std::vector<std::string> recent;                   // rows of the palette by title, last first
  std::vector<std::string> recent_files;             // kernels and states, last first
  std::vector<NamedLayout> layouts;                  // in the order of their names
  std::string layout;                                // id of the last one chosen; empty: none was
  std::string language;                              // empty: as the system says
  float scale = 0;                                   // of text and widgets; 0: as the display says
  bool still = false;                                // nothing glides
  bool is_ours = true;                               // false: the file is not to be written over
};

/// In the session's folder.
inline constexpr const char* kSettingsFile = "window.json";

/// A damaged file is renamed `.corrupt-<time>` and the defaults are used; one that may not be read,
/// or that a newer program wrote, is left alone. `problem` then says so.
Settings load_settings(const std::filesystem::path& file, std::string* problem);
/// The language alone, for who needs it before the window is there: nothing is set aside or said.
/// Empty: none was chosen.
std::string kept_language(const std::filesystem::path& file);
/// To the front of those that were opened.
void remember_file(Settings& settings, const std::string& file);
inline constexpr size_t kMostRecentFiles = 8;
/// Scales that are offered, as factors.
inline constexpr float kScales[] = {0.75f, 1, 1.25f, 1.5f, 1.75f, 2, 2.5f, 3};

/// What the file is to hold.
std::string settings_text(const Settings& settings);

void load_panel_options(const Settings& settings, AppContext& context);
void save_panel_options(Settings* settings, const AppContext& context);

}  // namespace tilescope

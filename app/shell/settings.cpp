#include "app/shell/settings.h"

#include <iterator>
#include <string>

#include "app/common/kept_files.h"
#include "app/shell/palette_rows.h"
#include "core/files/json_file.h"
#include "core/files/whole_file.h"

namespace tilescope {
namespace {
using nlohmann::json;

constexpr int kSettingsVersion = kKeptSettings.version;

bool is_newer(const json& settings) {
  const auto version = settings.is_object() ? settings.find("version") : settings.end();
  return version != settings.end() && version->is_number() &&
         version->get<double>() > kSettingsVersion;
}

std::vector<NamedLayout> layouts_from(const json& found) {
  std::vector<NamedLayout> all;
  const auto at = found.find("layouts");
  if (at == found.end() || !at->is_array()) return all;
  const auto text = [](const json& row, const char* name) {
    const auto value = row.find(name);
    return value != row.end() && value->is_string() ? value->get<std::string>() : std::string();
  };
  for (const json& row : *at) {
    if (!row.is_object() || all.size() == kMostNamed) continue;
    NamedLayout layout{text(row, "name"), text(row, "base"), text(row, "docking"), {}};
    if (const auto shown = row.find("shown"); shown != row.end() && shown->is_array()) {
      for (const json& id : *shown) {
        if (id.is_string()) layout.shown.push_back(id.get<std::string>());
      }
    }
    if (!layout.name.empty()) all.push_back(std::move(layout));
  }
  return all;
}

json layouts_to(const std::vector<NamedLayout>& layouts) {
  json all = json::array();
  for (const NamedLayout& one : layouts) {
    all.push_back(
        {{"name", one.name}, {"base", one.base}, {"docking", one.docking}, {"shown", one.shown}});
  }
  return all;
}

}  // namespace

Settings load_settings(const std::filesystem::path& file, std::string* problem) {
  Settings settings;
  constexpr const files::JsonLimits& kLimits = kKeptSettings.limits;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return settings;
  const auto text = files::read_file(file.string(), kLimits.bytes, problem);
  if (!text) {  // not damaged: not ours to read
    settings.is_ours = false;
    return settings;
  }
  const auto read = files::parse_json(*text, kLimits.depth);
  if (read && is_newer(*read)) {
    settings.is_ours = false;
    *problem = "window.json was written by a newer Tilescope; it is left alone";
    return settings;
  }
  if (!read || !read->is_object()) {
    files::set_aside(file.string(), "corrupt");
    *problem = "window.json could not be read; it was set aside and the defaults are used";
    return settings;
  }
  const json& found = *read;
  if (found.value("theme", json("dark")) == "light") settings.theme = ThemeKind::kLight;
  if (const auto panels = found.find("panels"); panels != found.end() && panels->is_object()) {
    settings.panels = *panels;
  }
  const auto list = [&](const char* name, size_t most, std::vector<std::string>& to) {
    const auto at = found.find(name);
    if (at == found.end() || !at->is_array()) return;
    for (const json& text : *at) {
      if (text.is_string() && to.size() < most) to.push_back(text.get<std::string>());
    }
  };
  list("recent", kMostRecentRows, settings.recent);
  list("recent_files", kMostRecentFiles, settings.recent_files);
  settings.layouts = layouts_from(found);
  if (const auto scale = found.find("scale"); scale != found.end() && scale->is_number()) {
    const auto value = scale->get<float>();
    if (value >= kScales[0] && value <= std::end(kScales)[-1]) settings.scale = value;
  }
  settings.still = found.value("still", json(false)) == true;
  const auto text_of = [&](const char* name, std::string& to) {
    const auto at = found.find(name);
    if (at != found.end() && at->is_string()) to = at->get<std::string>();
  };
  text_of("language", settings.language);
  text_of("layout", settings.layout);
  return settings;
}

std::string kept_language(const std::filesystem::path& file) {
  const auto text = files::read_file(file.string(), kKeptSettings.limits.bytes);
  if (!text) return {};
  const auto read = files::parse_json(*text, kKeptSettings.limits.depth);
  if (!read || !read->is_object()) return {};
  const auto language = read->find("language");
  const bool is_kept = language != read->end() && language->is_string();
  return is_kept ? language->get<std::string>() : std::string();
}

void remember_file(Settings& settings, const std::string& file) {
  std::vector<std::string>& files = settings.recent_files;
  std::erase(files, file);
  files.insert(files.begin(), file);
  if (files.size() > kMostRecentFiles) files.resize(kMostRecentFiles);
}

std::string settings_text(const Settings& settings) {
  const json out = {{"version", kSettingsVersion},
                    {"theme", settings.theme == ThemeKind::kLight ? "light" : "dark"},
                    {"panels", settings.panels},
                    {"recent", settings.recent},
                    {"recent_files", settings.recent_files},
                    {"layouts", layouts_to(settings.layouts)},
                    {"scale", settings.scale},
                    {"language", settings.language},
                    {"layout", settings.layout},
                    {"still", settings.still}};
  return files::json_text(out, 2) + "\n";
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

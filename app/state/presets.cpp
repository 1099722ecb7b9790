#include "app/state/presets.h"

#include <nlohmann/json.hpp>

#include "app/state/session.h"
#include "presets_json.h"  // generated: kPresetsJson

namespace tilescope {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    for (const nlohmann::json& entry : nlohmann::json::parse(kPresetsJson)) {
      Preset preset;
      std::string error;
      preset.name = entry.at("name").get<std::string>();
      preset.source = entry.at("source").get<std::string>();
      if (edit_from_json(entry, preset.edit, &error)) list.push_back(std::move(preset));
    }
    return list;
  }();
  return all;
}

}  // namespace tilescope

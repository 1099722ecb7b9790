#include "app/state/presets.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/state/edit.h"
#include "app/state/session_edit.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"
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

std::string preset_label(const Preset& preset, const std::string& present_kernel) {
  if (preset.edit.rung().kernel == present_kernel) return preset.name;
  return fmt::format("{} → {:02} {}", preset.name,
                     find_kernel(preset.edit.rung().kernel.c_str())->info.number,
                     preset.edit.rung().kernel);
}

std::string preset_words(const Preset& preset) {
  const Problem& p = preset.edit.problem;
  return wording("Kernel {}, {}, {} × {} × {}, {}.\nFrom: {}", preset.edit.rung().kernel,
                 tile_label(preset.edit), model::grouped(p.m), model::grouped(p.n),
                 model::grouped(p.k), model::layout_letters(p), preset.source);
}

}  // namespace tilescope

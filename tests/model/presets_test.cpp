// Presets name kernels that exist, sliders that those have, and legal tiles.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/model/device_table.h"
#include "core/model/names.h"
#include "kernels/registry.h"

namespace tilescope::model {
namespace {

TEST(Presets, AreLegalOnTheDefaultDevice) {
  std::ifstream in(TILESCOPE_PRESETS);
  const nlohmann::json presets = nlohmann::json::parse(in);
  ASSERT_TRUE(presets.is_array());
  std::set<std::string> ids;
  for (const auto& preset : presets) {
    const std::string id = preset.at("id");
    EXPECT_TRUE(ids.insert(id).second) << id;
    EXPECT_FALSE(preset.at("name").get<std::string>().empty()) << id;
    EXPECT_FALSE(preset.at("source").get<std::string>().empty()) << id;
    const KernelEntry* kernel = find_kernel(preset.at("kernel").get<std::string>().c_str());
    ASSERT_NE(kernel, nullptr) << id;
    Problem p = default_problem(kernel->info);
    p.m = preset.at("size").at(0), p.n = preset.at("size").at(1), p.k = preset.at("size").at(2);
    TileConfig tile = kernel->sliders.defaults();
    for (const auto& [name, value] : preset.at("tile").items()) {
      const TileFieldId field = tile_field_named(name);
      ASSERT_NE(kernel->sliders.find(field), nullptr) << id << " " << name;
      set(tile, field, value.get<int>());
    }
    EXPECT_TRUE(kernel->validate(tile, p, device_table()[0].limits).legal()) << id;
  }
}

}  // namespace
}  // namespace tilescope::model

#include "app/cli/recordings.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "app/cli/error.h"
#include "app/cli/programs.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;

/// Beside an installed program, or in the checkout that it was built in.
std::vector<fs::path> folders() {
  const fs::path beside = program_folder();
  std::vector<fs::path> all = {beside / "../share/tilescope/recordings"};
  for (fs::path up = beside; up.has_relative_path(); up = up.parent_path()) {
    all.push_back(up / "assets/recordings");
  }
  return all;
}

bool same_request(const Json& a, const Json& b) {
  for (const char* key : {"kernel", "tile", "size", "types", "layout"}) {
    // Compared without regard to the order of a tile's fields.
    if (nlohmann::json(a.value(key, Json())) != nlohmann::json(b.value(key, Json()))) return false;
  }
  return true;
}

}  // namespace

Json find_recording(const Json& request, const std::string& device) {
  std::optional<Json> best;
  for (const fs::path& folder : folders()) {
    std::error_code error;
    for (const auto& file : fs::directory_iterator(folder, error)) {
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) {
        const Json entry = Json::parse(line, nullptr, false);
        if (!entry.is_object() || !same_request(entry, request)) continue;
        if (entry.value("device", "").find(device) == std::string::npos) continue;
        if (!best || entry.value("date", "") > best->value("date", "")) best = entry;
      }
    }
  }
  if (best) return *best;
  throw CliError(kMissing, fmt::format("no recording{} of this kernel, tile and size; measure it "
                                       "with --device cuda:0",
                                       device.empty() ? "" : " on " + device));
}

}  // namespace tilescope::cli

// swizzle: where the 16-byte chunks of eight rows go, by the function that the kernels use.
#include <fmt/format.h>

#include <memory>

#include "app/cli/command.h"
#include "app/cli/error.h"
#include "app/cli/output.h"
#include "app/cli/parse.h"
#include "core/model/names.h"

namespace tilescope::cli {
namespace {

constexpr int kRows = 8, kChunk = 16;

int run(const std::string& mode_name, const Globals& globals) {
  const Swizzle mode = parse_swizzle("--mode", mode_name);
  const int row_bytes = swizzle_row_bytes(mode);
  Json table = Json::array();
  for (int row = 0; row < kRows; ++row) {
    Json line = Json::array();
    for (int at = 0; at < row_bytes; at += kChunk) {
      line.push_back((swizzle_bytes(mode, row * row_bytes + at) - row * row_bytes) / kChunk);
    }
    table.push_back(line);
  }
  if (globals.json) {
    print_json({{"mode", model::name_of(mode)}, {"row_bytes", row_bytes}, {"chunk_table", table}});
    return kOk;
  }
  print(fmt::format("Rows of {} B; chunk of 16 B → where it lies in its row", row_bytes));
  for (int row = 0; row < kRows; ++row) {
    std::string line = fmt::format("row {}: ", row);
    for (const auto& chunk : table[static_cast<size_t>(row)]) {
      line += fmt::format(" {}", chunk.get<int>());
    }
    print(line);
  }
  return kOk;
}

}  // namespace

Run make_swizzle(CLI::App& app, const Globals& globals) {
  auto mode = std::make_shared<std::string>("128B");
  app.add_option("--mode", *mode, "32B, 64B or 128B")->capture_default_str();
  return [mode, &globals] { return run(*mode, globals); };
}

}  // namespace tilescope::cli

// swizzle: where the 16-byte chunks of eight rows go, by the function that the kernels use, and
// which banks a column of chunks meets; padding does by other means what swizzling does.
#include <fmt/format.h>

#include <memory>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/parse.h"
#include "core/layout/warp_access.h"
#include "core/model/names.h"

namespace tilescope::cli {
namespace {

constexpr int kRows = 8, kChunk = 16;
constexpr int kMaxPad = 128;
constexpr int kPlainRow = 128;  // rows of no mode: as long as all banks

struct SwizzleOptions {
  std::string mode = "128B", pad = "0";
};

int pad_of(const SwizzleOptions& o) {
  const int pad = parse_integer("--pad", o.pad, 0, kMaxPad);
  if (pad % kChunk != 0) {
    throw CliError(kBadUsage,
                   fmt::format("--pad is {}; rows must begin at a multiple of {} bytes: "
                               "choose {} or {}",
                               pad, kChunk, pad / kChunk * kChunk, (pad / kChunk + 1) * kChunk));
  }
  return pad;
}

/// [row][chunk] → what `of` says of its place in shared memory.
template <class Of>
Json table_of(int row_bytes, Of&& of) {
  Json table = Json::array();
  for (int row = 0; row < kRows; ++row) {
    Json line = Json::array();
    for (int at = 0; at < row_bytes; at += kChunk) line.push_back(of(row, at));
    table.push_back(line);
  }
  return table;
}

void print_table(const char* title, const Json& table) {
  print(title);
  for (int row = 0; row < kRows; ++row) {
    std::string line = fmt::format("row {}: ", row);
    for (const auto& cell : table[static_cast<size_t>(row)]) {
      line += fmt::format(" {}", cell.get<int>());
    }
    print(line);
  }
}

int run_swizzle(const SwizzleOptions& o, const Globals& globals) {
  const Swizzle mode = parse_swizzle("--mode", o.mode);
  const bool plain = mode == Swizzle::none;
  const int pad = pad_of(o);
  if (pad > 0 && !plain) {
    throw CliError(kBadUsage, fmt::format("--pad {} is for --mode none: the {} pattern needs rows "
                                          "that lie one after another",
                                          pad, o.mode));
  }
  const int row_bytes = plain ? kPlainRow : swizzle_row_bytes(mode);
  const int step = row_bytes + pad;
  const auto physical = [&](int row, int at) { return swizzle_bytes(mode, row * step + at); };
  const Json chunks = table_of(
      row_bytes, [&](int row, int at) { return (physical(row, at) - row * step) / kChunk; });
  const Json groups = table_of(row_bytes, [&](int row, int at) {
    return physical(row, at) % (kBanks * kBankBytes) / kChunk;
  });
  if (globals.json) {
    Json document = {
        {"mode", model::name_of(mode)}, {"row_bytes", row_bytes}, {"chunk_table", chunks}};
    if (plain) {
      document["pad_bytes"] = pad;
      document["bank_group_table"] = groups;
    }
    print_json(document);
    return kOk;
  }
  print_table(fmt::format("Rows of {} B{}; chunk of 16 B → where it lies in its row", row_bytes,
                          pad > 0 ? fmt::format(", {} B of padding after each", pad) : "")
                  .c_str(),
              chunks);
  print_table("Chunk of 16 B → which of the eight groups of four banks holds it", groups);
  return kOk;
}

}  // namespace

Run make_swizzle(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<SwizzleOptions>();
  app.add_option("--mode", o->mode, "the swizzle, as CUtensorMap names them")
      ->type_name("32B|64B|128B|none")
      ->capture_default_str();
  app.add_option("--pad", o->pad, "bytes left free after each row, with --mode none")
      ->type_name("N")
      ->capture_default_str();
  return [o, &globals] { return run_swizzle(*o, globals); };
}

}  // namespace tilescope::cli

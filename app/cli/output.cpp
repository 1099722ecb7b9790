#include "app/cli/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/cli/cli_error.h"
#include "core/model/names.h"
#include "worker/messages/recorded_result.h"

namespace tilescope::cli {
namespace {

/// Characters on screen: UTF-8 continuation bytes take no place.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

void print_json(const Json& document) {
  print(document.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print(const std::string& text) {
  print_text(text);
  std::fputc('\n', stdout);
}

void print_text(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void message(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fputc('\n', stderr);
}

Table::Table(std::vector<std::string> head, std::string right) : right_(std::move(right)) {
  rows_.push_back(std::move(head));
}

void Table::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

void Table::print() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - width_of(row[i]), ' ');
      const bool right = i < right_.size() && right_[i] == 'r';
      if (i > 0) line += "  ";
      line += right ? pad + row[i] : row[i] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    cli::print(line);
  }
}

void require_folder_of(const std::string& flag, const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  throw CliError(kBadUsage,
                 fmt::format("{} {}: there is no folder {}; make it first (mkdir -p), or "
                             "choose another",
                             flag, file, folder.string()));
}

Json tile_json(const TileConfig& tile, const Sliders& sliders) {
  return worker::recorded_tile(tile, sliders);
}

Json size_json(const Problem& p) { return Json::array({p.m, p.n, p.k}); }

Json types_json(const Problem& p) {
  return Json::array(
      {model::name_of(p.type_a), model::name_of(p.type_b), model::name_of(p.type_c)});
}

std::string size_text(const Problem& p) { return fmt::format("{}×{}×{}", p.m, p.n, p.k); }

std::string types_text(const Problem& p) {
  return fmt::format("{} × {} → {}", model::name_of(p.type_a), model::name_of(p.type_b),
                     model::name_of(p.type_c));
}

}  // namespace tilescope::cli

// What commands print: one JSON document, or a table for people.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/problem.h"
#include "core/layout/tile_config.h"

namespace tilescope::cli {

/// Keeps the order in which keys were put in.
using Json = nlohmann::ordered_json;

void print_json(const Json& document);   // to stdout, one line break at the end
void print(const std::string& text);     // to stdout, with a line break
void print_text(std::string_view text);  // to stdout, as it is
void message(const std::string& text);   // to stderr, for people and progress

/// Columns of text; the first row is the head. Numbers (columns in `right`) align right.
class Table {
 public:
  explicit Table(std::vector<std::string> head, std::string right = "");
  void add(std::vector<std::string> row);
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::string right_;  // one letter per column, 'r' = right
};

/// Throws (exit code 2) if the folder that `file` is to lie in is not there: before any work is
/// done for it. `flag`: "--out".
void require_folder_of(const std::string& flag, const std::string& file);

Json tile_json(const TileConfig& tile, const Sliders& sliders);
Json size_json(const Problem& problem);          // [M, N, K]
Json types_json(const Problem& problem);         // ["f16", "f16", "f32"]
std::string size_text(const Problem& problem);   // "1024×512×256"
std::string types_text(const Problem& problem);  // "f16 × f16 → f32"

}  // namespace tilescope::cli

#include "core/sheet/launch_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/files/json_file.h"
#include "core/files/whole_file.h"
#include "core/model/format.h"
#include "core/sheet/sheet_error.h"
#include "core/sheet/sheet_members.h"

namespace tilescope::sheet {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using namespace members;

constexpr int kDepth = 4;           // of a sheet's document
constexpr int kMostSize = 1 << 20;  // of m, n and k: as of every problem (core/layout/problem.h)
GemmSheet gemm_of(const json& value, size_t arguments) {
  if (!value.is_object()) throw SheetError("gemm: " + said(value) + " is not an object.");
  only(value, "gemm", {"a", "b", "c", "m", "n", "k", "layout", "c_order", "alpha", "beta"});
  const auto need = [&](const char* name) -> const json& {
    const auto found = value.find(name);
    if (found == value.end()) {
      throw SheetError(
          fmt::format("gemm.{} is missing: gemm has a, b, c (numbers of arguments), m, "
                      "n, k and perhaps layout, c_order, alpha and beta.",
                      name));
    }
    return *found;
  };
  GemmSheet gemm;
  gemm.a = argument_number(need("a"), "gemm.a", arguments);
  gemm.b = argument_number(need("b"), "gemm.b", arguments);
  gemm.c = argument_number(need("c"), "gemm.c", arguments);
  if (gemm.a == gemm.c || gemm.b == gemm.c) {
    throw SheetError(fmt::format("gemm.c: argument {} is A or B, too; C is another one.", gemm.c));
  }
  gemm.m = static_cast<int>(whole(need("m"), "gemm.m", 1, kMostSize));
  gemm.n = static_cast<int>(whole(need("n"), "gemm.n", 1, kMostSize));
  gemm.k = static_cast<int>(whole(need("k"), "gemm.k", 1, kMostSize));
  if (const auto layout = value.find("layout"); layout != value.end()) {
    gemm.layout = text_field(*layout, "gemm.layout");
    const bool known =
        gemm.layout.size() == 2 && gemm.layout.find_first_not_of("NT") == std::string::npos;
    if (!known) {
      throw SheetError(
          fmt::format("gemm.layout: {} is not NN, NT, TN or TT (A, then B; T = "
                      "row-major).",
                      said(*layout)));
    }
  }
  if (const auto order = value.find("c_order"); order != value.end()) {
    if (*order != "row" && *order != "col") {
      throw SheetError("gemm.c_order: " + said(*order) + " is not \"row\" or \"col\".");
    }
    gemm.column_c = *order == "col";
  }
  for (const auto& [name, to] : {std::pair("alpha", &gemm.alpha), std::pair("beta", &gemm.beta)}) {
    const auto found = value.find(name);
    if (found == value.end() || found->is_null()) continue;
    *to = argument_number(*found, std::string("gemm.") + name, arguments);
  }
  return gemm;
}

std::vector<std::string> texts_of(const json& value, const std::string& field) {
  if (!value.is_array() || value.size() > kMostArguments) {
    throw SheetError(fmt::format("{}: {} is not a list of at most {} texts.", field, said(value),
                                 model::grouped(kMostArguments)));
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < value.size(); ++i) {
    texts.push_back(text_field(value[i], fmt::format("{}[{}]", field, i)));
  }
  return texts;
}

}  // namespace

ordered_json to_document(const LaunchSheet& s) {
  ordered_json all;
  all["entry"] = s.entry;
  if (s.grid) all["grid"] = {s.grid->x, s.grid->y, s.grid->z};
  if (s.block) all["block"] = {s.block->x, s.block->y, s.block->z};
  if (s.cluster) all["cluster"] = {s.cluster->x, s.cluster->y, s.cluster->z};
  all["shared"] = s.shared;
  all["args"] = s.args;
  if (s.gemm) {
    const GemmSheet& g = *s.gemm;
    ordered_json gemm = {{"a", g.a}, {"b", g.b}, {"c", g.c},          {"m", g.m},
                         {"n", g.n}, {"k", g.k}, {"layout", g.layout}};
    if (g.column_c) gemm["c_order"] = "col";
    if (g.alpha) gemm["alpha"] = *g.alpha;
    if (g.beta) gemm["beta"] = *g.beta;
    all["gemm"] = std::move(gemm);
  }
  if (s.expect && !s.expect->empty()) all["expect"] = expectation_document(*s.expect);
  if (!s.guesses.empty()) all["guesses"] = s.guesses;
  return all;
}

std::string to_text(const LaunchSheet& sheet) {
  // A line for each member, its value on that line: an extent is read as one.
  const ordered_json all = to_document(sheet);
  std::string text;
  for (const auto& [name, value] : all.items()) {
    text += (text.empty() ? "{\n  " : ",\n  ") + json(name).dump() + ": ";
    if (name != "args" || value.empty()) {
      text += value.dump(-1, ' ', false, json::error_handler_t::replace);
      continue;
    }
    text += "[";
    for (size_t i = 0; i < value.size(); ++i) {
      text += (i == 0 ? "\n    " : ",\n    ") +
              value[i].dump(-1, ' ', false, json::error_handler_t::replace);
    }
    text += "]";
  }
  return text + "\n}\n";
}

LaunchSheet sheet_of(const json& document) {
  if (!document.is_object()) throw SheetError("The sheet " + said(document) + " is not an object.");
  only(document, "The sheet",
       {"entry", "grid", "block", "cluster", "shared", "args", "gemm", "expect", "guesses"});
  LaunchSheet s;
  const auto member = [&](const char* name) -> const json* {
    const auto found = document.find(name);
    return found == document.end() || found->is_null() ? nullptr : &*found;
  };
  if (const json* entry = member("entry")) s.entry = text_field(*entry, "entry");
  if (const json* grid = member("grid")) s.grid = extent_of(*grid, "grid", kMostGrid);
  if (const json* block = member("block")) {
    s.block = extent_of(*block, "block", kMostBlock);
    check_block(*s.block);
  }
  if (const json* cluster = member("cluster")) {
    s.cluster = extent_of(*cluster, "cluster", kMostGrid);
    check_cluster(*s.cluster);
  }
  if (const json* shared = member("shared")) {
    s.shared = static_cast<uint32_t>(whole(*shared, "shared", 0, kMostShared));
  }
  if (const json* args = member("args")) s.args = texts_of(*args, "args");
  if (const json* gemm = member("gemm")) s.gemm = gemm_of(*gemm, s.args.size());
  if (const json* expect = member("expect")) s.expect = expectation_of(*expect, s.args.size());
  if (s.expect && s.expect->empty()) s.expect.reset();  // as it is written
  if (const json* guesses = member("guesses")) s.guesses = texts_of(*guesses, "guesses");
  return s;
}

LaunchSheet sheet_of_text(std::string_view text) {
  if (text.size() > kMostSheetBytes) {
    throw SheetError(fmt::format("The sheet has {} bytes; at most {} are read.",
                                 model::grouped(static_cast<long long>(text.size())),
                                 model::grouped(kMostSheetBytes)));
  }
  const auto document = files::parse_json(text, kDepth);
  if (!document) {
    throw SheetError(
        fmt::format("The sheet is no valid JSON, or is nested deeper than {} levels.", kDepth));
  }
  return sheet_of(*document);
}

LaunchSheet read_sheet(const std::string& file) {
  std::string why_not;
  const auto text = files::read_file(file, kMostSheetBytes, &why_not);
  if (!text) throw SheetError(why_not);
  try {
    return sheet_of_text(*text);
  } catch (const SheetError& error) {
    throw SheetError(file + ": " + error.what());
  }
}

void check_grid(const Extent& grid) { extent_of({grid.x, grid.y, grid.z}, "grid", kMostGrid); }

void check_block(const Extent& block) {
  if (block.count() > kMostThreads) {
    throw SheetError(fmt::format(
        "block: {}×{}×{} are {} threads; a block has at most {}.", block.x, block.y, block.z,
        model::grouped(static_cast<long long>(block.count())), model::grouped(kMostThreads)));
  }
  extent_of({block.x, block.y, block.z}, "block", kMostBlock);
}

void check_cluster(const Extent& cluster) {
  if (std::max({cluster.x, cluster.y, cluster.z}) > kMostCtasOfCluster ||
      cluster.count() > kMostCtasOfCluster) {
    throw SheetError(fmt::format(
        "cluster: {}×{}×{} are more than {} CTAs, which is what all cards take (up to 16 is the "
        "non-portable size, which is not supported here); make it smaller.",
        cluster.x, cluster.y, cluster.z, kMostCtasOfCluster));
  }
  extent_of({cluster.x, cluster.y, cluster.z}, "cluster", kMostGrid);
}

void check_shared(uint64_t bytes) { whole(bytes, "shared", 0, kMostShared); }

}  // namespace tilescope::sheet

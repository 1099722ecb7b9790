#include "app/cli/model_tables.h"

#include <fmt/format.h>

#include "app/cli/cli_error.h"
#include "core/model/notes.h"

namespace tilescope::cli {
namespace {

using namespace model::notes;

Json shape_json(const Shape& s) { return Json::array({s.m, s.n, s.k}); }
std::string shape_text(const Shape& s) { return fmt::format("{}×{}×{}", s.m, s.n, s.k); }
std::string fixed(double value) { return fmt::format("{:.3f}", value); }

std::string unit_text(Count count) { return count == Count::elements ? "element" : "byte"; }

int print_clock_table(const std::vector<ClockRow>& rows, bool with_block, Count count, bool json) {
  Json all = Json::array();
  const std::string unit = unit_text(count);
  Table table({"warp tile", with_block ? "block tile" : "mma", "FLOP per " + unit,
               unit + "s per clock", "clocks"},
              "llrrr");
  for (const ClockRow& row : rows) {
    Json entry = {{"warp_tile", shape_json(row.warp)}, {"mma", shape_json(row.mma)}};
    if (with_block) entry["block_tile"] = shape_json(row.block);
    entry["intensity"] = row.intensity;
    entry["bytes_per_clock"] = row.bytes_per_clock;
    entry["clocks"] = row.clocks;
    all.push_back(entry);
    table.add({shape_text(row.warp), shape_text(with_block ? row.block : row.mma),
               fixed(row.intensity), fixed(row.bytes_per_clock), fixed(row.clocks)});
  }
  json ? print_json(all) : table.print();
  return kOk;
}

int print_problem_table(const std::vector<ProblemRow>& rows, Count count, bool json) {
  Json all = Json::array();
  Table table({"block tile", "problem", "FLOP per " + unit_text(count),
               count == Count::elements ? "2³⁰ elements/s" : "GB/s", "ms", "L2 hit %", "MFU %"},
              "llrrrrr");
  for (const ProblemRow& row : rows) {
    all.push_back({{"block_tile", shape_json(row.block)},
                   {"problem", shape_json(row.problem)},
                   {"intensity", row.intensity},
                   {"gb_per_second", row.gb_per_second},
                   {"ms", row.ms},
                   {"l2_hit_percent", row.l2_hit_percent},
                   {"mfu_percent", row.mfu_percent}});
    table.add({shape_text(row.block), shape_text(row.problem), fixed(row.intensity),
               fixed(row.gb_per_second), fixed(row.ms), fixed(row.l2_hit_percent),
               fixed(row.mfu_percent)});
  }
  json ? print_json(all) : table.print();
  return kOk;
}

}  // namespace

int run_table(const std::string& table, const std::string& count_name, bool json) {
  if (count_name != "elements" && count_name != "bytes") {
    throw CliError(kBadUsage,
                   fmt::format("--count: '{}' is neither elements nor bytes", count_name));
  }
  const Count count = count_name == "elements" ? Count::elements : Count::bytes;
  if (table == "001a") return print_clock_table(table_a(count), false, count, json);
  if (table == "001b") return print_clock_table(table_b(count), true, count, json);
  if (table == "001c") return print_problem_table(table_c(count), count, json);
  throw CliError(kBadUsage, fmt::format("--table: '{}' is not 001a, 001b or 001c", table));
}

}  // namespace tilescope::cli

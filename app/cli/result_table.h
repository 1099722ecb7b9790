// Results of bench and sweep as a table for other programs: CSV, Markdown.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "app/cli/command.h"
#include "app/cli/output.h"

namespace tilescope::cli {

enum class ResultFormat { text, csv, markdown };

void add_format(CLI::App& app, ResultFormat& format);
/// A heading and one row per result; what was not measured is an empty cell.
std::string csv_text(const Json& results);
std::string markdown_text(const Json& results);
/// One JSON document with --json, else the table; nothing for text, which was printed line by line.
void print_results(const Json& results, ResultFormat format, const Globals& globals);

}  // namespace tilescope::cli

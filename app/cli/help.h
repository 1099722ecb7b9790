// What --help prints: the same words and line breaks with every version of CLI11, since docs/cli.md
// is made of them.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace tilescope::cli {

// Groups of options that several commands have. Each command's own options come first, under
// "Options".
inline constexpr const char* kProblemGroup = "The kernel, its tile and its problem";
inline constexpr const char* kPlaceGroup = "Where it runs";
inline constexpr const char* kPtxGroup = "A kernel of your own in place of one of the ladder";
inline constexpr const char* kMeasureGroup = "How it is measured";

class HelpText : public CLI::FormatterBase {
 public:
  /// `name`: the program and the command, as they are typed.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace tilescope::cli

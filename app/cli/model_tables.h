// model --table: the tables of the notes (seed 001).
#pragma once
#include <string>

#include "app/cli/output.h"

namespace tilescope::cli {

/// `table`: 001a, 001b or 001c; `count`: elements or bytes. Prints and returns the exit code.
int run_table(const std::string& table, const std::string& count, bool json);

}  // namespace tilescope::cli

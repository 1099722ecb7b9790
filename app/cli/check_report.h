// What check found, as the documents that others read: SARIF 2.1.0 and JUnit's XML.
#pragma once
#include <string>
#include <vector>

#include "app/cli/output.h"

namespace tilescope::cli {

struct CheckedFinding {
  std::string kind, message;
  bool error = false;
  long long count = 1;
  int ptx_line = 0;
};
/// All that was found at one line of the source: errors first.
struct CheckedLine {
  std::string file;  // as it is found from here; of a line of the PTX the PTX
  int line = 0;      // from 1
  std::vector<CheckedFinding> findings;
  bool has_error() const { return !findings.empty() && findings.front().error; }
};
struct CheckReport {
  std::string file, kernel;
  std::vector<CheckedLine> lines;  // with errors first, then by file and line
  size_t errors() const;
  size_t remarks() const;
};

Json sarif(const CheckReport& report);
std::string junit(const CheckReport& report);

}  // namespace tilescope::cli

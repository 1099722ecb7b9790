// `.file` and `.loc`: from a PTX line to the chain of source lines it was inlined through.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "emulator/emulator.h"

namespace tilescope::emulator {

class SourceLines {
 public:
  void add_file(int number, std::string_view path);
  /// Returns the location's index. `inlined_at` is null or the position (file, line, column) of the
  /// call; its own location is the latest `.loc` that had that position.
  int add_location(int file, int line, int column, const std::tuple<int, int, int>* inlined_at);
  /// PTX lines from `ptx_line` on belong to `location`; call in ascending order.
  void set_line(int ptx_line, int location);

  /// Innermost first; empty where no `.loc` applies.
  std::vector<SourceLine> chain(int ptx_line) const;

 private:
  struct Location {
    int file = 0, line = 0, parent = -1;
  };
  std::map<int, std::string> files_;
  std::vector<Location> locations_;
  std::map<std::tuple<int, int, int>, int> latest_;
  std::vector<std::pair<int, int>> lines_;  // (PTX line, location), ascending
};

}  // namespace tilescope::emulator

#include "emulator/ptx/source_lines.h"

#include <algorithm>

namespace tilescope::emulator {

void SourceLines::add_file(int number, std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  files_[number] = std::string(slash == path.npos ? path : path.substr(slash + 1));
}

int SourceLines::add_location(int file, int line, int column,
                              const std::tuple<int, int, int>* inlined_at) {
  Location location{file, line, -1};
  if (inlined_at) {
    auto it = latest_.find(*inlined_at);
    if (it != latest_.end()) {
      location.parent = it->second;
    } else {  // the caller's own .loc never came: make one, so that the chain is not lost
      locations_.push_back({std::get<0>(*inlined_at), std::get<1>(*inlined_at), -1});
      location.parent = static_cast<int>(locations_.size()) - 1;
      latest_[*inlined_at] = location.parent;
    }
  }
  locations_.push_back(location);
  const int index = static_cast<int>(locations_.size()) - 1;
  latest_[{file, line, column}] = index;
  return index;
}

void SourceLines::set_line(int ptx_line, int location) {
  if (!lines_.empty() && lines_.back().first == ptx_line) {
    lines_.back().second = location;
  } else {
    lines_.emplace_back(ptx_line, location);
  }
}

std::vector<SourceLine> SourceLines::chain(int ptx_line) const {
  std::vector<SourceLine> result;
  auto it = std::upper_bound(lines_.begin(), lines_.end(), ptx_line,
                             [](int line, const auto& entry) { return line < entry.first; });
  if (it == lines_.begin()) return result;
  for (int i = std::prev(it)->second; i >= 0; i = locations_[static_cast<size_t>(i)].parent) {
    const Location& location = locations_[static_cast<size_t>(i)];
    auto file = files_.find(location.file);
    result.push_back({file == files_.end() ? std::string() : file->second, location.line});
  }
  return result;
}

}  // namespace tilescope::emulator

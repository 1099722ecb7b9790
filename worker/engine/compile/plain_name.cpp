#include "worker/engine/compile/plain_name.h"

#include <algorithm>

namespace tilescope::worker {

bool is_plain_name(const std::string& name) {
  return std::ranges::none_of(name, [](char c) {
    return c == '"' || c == '\\' || c == '\x7f' || static_cast<unsigned char>(c) < ' ';
  });
}

std::string shown_name(const std::string& name) {
  constexpr size_t kMostShown = 200;
  std::string shown = name.substr(0, kMostShown);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return name.size() > kMostShown ? shown + "…" : shown;
}

}  // namespace tilescope::worker

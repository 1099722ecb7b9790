// One short text of the status bar, or a figure of a panel, with what its colour says.
#pragma once
#include <string>

namespace tilescope {

struct StatusItem {
  enum class Kind { kPlain, kDim, kOk, kWarning };
  std::string text;
  Kind kind = Kind::kPlain;
  std::string tooltip = {};
  const char* command = "";  // that a click on it runs
};

}  // namespace tilescope

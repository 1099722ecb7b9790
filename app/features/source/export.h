// The present kernel on its way to a file.
#pragma once
#include <string>

namespace tilescope {

struct Export {
  std::string wanted;   // the file that is asked for
  std::string running;  // the file that the worker makes the text of
  std::string written;  // the last one, until somebody has said so
  std::string error;    // why it was not
};

}  // namespace tilescope

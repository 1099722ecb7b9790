// What is wrong with a launch sheet, a SPEC or a file that they name.
#pragma once
#include <stdexcept>

namespace tilescope::sheet {

/// One sentence: which field, its value, the limit and the way out.
struct SheetError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tilescope::sheet

#include "app/shell/display.h"

namespace tilescope {

// The page looks for WebGL 2 before it loads this module, and says what is missing.
bool check_display(std::string*) { return true; }

}  // namespace tilescope

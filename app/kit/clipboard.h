// What others have copied.
#pragma once
#include <functional>
#include <string>

namespace tilescope {

/// Calls `take` with what is in the clipboard: at once; on a page when the browser has handed it
/// over, between frames. `why_not`: one sentence if it does not, else empty.
void read_clipboard(std::function<void(const std::string& text, const std::string& why_not)> take);

}  // namespace tilescope

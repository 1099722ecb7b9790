// ImGui's clipboard as a page has one.
#pragma once

namespace tilescope {

/// From now on, of the present ImGui context.
void use_clipboard_of_page();

}  // namespace tilescope

#include "app/shell/language_font.h"

namespace tilescope {

void when_drawable(const Fonts&, std::string_view, const std::function<void()>& use) { use(); }

}  // namespace tilescope

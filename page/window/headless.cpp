// Pictures of a page are taken from outside.
#include "app/shell/headless.h"

namespace tilescope {

OffscreenTarget::OffscreenTarget(int width, int height) : width_(width), height_(height) {}
OffscreenTarget::~OffscreenTarget() = default;
void OffscreenTarget::bind() const {}
bool OffscreenTarget::write_png(const std::string&, std::string* error) const {
  *error = "a page draws no files of itself";
  return false;
}

std::vector<uint8_t> read_screen(const ScreenPart&) { return {}; }

bool write_screen_png(const ScreenPart&, const std::string&, std::string* error) {
  *error = "a page draws no files of itself";
  return false;
}

}  // namespace tilescope

// The window as a page: begins where main() does elsewhere, once the page has fetched what it needs.
#include <emscripten.h>

#include <string>

#include "app/shell/options.h"
#include "app/shell/window.h"

extern "C" {

/// `open`: a link, or empty. `theme`: "dark", "light" or empty, as the person's system has it.
EMSCRIPTEN_KEEPALIVE void tilescope_open(int width, int height, double scale, const char* open,
                                         const char* theme) {
  tilescope::Options options;
  options.width = width;
  options.height = height;
  options.scale = static_cast<float>(scale);
  options.open = open;
  static_cast<void>(theme);
  tilescope::run_window(options);
}

}  // extern "C"

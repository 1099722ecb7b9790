// The window program. Everything else is in app/shell/, app/features/ and app/state/.
#include <optional>

#include "app/shell/options.h"
#include "app/shell/render_vector.h"
#include "app/shell/window.h"

int main(int argc, char** argv) {
  tilescope::Options options;
  if (const std::optional<int> end = tilescope::parse_options(argc, argv, &options)) return *end;
  if (tilescope::is_drawn_as_vector(options)) return tilescope::render_vector(options);
  return tilescope::run_window(options);
}

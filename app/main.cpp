// The window program. Everything else is in app/shell/, app/panels/ and app/state/.
#include <optional>

#include "app/shell/options.h"
#include "app/shell/window.h"

int main(int argc, char** argv) {
  tilescope::Options options;
  if (const std::optional<int> end = tilescope::parse_options(argc, argv, &options)) return *end;
  return tilescope::run_window(options);
}

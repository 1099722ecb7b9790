// The window program. Everything else is in app/shell/, app/features/ and app/state/.
#include <csignal>
#include <iostream>
#include <optional>

#include "app/panel.h"
#include "app/shell/display.h"
#include "app/shell/folders.h"
#include "app/shell/options.h"
#include "app/shell/render_vector.h"
#include "app/shell/window.h"
#include "viz/vector/fonts_of_folder.h"

namespace tilescope {
namespace {

int check(Options options) {
  std::string error;
  options.render = true;
  if (is_drawn_as_vector(options) || check_display(&error)) return 0;
  std::cerr << "tilescope: " << error << "\n";
  return 3;
}

int run(int argc, char** argv) {
  // A reader that went away, and a file that may not grow, are errors of a write, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  Options options;
  if (const std::optional<int> end = parse_options(argc, argv, &options)) return *end;
  if (options.list_panels) {
    for (const Panel* panel : all_panels()) std::cout << panel->id << "\n";
    return 0;
  }
  if (options.check_display) return check(options);
  if (is_drawn_as_vector(options)) return render_vector(options);
  viz::use_fonts_of((assets_folder() / "fonts").string());  // of what is exported
  return run_window(options);
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) { return tilescope::run(argc, argv); }

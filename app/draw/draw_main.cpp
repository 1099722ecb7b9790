// tilescope-draw: pictures as files and nothing else, where neither X11 nor OpenGL is installed: on
// a server with notebooks, say. It takes the window program's options.
#include <cstdio>
#include <optional>

#include "app/draw/check_lessons.h"
#include "app/draw/lesson_pages.h"
#include "app/draw/opened_files.h"
#include "app/shell/options.h"
#include "app/shell/render_vector.h"

int main(int argc, char** argv) {
  tilescope::Options options;
  if (const std::optional<int> end = tilescope::parse_options(argc, argv, &options)) return *end;
  if (options.lessons) {
    return options.html.empty() ? tilescope::check_lessons(options)
                                : tilescope::write_lesson_pages(options);
  }
  if (!options.opens.empty()) return tilescope::tell_what_opens(options);
  options.render = true;
  if (tilescope::is_drawn_as_vector(options)) return tilescope::render_vector(options);
  std::fprintf(
      stderr,
      "tilescope-draw: --out \"%s\": this program draws .svg and .pdf; the window program, "
      "tilescope --render, draws .png\n",
      options.out.c_str());
  return 2;
}

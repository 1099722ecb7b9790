// The program's command line.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/theme.h"

namespace tilescope {

struct Options {
  bool render = false;
  int width = 1280, height = 800;
  std::string out;
  double seconds = 10;           // of a film
  int frames = 300;              // of a film, at most
  std::string panel = "window";  // or a panel's id
  std::string state;
  std::string open;                // a kernel's file, .cu or .ptx
  std::string change;              // JSON that is put over the state
  std::string layout;              // empty: the last one chosen, or first_layout
  std::string first_layout;        // of who has chosen none; empty: Explore
  std::optional<ThemeKind> theme;  // none: the last one used
  std::string language;            // empty: the last one used, or the system's
  bool high_contrast = false;      // more than the theme has by itself
  bool reduced_motion = false;     // nothing glides
  float scale = 0;                 // 0: as the display says
  bool size_in_pixels = false;     // width and height, as a picture's and a page's; else of scale 1
  std::string kernel_dir;          // read kernel sources from here
  double time_limit = 10;          // seconds of one launch on a card
  bool verify_beside = true;       // all of C, while nothing else runs
  bool compile_ahead = true;       // tiles one notch of a slider away
  bool strict = false;             // tests: what a panel draws wrongly ends the program
  bool fresh = false;              // neither read nor write the session folder
  bool list_panels = false;        // print their ids and end
  bool lessons = false;            // list the lessons and end; `check`: play; `html`: write
  bool check = false, json = false;
  std::string html, page;  // of lessons: a folder for pages; the address they link to
  std::vector<std::string> lessons_named;  // those that begin so; empty: all
  std::vector<std::string> opens;          // files of which is said whether they open
  bool check_display = false;  // say whether what is asked for can be shown here, and end
};

/// Id of the layout to open with; empty: whichever is first. `chosen`: of an earlier start, or
/// empty.
inline std::string layout_at_start(const Options& options, const std::string& chosen) {
  if (!options.layout.empty()) return options.layout;
  return chosen.empty() ? options.first_layout : chosen;
}

/// Exit code when the program must end at once (help, or 2 for bad usage), else nothing.
std::optional<int> parse_options(int argc, char** argv, Options* options);

}  // namespace tilescope

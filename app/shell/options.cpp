#include "app/shell/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "app/common/layout_names.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

bool parse_size(const std::string& text, Options* options) {
  int width = 0, height = 0, used = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &width, &height, &used) != 2 ||
      used != static_cast<int>(text.size()) || width < 64 || height < 64 || width > 16384 ||
      height > 16384) {
    return false;
  }
  options->width = width;
  options->height = height;
  return true;
}

}  // namespace

std::optional<int> parse_options(int argc, char** argv, Options* options) {
  CLI::App app{"Tilescope: see what a GEMM kernel does while you move its tiles.", "tilescope"};
  std::string size, theme;
  app.add_flag("--render", options->render, "draw once, write a picture, end");
  app.add_option("--size", size, "WxH in pixels, 64 to 16384 (default 1280x800 times the scale)");
  app.add_option("--out", options->out,
                 "the PNG file that --render writes; SVG and PDF of panels that are one picture; "
                 ".webp or .mp4: a film of the playback");
  app.add_option("--seconds", options->seconds, "that a film takes (10)")
      ->check(CLI::Range(0.1, 3600.0));
  app.add_option("--frames", options->frames, "of a film, at most (300)")
      ->check(CLI::Range(1, 10000));
  app.add_option("--panel", options->panel, "a panel's id, or \"window\" for all of it");
  app.add_option("--state", options->state, "open this state file");
  app.add_option("--open", options->open, "open this kernel of your own, a .cu or .ptx, or a link");
  app.add_option(
      "--change", options->change,
      "JSON put over the state that is opened, such as {\"view\": {\"fragment_tab\": 1}}");
  app.add_option("--theme", theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
  std::vector<std::string> known;
  for (const LanguageName& one : languages()) known.push_back(one.id);
  app.add_option("--language", options->language, "that the window speaks")
      ->check(CLI::IsMember(known));
  std::vector<std::string> layouts;
  for (const LayoutName& layout : kLayouts) layouts.push_back(layout.id);
  app.add_option("--layout", options->layout, "that the window shows")
      ->check(CLI::IsMember(layouts));
  app.add_option("--scale", options->scale, "scale of everything (default: the display's)")
      ->check(CLI::Range(0.5, 4.0));
  app.add_option("--kernel-dir", options->kernel_dir,
                 "read kernel sources from here (a copy of kernels/)")
      ->check(CLI::ExistingDirectory);
  app.add_option("--time-limit", options->time_limit,
                 "seconds that one launch on a card may take (10)")
      ->check(CLI::Range(0.001, 86400.0));
  app.add_flag("--list-panels", options->list_panels, "print the panels' ids");
  app.add_flag("--check-display", options->check_display,
               "end with 0 if a window could be opened here, or what is to be rendered "
               "needs none, else 3");
  CLI::Option* lessons = app.add_flag("--lessons", options->lessons,
                                      "list the lessons that are named, or all (tilescope-draw)");
  app.add_flag("--check", options->check, "play them")->needs(lessons);
  app.add_option("--opens", options->opens,
                 "say of each of these files whether it opens here, and end (tilescope-draw): a "
                 "state, a link (.link), a launch sheet (.sheet.json) or a lesson (.md)")
      ->type_name("FILE")
      ->expected(-1)
      ->excludes(lessons);
  app.add_flag("--json", options->json, "as JSON, of --lessons and --opens");
  CLI::Option* html =
      app.add_option("--html", options->html, "write them as pages into this folder")
          ->needs(lessons);
  app.add_option("--page", options->page, "of those: address of the web page that steps link to")
      ->needs(html);
  app.add_option("NAME", options->lessons_named, "of a lesson, or its beginning")->needs(lessons);
  app.add_flag("--fresh", options->fresh, "ignore the last session and save none");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::cerr << "tilescope: " << error.what() << "; see tilescope --help\n";
    return 2;
  }
  if (options->list_panels || options->check_display || options->lessons ||
      !options->opens.empty()) {
    return std::nullopt;
  }
  if (!size.empty() && !parse_size(size, options)) {
    std::cerr << "tilescope: --size " << size << " is not WxH with both from 64 to 16384, such as "
              << "1280x800\n";
    return 2;
  }
  if (size.empty() && options->render && options->scale > 0) {  // as large as a window would be
    options->width = static_cast<int>(static_cast<float>(options->width) * options->scale);
    options->height = static_cast<int>(static_cast<float>(options->height) * options->scale);
  }
  if (options->render && options->out.empty()) {
    std::cerr << "tilescope: --render needs --out FILE.png\n";
    return 2;
  }
  if (theme == "dark") options->theme = ThemeKind::kDark;
  if (theme == "light") options->theme = ThemeKind::kLight;
  return std::nullopt;
}

}  // namespace tilescope

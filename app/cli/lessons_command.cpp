// lessons: those of the layout Learn; --check plays them on the emulator, --html makes pages of
// them.
#include <memory>
#include <string>
#include <vector>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/programs.h"

namespace tilescope::cli {
namespace {

struct LessonsOptions {
  bool check = false;
  std::string html, page, language;
  std::vector<std::string> names;
};

int run_lessons(const LessonsOptions& o, const Globals& globals) {
  const std::string program = program_folder() + "/tilescope-draw";
  std::vector<std::string> args = {program, "--lessons"};
  if (o.check) args.push_back("--check");
  if (globals.json) args.push_back("--json");
  for (const auto& [flag, value] :
       {std::pair{"--html", o.html}, {"--page", o.page}, {"--language", o.language}}) {
    if (!value.empty()) args.insert(args.end(), {flag, value});
  }
  args.insert(args.end(), o.names.begin(), o.names.end());
  const int code = run_program(args, "");
  if (code == -1) {
    throw CliError(kMissing,
                   "tilescope-draw, which has the lessons, is not beside this program; "
                   "build it");
  }
  if (code == kBadUsage && globals.json) {  // what it is was said on the standard error
    throw CliError(kBadUsage, "there is no lesson whose name begins so; see tilescope-cli lessons");
  }
  return code;
}

}  // namespace

Run make_lessons(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<LessonsOptions>();
  app.add_flag("--check", o->check,
               "play each on the emulator: a wrong answer, then the right one, at every step");
  CLI::Option* html = app.add_option(
      "--html", o->html,
      "play them and write them as pages into this folder, with their pictures (SVG)");
  app.add_option("--page", o->page, "of --html: address of the web page, which their steps open")
      ->needs(html);
  app.add_option("--language", o->language, "of --html: zh-CN, or what else there is (English)")
      ->needs(html);
  app.add_option("NAME", o->names, "those whose names begin so; else all");
  return [o, &globals] { return run_lessons(*o, globals); };
}

}  // namespace tilescope::cli

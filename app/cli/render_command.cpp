// render: a panel into a file, by the window program; SVG and PDF by tilescope-draw, which needs
// neither a display nor the libraries of one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/programs.h"
#include "app/common/layout_names.h"
#include "core/instructions/instructions.h"
#include "viz/film/film_endings.h"
#include "viz/scene/fragment/fragment_scene.h"

namespace tilescope::cli {
namespace {

struct RenderOptions {
  std::string panel = "window", size = "1280x800", out, state, theme = "dark";
  std::string atom, tab;  // of the Fragment panel
  std::string layout;     // of the window
  double seconds = 10;    // of a film
  int frames = 300;
};

constexpr const char* kTabs[viz::kFragmentTabs] = {"mma", "warp", "ldmatrix", "shared", "formulas"};

/// What --atom and --tab change of the state, as a state file has it.
std::string change_of(const RenderOptions& o) {
  nlohmann::json view = nlohmann::json::object();
  if (!o.atom.empty()) {
    const model::Instruction* found = model::find_instruction(o.atom);
    if (!found) {
      const std::vector<std::string> near = model::nearest_instructions(o.atom, 3);
      throw CliError(kBadUsage, fmt::format("--atom: there is no instruction '{}'; near it are {}",
                                            o.atom, fmt::join(near, ", ")));
    }
    view["atom"] = found->name;
  }
  for (int i = 0; i < viz::kFragmentTabs; ++i) {
    if (o.tab == kTabs[i]) view["fragment_tab"] = i;
  }
  return view.empty() ? "" : nlohmann::json{{"view", view}}.dump();
}

constexpr const char* kVectors[] = {".svg", ".pdf"};

bool ends_with_one(const std::string& file, std::span<const char* const> endings) {
  return std::ranges::any_of(endings, [&](const char* ending) { return file.ends_with(ending); });
}

/// On a private display if it needs one and there is none.
int render(const RenderOptions& o) {
  const bool vector = ends_with_one(o.out, kVectors),
             film = ends_with_one(o.out, viz::kFilmEndings);
  const std::string name = vector ? "tilescope-draw" : "tilescope";
  const std::string program = program_folder() + "/" + name;
  std::vector<std::string> args = {program, "--render", "--panel", o.panel,   "--size",
                                   o.size,  "--out",    o.out,     "--theme", o.theme};
  if (!o.layout.empty()) args.insert(args.end(), {"--layout", o.layout});
  if (!o.state.empty()) args.insert(args.end(), {"--state", o.state});
  if (const std::string change = change_of(o); !change.empty()) {
    args.insert(args.end(), {"--change", change});
  }
  if (film) {
    args.insert(args.end(),
                {"--seconds", fmt::format("{}", o.seconds), "--frames", std::to_string(o.frames)});
  }
  const char* display = std::getenv("DISPLAY");
  std::vector<std::string> check = {program, "--check-display", "--panel", o.panel, "--out", o.out};
  const bool usable = vector || (display && *display && run_program(check) == 0);
  std::unique_ptr<PrivateDisplay> own;
  if (!usable) own = std::make_unique<PrivateDisplay>();
  const int code = run_program(args, own ? own->name() : "");
  if (code == -1) {
    throw CliError(kMissing,
                   fmt::format("{}, which draws, is not beside this program; build it", name));
  }
  if (code != 0) {
    throw CliError(code <= kFailed ? code : kFailed,
                   fmt::format("{} was not drawn: {} ended with code {}", o.out, name, code));
  }
  return kOk;
}

int run_render(const RenderOptions& o, const Globals& globals) {
  if (!o.out.ends_with(".png") && !ends_with_one(o.out, kVectors) &&
      !ends_with_one(o.out, viz::kFilmEndings)) {
    throw CliError(kBadUsage, fmt::format("--out {}: the name must end in .png, {}, {} or {}",
                                          o.out, fmt::join(kVectors, ", "), viz::kFilmEndings[0],
                                          viz::kFilmEndings[1]));
  }
  require_folder_of("--out", o.out);
  const int code = render(o);
  if (globals.json) {
    print_json({{"panel", o.panel}, {"out", o.out}});
  } else {
    print(o.out);
  }
  return code;
}

}  // namespace

Run make_render(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<RenderOptions>();
  app.add_option("--panel", o->panel, "a panel's id, roofline, or window for all of it")
      ->type_name("ID")
      ->capture_default_str();
  app.add_option("--size", o->size, "in pixels")->type_name("WxH")->capture_default_str();
  app.add_option("--out", o->out,
                 "a .svg, .pdf or .png file; .webp or .mp4: a film of the playback")
      ->type_name("FILE")
      ->required();
  app.add_option("--seconds", o->seconds, "that a film takes")
      ->type_name("S")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  app.add_option("--frames", o->frames, "of a film, at most")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  app.add_option("--state", o->state, "a state file (File > Save)")->type_name("FILE");
  app.add_option("--atom", o->atom,
                 "an instruction for the Fragment panel, as fragments --list says")
      ->type_name("NAME");
  app.add_option("--tab", o->tab,
                 fmt::format("of the Fragment panel, one of {}", fmt::join(kTabs, ", ")))
      ->type_name("NAME")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kTabs), std::end(kTabs))));
  std::string layouts;
  for (const LayoutName& layout : kLayouts) {
    layouts += (layouts.empty() ? "" : ", ") + std::string(layout.id);
  }
  app.add_option("--layout", o->layout, "of the window, one of " + layouts)->type_name("NAME");
  app.add_option("--theme", o->theme, "of the colours")
      ->type_name("dark|light")
      ->capture_default_str()
      ->check(CLI::IsMember({"dark", "light"}));
  return [o, &globals] { return run_render(*o, globals); };
}

}  // namespace tilescope::cli

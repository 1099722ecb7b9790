// render: a panel into a file. PNG comes from the window program; SVG and PDF from scenes, which
// need no display.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/command.h"
#include "app/cli/error.h"
#include "app/cli/output.h"
#include "app/cli/programs.h"
#include "app/live/live.h"
#include "app/state/edit.h"
#include "app/state/layer_facts.h"
#include "app/state/layout_names.h"
#include "app/state/pictures.h"
#include "app/state/session.h"
#include "core/instructions/instructions.h"
#include "viz/vector/vector.h"

namespace tilescope::cli {
namespace {

struct RenderOptions {
  std::string panel = "window", size = "1280x800", out, state, theme = "dark";
  std::string atom, tab;  // of the Fragment panel
  std::string layout;     // of the window
};

constexpr const char* kTabs[viz::kFragmentTabs] = {"mma", "warp", "ldmatrix", "shared", "formulas"};

/// Puts --atom and --tab into the state.
void choose_fragment(AppState& state, const RenderOptions& o) {
  if (!o.atom.empty()) {
    if (!model::find_instruction(o.atom)) {
      const std::vector<std::string> near = model::nearest_instructions(o.atom, 3);
      throw CliError(kBadUsage, fmt::format("--atom: there is no instruction '{}'; near it are {}",
                                            o.atom, fmt::join(near, ", ")));
    }
    show_atom(state, o.atom);
  }
  for (int i = 0; i < viz::kFragmentTabs; ++i) {
    if (o.tab == kTabs[i]) state.view.fragment_tab = i;
  }
}

bool ends_with(const std::string& text, const char* end) {
  const std::string tail(end);
  return text.size() >= tail.size() &&
         text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

/// The state as the window would have it after a moment: with all that a picture needs.
AppState state_with_results(const RenderOptions& o, PictureNeeds needs) {
  AppState state = initial_state();
  std::string error;
  if (!o.state.empty() && !open_state_file(state, o.state, &error)) {
    throw CliError(kBadUsage, error);
  }
  choose_fragment(state, o);
  // An instruction's picture depends on nothing that the worker says.
  if (o.panel == "fragment" && !o.atom.empty()) return state;
  Live live(worker::Client::start_process({}), "");
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto enough = [&] {
    if (needs == PictureNeeds::layer) return layer_modelled(state);
    return needs == PictureNeeds::trace && state.results.trace;
  };
  do {
    state.now = std::chrono::duration<double>(Clock::now() - begin).count() + 1;
    state.layer.wanted = needs == PictureNeeds::layer;
    live.update(state);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while (live.busy(state) && !enough() && state.now < 60);
  return state;
}

/// A file that goes away with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    path_ = (std::filesystem::temp_directory_path() / "tilescope-state-XXXXXX").string();
    const int fd = mkstemp(path_.data());
    if (fd < 0) throw CliError(kFailed, fmt::format("no file can be made at {}", path_));
    ::close(fd);
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// SVG and PDF of the panels that are drawn as scenes (viz/scene, viz/vector).
int render_vector(const RenderOptions& o) {
  const Picture* picture = find_picture(o.panel);
  if (!picture) {
    std::vector<std::string> names;
    for (const Picture& one : pictures()) names.push_back(one.name);
    throw CliError(kBadUsage, fmt::format("--out {}: panel {} is not drawn as SVG or PDF; use "
                                          ".png, or one of --panel {}",
                                          o.out, o.panel, fmt::join(names, ", ")));
  }
  int width = 0, height = 0, used = 0;
  if (std::sscanf(o.size.c_str(), "%5dx%5d%n", &width, &height, &used) != 2 ||
      used != static_cast<int>(o.size.size()) || width < 64 || height < 64 || width > 16384 ||
      height > 16384) {
    throw CliError(kBadUsage,
                   fmt::format("--size {} is not WxH with both from 64 to 16384", o.size));
  }
  const AppState state = state_with_results(o, picture->needs);
  const viz::CairoMeasure measure;
  const viz::Scene scene =
      picture->build(state, o.theme == "light" ? viz::light_palette() : viz::dark_palette(),
                     measure, {static_cast<float>(width), static_cast<float>(height)});
  std::string error;
  if (!viz::write_file(scene, o.out, {}, &error)) throw CliError(kFailed, error);
  return kOk;
}

int render_png(const RenderOptions& o) {
  const std::string program = program_folder() + "/tilescope";
  std::vector<std::string> args = {program, "--render", "--panel", o.panel,   "--size",
                                   o.size,  "--out",    o.out,     "--theme", o.theme};
  if (!o.layout.empty()) args.insert(args.end(), {"--layout", o.layout});
  // The window takes it all from a state file.
  std::string state_file = o.state;
  std::unique_ptr<TemporaryFile> made;
  if (!o.atom.empty() || !o.tab.empty()) {
    AppState state = initial_state();
    std::string error;
    if (!o.state.empty() && !open_state_file(state, o.state, &error)) {
      throw CliError(kBadUsage, error);
    }
    choose_fragment(state, o);
    made = std::make_unique<TemporaryFile>(to_json(state).dump());
    state_file = made->path();
  }
  if (!state_file.empty()) args.insert(args.end(), {"--state", state_file});
  const char* display = std::getenv("DISPLAY");
  const bool usable = display && *display && run_program({program, "--check-display"}) == 0;
  std::unique_ptr<PrivateDisplay> own;
  if (!usable) own = std::make_unique<PrivateDisplay>();
  const int code = run_program(args, own ? own->name() : "");
  if (code == -1) {
    throw CliError(kMissing,
                   "the window program (tilescope) is not beside this one; build it or "
                   "choose .svg or .pdf");
  }
  if (code != 0) {
    throw CliError(
        code <= kFailed ? code : kFailed,
        fmt::format("{} was not drawn: the window program ended with code {}", o.out, code));
  }
  return kOk;
}

int run_render(const RenderOptions& o, const Globals& globals) {
  // A picture that is no panel is not in the window: it is drawn like the vector files.
  const Picture* picture = find_picture(o.panel);
  const bool vector = ends_with(o.out, ".svg") || ends_with(o.out, ".pdf") ||
                      (ends_with(o.out, ".png") && picture && !picture->is_panel);
  if (!vector && !ends_with(o.out, ".png")) {
    throw CliError(kBadUsage,
                   fmt::format("--out {}: the name must end in .png, .svg or .pdf", o.out));
  }
  require_folder_of("--out", o.out);
  const int code = vector ? render_vector(o) : render_png(o);
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
      ->capture_default_str();
  app.add_option("--size", o->size, "WxH in pixels")->capture_default_str();
  app.add_option("--out", o->out, "FILE.png, FILE.svg or FILE.pdf")->required();
  app.add_option("--state", o->state, "a state file (File > Save)");
  app.add_option("--atom", o->atom,
                 "an instruction for the Fragment panel, as fragments --list says");
  app.add_option("--tab", o->tab,
                 fmt::format("of the Fragment panel, one of {}", fmt::join(kTabs, ", ")))
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kTabs), std::end(kTabs))));
  std::string layouts;
  for (const LayoutName& layout : kLayouts) {
    layouts += (layouts.empty() ? "" : ", ") + std::string(layout.id);
  }
  app.add_option("--layout", o->layout, "of the window, one of " + layouts);
  app.add_option("--theme", o->theme, "dark or light")
      ->capture_default_str()
      ->check(CLI::IsMember({"dark", "light"}));
  return [o, &globals] { return run_render(*o, globals); };
}

}  // namespace tilescope::cli

#include "app/shell/render_vector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "app/live/live.h"
#include "app/shell/folders.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/session.h"
#include "app/state/state_link.h"
#include "viz/vector/fonts_of_folder.h"
#include "viz/vector/vector.h"

namespace tilescope {
namespace {

constexpr int kBadUsage = 2, kFailed = 4;

bool complain(const std::string& sentence) {
  std::fprintf(stderr, "tilescope: %s\n", sentence.c_str());
  return false;
}

bool ends_with_vector(const std::string& file) {
  return file.ends_with(".svg") || file.ends_with(".pdf");
}

/// As the window would have it after a moment: with all that a picture needs.
void learn(AppState& state, const PictureNeeds& needs) {
  Live live(worker::Client::start_process({}), "");
  live.set_verify_beside(false);
  live.set_compile_ahead(false);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  constexpr double kPatience = 60;  // seconds, as the window has when it renders
  bool enough = false;
  do {
    state.now = std::chrono::duration<double>(Clock::now() - begin).count() + 1;
    enough = needs.ask ? needs.ask(state) : !needs.measured && state.results.trace;
    live.update(state);
    if (!enough) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while (!enough && live.busy(state) && state.now < kPatience);
}

}  // namespace

bool is_drawn_as_vector(const Options& options) {
  if (!options.render) return false;
  const Picture* picture = find_picture(options.panel);
  return ends_with_vector(options.out) || (picture && !picture->is_panel);
}

int render_vector(const Options& options) {
  const Picture* picture = find_picture(options.panel);
  if (!picture) {
    std::vector<std::string> names;
    for (const Picture* one : all_pictures()) names.push_back(one->name);
    complain(
        fmt::format("--out {}: panel {} is not drawn as SVG or PDF; use .png, or one of "
                    "--panel {}",
                    options.out, options.panel, fmt::join(names, ", ")));
    return kBadUsage;
  }
  AppState state = initial_state();
  state.kernel_dir = options.kernel_dir;
  std::string error;
  if (!options.state.empty() && !open_state_file(state, options.state, &error)) {
    complain(error);
    return kBadUsage;
  }
  if (!options.change.empty() && !change_state(state, options.change, &error)) {
    complain(error);
    return kBadUsage;
  }
  if (is_link(options.open)) {
    if (!open_link(state, options.open, &error)) {
      complain(error);
      return kBadUsage;
    }
  } else if (!options.open.empty()) {
    open_own_kernel(state, {std::filesystem::absolute(options.open).string(), ""});
  }
  if (!state.said.empty()) complain(state.said);  // a file that was not opened
  if (!picture->without_plan) error = why_no_plan(state, options.panel);
  if (!error.empty()) {
    complain(error);
    return kBadUsage;
  }
  learn(state, picture->needs);
  viz::use_fonts_of((assets_folder() / "fonts").string());
  const viz::CairoMeasure measure;
  const bool light = options.theme == ThemeKind::kLight;
  const viz::Scene scene =
      picture->build(state, light ? viz::light_palette() : viz::dark_palette(), measure,
                     {static_cast<float>(options.width), static_cast<float>(options.height)});
  if (viz::write_file(scene, options.out, {}, &error)) return 0;
  complain(error);
  return kFailed;
}

}  // namespace tilescope

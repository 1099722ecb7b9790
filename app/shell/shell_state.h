// What the parts of the shell share.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "app/app_model.h"
#include "app/panel.h"
#include "app/shell/folders.h"
#include "app/shell/options.h"
#include "app/shell/palette_rows.h"
#include "app/shell/settings.h"

namespace tilescope {

struct NamedKind;  // app/shell/named.h

struct ShellState {
  Options options;
  std::filesystem::path folder;  // of the session; empty: nothing is kept
  Settings settings;
  CommandTable commands;
  std::unique_ptr<AppModel> model;
  AppContext context;

  bool want_palette = false;  // asked for since the last frame
  bool want_shortcuts = false;
  bool want_picture = false;
  bool want_film = false;
  bool want_quit = false;
  const NamedKind* want_named = nullptr;
  std::string named_layout;    // that comes when its base is there
  int named_layout_waits = 0;  // frames
  Palette palette;
  float display_scale = 1;  // as the display, or the command line, says
  std::string opened;       // file of the kernel that is looked at: it goes to the recent ones
  float frame_ms = 0;       // CPU time of a frame, smoothed
  std::string problem;      // one sentence for the status bar; empty: none

  explicit ShellState(Options given)
      : options(std::move(given)),
        folder(options.render || options.fresh ? std::filesystem::path{} : session_folder()),
        model(make_app_model({.session_folder = folder.string(),
                              .kernel_dir = options.kernel_dir,
                              .time_limit = options.time_limit,
                              .verify_beside = options.verify_beside,
                              .compile_ahead = options.compile_ahead,
                              .rendering = options.render})),
        context{.model = *model, .commands = commands} {}
};

}  // namespace tilescope

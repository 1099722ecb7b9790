// The window: ties panels, commands, theme and layouts to Hello ImGui, and runs until it is closed
// (or, with --render, until the picture is written).
#pragma once
#include <functional>

#include "app/shell/options.h"

namespace HelloImGui {
struct RunnerParams;
}

namespace tilescope {

struct ShellState;

/// Exit code as in docs/cli.md: 0 done, 2 bad usage, 3 no display, 4 failed.
/// `adapt` may change the parameters just before the window opens: the UI tests hook in there.
int run_window(const Options& options,
               const std::function<void(HelloImGui::RunnerParams&, ShellState&)>& adapt = {});

}  // namespace tilescope

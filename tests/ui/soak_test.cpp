// The window left open for long: sliders that move without an end, each layout and panel in its
// turn, what is played, what is asked of the worker. Nothing may pile up: memory in use, open files
// and threads stand where they stood. A share of it in ./test; for as long as one likes with
// TILESCOPE_SOAK_SECONDS (docs/reliability.md).
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "app/shell/shell_state.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "tests/random_tile.h"
#include "tests/ui/held.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// Moves sliders, one after the other, and now and then goes elsewhere.
class Restless {
 public:
  explicit Restless(unsigned seed) : random_(seed) {}

  void move(ImGuiTestContext* ctx) {
    ++moves_;
    if (moves_ % 200 == 0) elsewhere(ctx);
    if (moves_ % 2000 == 0) set_kernel(state(), any_kernel().info.id);
    if (moves_ % 60 == 0) {  // a hand rests, and what was asked for comes
      for (int frames = below(30); frames > 0; --frames) ctx->SleepNoSkip(0.05f, 0.05f);
    }
    const TileConfig tile = random_tile(*state().derived.kernel, random_);
    const Sliders& sliders = state().derived.kernel->sliders;
    if (sliders.count == 0) return;
    const TileFieldId field = sliders.slider[below(sliders.count)].field;
    set_tile_field(state(), field, get(tile, field), 1 + static_cast<int>(field));
  }
  int moves() const { return moves_; }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  const KernelEntry& any_kernel() {
    const KernelTable all = kernel_table();
    return all.entries[below(all.count)];
  }

  /// Another panel at the front; a layout with all that it has; played, or not.
  void elsewhere(ImGuiTestContext* ctx) {
    const auto& panels = all_panels();
    const Panel& panel = *panels[static_cast<size_t>(below(static_cast<int>(panels.size())))];
    show_panel(ctx, panel);
    const ImGuiWindow* window = ImGui::FindWindowByName(panel.title);
    IM_CHECK_SILENT(window && window->WasActive);
    if (below(4) == 0) {
      std::vector<std::string> layouts;
      for (const Command& command : shell().commands.all()) {
        if (command.id.starts_with("view.layout.")) layouts.push_back(command.id);
      }
      run_command(ctx,
                  layouts[static_cast<size_t>(below(static_cast<int>(layouts.size())))].c_str());
    }
    Problem problem = default_problem(state().derived.kernel->info);
    problem.m = problem.n = problem.k = 64 << below(6);
    set_problem(state(), problem);
    ctx->KeyPress(ImGuiKey_Escape);  // whatever is open
    ctx->KeyPress(ImGuiKey_Space);
  }

  std::mt19937 random_;
  int moves_ = 0;
};

UI_TEST("soak", "nothing_piles_up") {
  using Clock = std::chrono::steady_clock;
  const char* asked = std::getenv("TILESCOPE_SOAK_SECONDS");
  const char* seed = std::getenv("TILESCOPE_RANDOM_SEED");
  const double seconds = asked ? std::atof(asked) : 0;
  const int moves = asked ? 0 : 600;
  Restless hand(seed ? static_cast<unsigned>(std::atoi(seed)) : 31);
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  reset_layout(ctx);
  Held settled;
  double told = 0, worst_ms = 0;
  while (!ctx->Abort && (asked ? passed() < seconds : hand.moves() < moves)) {
    hand.move(ctx);
    const auto frame = Clock::now();
    ctx->Yield();
    worst_ms =
        std::max(worst_ms, std::chrono::duration<double, std::milli>(Clock::now() - frame).count());
    // A third of it: caches are full, and each panel has been shown.
    const bool warm = asked ? passed() > seconds / 3 : hand.moves() > moves / 3;
    if (settled.files == 0 && warm) settled = held();
    if (!asked || passed() < told) continue;
    told = passed() + 60;
    ctx->TestOutput->Log.Clear();  // else each rest of the hand stays there
    const Held now = held();
    const int drawn = ImGui::GetIO().MetricsRenderVertices;
    IM_CHECK_GT(drawn, 1000);
    std::printf(
        "%6.0f s %8d moves %7.1f MB in use, %ld files, %ld threads, %d vertices, longest frame "
        "%.0f ms\n",
        passed(), hand.moves(), now.mb, now.files, now.threads, drawn, worst_ms);
    std::fflush(stdout);
  }
  reset_layout(ctx);
  set_edit(state(), initial_state().edit);
  IM_CHECK(eventually(ctx, [] { return state().results.trace != nullptr; }));
  const Held end = held();
  std::printf(
      "%d moves in %.0f s: %.1f MB in use, %.1f MB after a third; %ld files, %ld; %ld threads, "
      "%ld\n",
      hand.moves(), passed(), end.mb, settled.mb, end.files, settled.files, end.threads,
      settled.threads);
  IM_CHECK_LT(end.mb, 1.25 * settled.mb + 16);
  IM_CHECK_LE(end.files, settled.files + 8);
  IM_CHECK_LE(end.threads, settled.threads + 4);
}

}  // namespace
}  // namespace tilescope::ui_test

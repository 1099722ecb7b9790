// Whatever a hand may do, in any order, to whatever stands there: states at random, commands,
// clicks, drags, wheel and keys anywhere in the window. The window must live; ./test --asan says
// more (tests/ui/CMakeLists.txt). TILESCOPE_RANDOM_SEED and _EVENTS repeat a run that failed. The
// diary tells which frames were long; with TILESCOPE_RANDOM_DRAWN=1 each of them has its pixels.
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "app/shell/shell_state.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "tests/any_state/any_state.h"
#include "tests/ui/drawn_frames.h"
#include "tests/ui/held.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

int number_of(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

/// Does one thing after the other, and writes each down before it does it.
class AnyHand {
 public:
  AnyHand(ImGuiTestContext* ctx, unsigned seed)
      : ctx_(ctx),
        any_(seed),
        diary_(TILESCOPE_SCREENS "/random_" + std::to_string(seed) + ".txt") {
    diary_ << "seed " << seed << '\n';
  }

  void do_something() {
    do_one_thing();
    ctx_->Yield(1 + done_++ % 3);
    const FrameTime frame = longest_frame();
    longest_ms_ = std::max(longest_ms_, frame.ms);
    if (frame.ms <= kLongMs) return;
    ++long_;
    say("  a frame of " + std::to_string(static_cast<int>(frame.ms)) + " ms, " +
        std::to_string(static_cast<int>(frame.cpu_ms)) + " of them computing");
  }
  static constexpr double kLongMs = 250;
  int done() const { return done_; }
  double longest_ms() const { return longest_ms_; }
  /// Events with a frame of more than kLongMs.
  int long_frames() const { return long_; }

 private:
  void do_one_thing() {
    switch (any_.below(12)) {
      case 0:
        return choose_state();
      case 1:
        return run_any_command();
      case 2:
        return open_any_panel();
      case 3:
        return drag();
      case 4:
        return turn_wheel();
      case 5:
      case 6:
        return press_key();
      default:
        return click();
    }
  }

  /// Any kernel with any tile of any problem, looked at anywhere.
  void choose_state() {
    const AppState chosen = any_.state();
    say("state " + chosen.edit.rung().kernel + " " + tile_label(chosen.edit));
    set_edit(state(), chosen.edit);
    state().selection = chosen.selection;
    select_level(state(), chosen.selection.level);
    choose_k_step(state(), chosen.playhead.k_step);
    if (any_.one_in(2)) wait_for_worker();
  }

  void wait_for_worker() {
    for (int frames = any_.below(60); frames > 0; --frames) ctx_->SleepNoSkip(0.05f, 0.05f);
  }

  void run_any_command() {
    const std::vector<Command>& all = shell().commands.all();
    const Command& command = all[static_cast<size_t>(any_.below(static_cast<int>(all.size())))];
    if (command.id == "file.quit") return;
    say("command " + command.id);
    shell().commands.request(command.id);
  }

  void open_any_panel() {
    const auto& panels = all_panels();
    const Panel& panel = *panels[static_cast<size_t>(any_.below(static_cast<int>(panels.size())))];
    say(std::string("panel ") + panel.id);
    show_panel(ctx_, panel);
  }

  /// Below the menu bar, where Quit is.
  ImVec2 place() {
    const ImVec2 size = ImGui::GetMainViewport()->Size;
    return {any_.between(1, size.x - 2), any_.between(28, size.y - 2)};
  }

  void move_to(ImVec2 to) {
    say("move " + std::to_string(to.x) + " " + std::to_string(to.y));
    ctx_->MouseTeleportToPos(to);
    ctx_->Yield();
  }

  void click() {
    move_to(place());
    const int button = any_.one_in(5) ? any_.below(3) : 0;
    say("click " + std::to_string(button));
    if (any_.one_in(5)) {
      ctx_->MouseDoubleClick(button);
    } else {
      ctx_->MouseClick(button);
    }
  }

  void drag() {
    move_to(place());
    const int button = any_.one_in(4) ? ImGuiMouseButton_Middle : ImGuiMouseButton_Left;
    say("down " + std::to_string(button));
    ctx_->MouseDown(button);
    for (int i = 1 + any_.below(5); i > 0; --i) move_to(place());
    ctx_->MouseUp(button);
  }

  void turn_wheel() {
    move_to(place());
    const float by = any_.between(-4, 4);
    say("wheel " + std::to_string(by));
    ctx_->MouseWheelY(by);
  }

  /// Of what is bound and what one types into a field.
  void press_key() {
    static constexpr ImGuiKey kKeys[] = {ImGuiKey_Space,    ImGuiKey_LeftArrow, ImGuiKey_RightArrow,
                                         ImGuiKey_UpArrow,  ImGuiKey_DownArrow, ImGuiKey_Home,
                                         ImGuiKey_End,      ImGuiKey_Backspace, ImGuiKey_Escape,
                                         ImGuiKey_Tab,      ImGuiKey_Delete,    ImGuiKey_F1,
                                         ImGuiKey_F5,       ImGuiKey_1,         ImGuiKey_9,
                                         ImGuiKey_Minus,    ImGuiKey_F6,        ImGuiKey_PageUp,
                                         ImGuiKey_PageDown, ImGuiKey_Enter,     ImGuiKey_F11};
    static constexpr const char* kTexts[] = {"0", "-7", "1e9", "65536", "8", "x", "m16n8k16", "$ü"};
    if (any_.one_in(3)) {
      const char* text = any_.one_of(kTexts);
      say(std::string("types ") + text);
      return ctx_->KeyChars(text);
    }
    const int mods = any_.one_in(4) ? ImGuiMod_Shift : 0;
    const ImGuiKey key = any_.one_of(kKeys);
    const bool in_popup = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
    if (key == ImGuiKey_Enter && in_popup) return;  // a menu's Quit, say
    say("key " + std::to_string(key) + (mods ? " with shift" : ""));
    ctx_->KeyPress(key | mods);
  }

  void say(const std::string& what) { diary_ << what << std::endl; }

  ImGuiTestContext* ctx_;
  AnyState any_;
  std::ofstream diary_;
  int done_ = 0, long_ = 0;
  double longest_ms_ = 0;
};

UI_TEST("random", "whatever_a_hand_does_the_window_lives") {
  using Clock = std::chrono::steady_clock;
  const auto seed = static_cast<unsigned>(number_of("TILESCOPE_RANDOM_SEED", 26));
  const int events = number_of("TILESCOPE_RANDOM_EVENTS", 200);
  // With seconds it goes on as long, whatever the events; memory must be flat after the first ten
  // minutes.
  const int seconds = number_of("TILESCOPE_RANDOM_SECONDS", 0);
  std::printf("random events, seed %u; what was done is in screens/random_%u.txt\n", seed, seed);
  reset_layout(ctx);
  run_command(ctx, "file.quit");  // which a hand may find, too
  IM_CHECK_EQ(refused_quits(), 1);
  AnyHand hand(ctx, seed);
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  double told = 0;
  std::vector<double> each_minute;  // MB in use
  std::optional<DrawEachFrame> drawn;
  if (number_of("TILESCOPE_RANDOM_DRAWN", 0) != 0) drawn.emplace();
  (void)longest_frame();
  while (!ctx->Abort && (seconds > 0 ? passed() < seconds : hand.done() < events)) {
    hand.do_something();
    if (passed() < told) continue;
    told = passed() + 60;
    ctx->TestOutput->Log.Clear();  // else all that the hand does stays there
    each_minute.push_back(in_use_mb());
    std::printf("%6.0f s %7d events %7.0f MB, %.1f MB of them in use, %d windows\n", passed(),
                hand.done(), resident_mb(), each_minute.back(),
                ImGui::GetCurrentContext()->Windows.Size);
    std::fflush(stdout);
  }
  std::printf(
      "%d events in %.0f s, %.0f MB, %d times Quit; %d with a frame over %.0f ms, the longest %.0f "
      "ms\n",
      hand.done(), passed(), resident_mb(), refused_quits() - 1, hand.long_frames(),
      AnyHand::kLongMs, hand.longest_ms());
  // What is left behind can still be worked with.
  ctx->KeyPress(ImGuiKey_Escape);
  reset_layout(ctx);
  set_edit(state(), initial_state().edit);
  IM_CHECK(eventually(ctx, [] { return state().results.trace != nullptr; }));
  // One moment holds a third more or less than another, by a trace or an L2 that is simulated, and
  // caches fill for 9,000 events: four minutes each, and twice as much is no cache.
  constexpr size_t kSettled = 10, kOfMean = 4;
  if (each_minute.size() < kSettled + 1 + kOfMean) return;
  const auto mean = [&](size_t first) {
    const auto from = each_minute.begin() + static_cast<std::ptrdiff_t>(first);
    return std::accumulate(from, from + kOfMean, 0.0) / kOfMean;
  };
  IM_CHECK_LT(mean(each_minute.size() - kOfMean), 2 * mean(kSettled - kOfMean + 1));
}

}  // namespace
}  // namespace tilescope::ui_test

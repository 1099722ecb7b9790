#include "app/shell/window.h"

#include <GLFW/glfw3.h>
#include <hello_imgui/hello_imgui.h>
#include <implot/implot.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "app/shell/bars.h"
#include "app/shell/chord_trickle.h"
#include "app/shell/command_palette.h"
#include "app/shell/display.h"
#include "app/shell/dropped_files.h"
#include "app/shell/end_signals.h"
#include "app/shell/film_form.h"
#include "app/shell/film_taking.h"
#include "app/shell/folders.h"
#include "app/shell/fonts.h"
#include "app/shell/headless.h"
#include "app/shell/idle.h"
#include "app/shell/keeping.h"
#include "app/shell/keyboard_mode.h"
#include "app/shell/language_choice.h"
#include "app/shell/layouts.h"
#include "app/shell/named.h"
#include "app/shell/panel_window.h"
#include "app/shell/picture_form.h"
#include "app/shell/rescue.h"
#include "app/shell/shell_commands.h"
#include "app/shell/shell_state.h"
#include "app/shell/shortcut.h"
#include "app/shell/style.h"
#include "app/shell/waker.h"

namespace tilescope {
namespace {
using Clock = std::chrono::steady_clock;

class Window {
 public:
  Window(const Options& options, EndSignals* signals);
  int run(const std::function<void(HelloImGui::RunnerParams&, ShellState&)>& adapt);

 private:
  bool open_session(std::string* error);
  void set_up_window(HelloImGui::RunnerParams* params);
  void set_up_panels(HelloImGui::RunnerParams* params);
  void set_up_callbacks(HelloImGui::RunnerParams* params);
  void after_init();
  void begin_frame();
  void follow_opened();
  void before_swap();
  void advance_render();
  void finish_render(const std::string& error);

  ShellState shell_;
  Keeping keeping_{shell_};
  const Panel* only_panel_ = nullptr;
  IdleGovernor idle_;
  ChordTrickle chords_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point frame_begin_;
  std::optional<OffscreenTarget> target_;
  int quiet_frames_ = 0, frames_ = 0, exit_code_ = 0;
  // Who wakes may live longer than the window.
  const std::shared_ptr<Waker> waker_ = std::make_shared<Waker>();
  EndSignals* const signals_;         // null: they end the program as they do any
  std::unique_ptr<FilmTaking> film_;  // that --render makes
  // These call what stands above them, so they go first.
  HelloImGui::RunnerParams params_;
  std::optional<Rescue> rescue_;
};

Window::Window(const Options& options, EndSignals* signals) : shell_(options), signals_(signals) {}

bool Window::open_session(std::string* error) {
  shell_.model->attach(shell_.context);
  keeping_.load();
  if (shell_.options.theme) shell_.settings.theme = *shell_.options.theme;
  shell_.context.theme = &theme_of(shell_.settings.theme, shell_.options.high_contrast);
  shell_.context.still = shell_.options.reduced_motion || shell_.settings.still;
  shell_.context.rendering = shell_.options.render;
  if (shell_.options.panel != "window") {
    only_panel_ = find_panel(shell_.options.panel);
    if (!only_panel_) {
      *error = "there is no panel \"" + shell_.options.panel + "\"; there are: window";
      for (const Panel* panel : all_panels()) *error += std::string(", ") + panel->id;
      return false;
    }
  }
  if (!shell_.options.state.empty() && !shell_.model->open(shell_.options.state, error)) {
    return false;
  }
  if (!shell_.options.open.empty() && !shell_.model->open(shell_.options.open, error)) {
    return false;
  }
  if (!shell_.options.change.empty() && !shell_.model->change(shell_.options.change, error)) {
    return false;
  }
  shell_.commands.add(shell_.model->commands());
  shell_.commands.add(shell_commands(shell_));
  // After the commands, which keep their English names: the palette knows them by these, too.
  begin_language(shell_);
  load_panel_options(shell_.settings, shell_.context);
  return true;
}

void Window::set_up_window(HelloImGui::RunnerParams* params) {
  const Options& options = shell_.options;
  params->appWindowParams.windowTitle = "Tilescope";
  params->appWindowParams.windowGeometry.size = {options.width, options.height};
  params->appWindowParams.hidden = options.render;
  params->rendererBackendOptions.openGlOptions.AntiAliasingSamples = 0;  // halves a frame's time
  params->dpiAwareParams.dpiWindowSizeFactor =
      options.scale > 0 ? options.scale : shell_.settings.scale;
  params->fpsIdling.fpsIdle = 9;
  params->fpsIdling.fpsMax = options.render ? 0.f : 60.f;  // where vsync does nothing, too
  params->fpsIdling.enableIdling = !options.render;
  params->fpsIdling.vsyncToMonitor = !options.render;
  if (options.render) {
    params->dpiAwareParams.dpiWindowSizeFactor = options.scale > 0 ? options.scale : 1;
  }
  if (options.render || options.size_in_pixels) {
    params->appWindowParams.windowGeometry.windowSizeMeasureMode =
        HelloImGui::WindowSizeMeasureMode::ScreenCoords;
  }
  if (shell_.folder.empty()) {
    params->iniDisable = true;
  } else {
    params->appWindowParams.restorePreviousGeometry = true;
    params->iniFolderType = HelloImGui::IniFolderType::AbsolutePath;
    params->iniFilename = (shell_.folder / kDockingFile).string();
  }
}

void Window::set_up_panels(HelloImGui::RunnerParams* params) {
  auto& window = params->imGuiWindowParams;
  window.rememberTheme = false;
  window.showStatusBar = false;  // ours is an edge toolbar: 22 px, not 34
  if (only_panel_) {
    window.defaultImGuiWindowType = HelloImGui::DefaultImGuiWindowType::ProvideFullScreenWindow;
    params->callbacks.ShowGui = [this] { draw_lone_panel(*only_panel_, shell_.context); };
    return;
  }
  window.defaultImGuiWindowType = HelloImGui::DefaultImGuiWindowType::ProvideFullScreenDockSpace;
  window.showMenuBar = true;
  window.showMenu_App = false;
  window.showMenu_View = false;
  const bool in_pixels = shell_.options.render || shell_.options.size_in_pixels;
  const float scale = in_pixels && shell_.options.scale > 0 ? shell_.options.scale : 1;
  auto layouts = make_layouts(static_cast<float>(shell_.options.width) / scale,
                              static_cast<float>(shell_.options.height) / scale,
                              [this](const Panel& panel) { draw_panel(panel, shell_.context); });
  const std::string wanted = layout_at_start(shell_.options, shell_.settings.layout);
  const auto named = std::ranges::find(kLayouts, wanted, &LayoutName::id);
  const auto first = named == std::end(kLayouts) ? 0 : named - std::begin(kLayouts);
  // The settings' own: what Hello ImGui has of it may be older.
  if (!wanted.empty()) params->rememberSelectedAlternativeLayout = false;
  std::rotate(layouts.begin(), layouts.begin() + first, layouts.begin() + first + 1);
  params->dockingParams = layouts.front();
  params->alternativeDockingLayouts.assign(layouts.begin() + 1, layouts.end());
}

void Window::set_up_callbacks(HelloImGui::RunnerParams* params) {
  auto& callbacks = params->callbacks;
  callbacks.defaultIconFont = HelloImGui::DefaultIconFont::NoIcons;
  callbacks.LoadAdditionalFonts = [this] { shell_.context.fonts = load_fonts(); };
  callbacks.SetupImGuiStyle = [this] {
    apply_style_sizes();
    apply_theme_colors(*shell_.context.theme);
  };
  callbacks.PostInit = [this] { after_init(); };
  callbacks.PreNewFrame = [this] { begin_frame(); };
  callbacks.PostNewFrame = [this] {
    chords_.after_new_frame();
    keyboard_in_frame();
  };
  callbacks.ShowMenus = [this] { draw_menu_bar(shell_); };
  callbacks.PostRenderDockableWindows = [this] {
    if (!only_panel_) share_middle();
    handle_shortcuts(shell_.commands);
    draw_popups(shell_);
  };
  if (!only_panel_) {
    HelloImGui::EdgeToolbarOptions bar;
    bar.sizeEm = kStatusBarHeight / Fonts::kText;
    bar.WindowPaddingEm = {0, 0};
    bar.WindowBg = {0, 0, 0, 1.f / 255};  // its own ground is drawn by draw_status_bar
    callbacks.AddEdgeToolbar(
        HelloImGui::EdgeToolbarType::Bottom, [this] { draw_status_bar(shell_); }, bar);
  }
  callbacks.CustomBackground = [this] {
    if (target_) target_->bind();
    const ImVec4 color = to_vec4(shell_.context.theme->background);
    clear_background(color);
  };
  callbacks.BeforeImGuiRender = [this] {
    if (target_) target_->bind();
  };
  callbacks.BeforeSwap = [this] { before_swap(); };
  callbacks.BeforeExit = [this] {
    waker_->close();
    cancel_film();
    film_.reset();
    keeping_.save();
    target_.reset();
    ImPlot::DestroyContext();
  };
}

void Window::after_init() {
  ImPlot::CreateContext();
  translate_tabs();
  if (shell_.settings.scale == 0 || shell_.options.scale > 0) {
    shell_.display_scale = HelloImGui::GetRunnerParams()->dpiAwareParams.dpiWindowSizeFactor;
  }
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigDpiScaleFonts = false;  // Hello ImGui does it
  if (!shell_.options.strict) {
    // A panel that forgets a Pop costs a line in the log, not the session; tests still assert.
    io.ConfigErrorRecoveryEnableAssert = false;
    io.ConfigErrorRecoveryEnableTooltip = false;
  }
  if (!shell_.options.render) {
    // What the worker says is shown when it comes, not when an idle window looks for it.
    shell_.model->on_activity([waker = waker_] { waker->wake(); });
    if (signals_) signals_->on_asked([waker = waker_] { waker->wake(); });
    open_what_is_dropped(shell_);
    return;
  }
  // Hello ImGui cuts a window to the screen's size; a hidden one need not fit.
  auto* window =
      static_cast<GLFWwindow*>(HelloImGui::GetRunnerParams()->backendPointers.glfwWindow);
  glfwSetWindowSize(window, shell_.options.width, shell_.options.height);
  target_.emplace(shell_.options.width, shell_.options.height);
}

void Window::begin_frame() {
  frame_begin_ = Clock::now();
  chords_.before_new_frame();
  follow_keyboard();
  auto* params = HelloImGui::GetRunnerParams();
  shell_.context.scale = params->dpiAwareParams.dpiWindowSizeFactor;
  shell_.commands.run_pending(shell_.context);
  shell_.model->begin_frame(shell_.context);
  follow_named_layout(shell_);
  film_before_frame(shell_);
  if (film_) film_->before_frame();
  follow_opened();
  if (shell_.want_quit || (signals_ && signals_->asked())) params->appShallExit = true;
  if (!shell_.options.render) {
    constexpr double kBlink = 0.4;  // of the cursor in a text field
    double still = shell_.model->unchanged_for();
    if (ImGui::GetIO().WantTextInput) still = std::min(still, kBlink);
    still = std::min(still, keeping_.due_in());
    idle_.begin_frame(shell_.model->busy() || film_is_taken(), still);
    keeping_.each_frame(idle_.may_wait());
    params->fpsIdling.enableIdling = idle_.may_wait();
    params->fpsIdling.fpsIdle = idle_.rate();
  }
}

/// A kernel of one's own that is looked at, however it was opened.
void Window::follow_opened() {
  const OwnKernel* own = shell_.context.state ? shell_.context.state->edit.own() : nullptr;
  const std::string file = own ? own->file : std::string();
  if (std::exchange(shell_.opened, file) != file && !file.empty()) {
    remember_file(shell_.settings, file);
  }
}

void Window::before_swap() {
  const std::chrono::duration<float, std::milli> took = Clock::now() - frame_begin_;
  shell_.frame_ms =
      shell_.frame_ms == 0 ? took.count() : shell_.frame_ms * 0.9f + took.count() * 0.1f;
  if (shell_.options.render) return advance_render();
  save_wanted_pixels(shell_);
}

/// Docking settles over the first frames; results of the worker come when they come.
void Window::advance_render() {
  constexpr int kSettle = 8, kQuiet = 4;
  constexpr std::chrono::seconds kPatience{60};
  auto* params = HelloImGui::GetRunnerParams();
  if (film_) {
    film_->after_frame();
    if (film_->ended()) finish_render(film_->error());
    return;
  }
  ++frames_;
  const bool busy = shell_.model->busy();
  quiet_frames_ = busy ? 0 : quiet_frames_ + 1;
  const bool late = Clock::now() - begin_ > kPatience;
  if (!late && (frames_ < kSettle || quiet_frames_ < kQuiet)) {
    // Frames that only wait leave the cores to those who work.
    params->fpsIdling.fpsMax = busy && frames_ >= kSettle ? 8.f : 0.f;
    return;
  }
  if (late) std::fputs("tilescope: still busy after 60 s; drawing what there is\n", stderr);
  const ScreenPart all{0, 0, shell_.options.width, shell_.options.height};
  std::string error;
  if (!FilmTaking::is_one(shell_.options.out)) {
    target_->write_png(shell_.options.out, &error);
    return finish_render(error);
  }
  params->fpsIdling.fpsMax = 0.f;
  film_ = std::make_unique<FilmTaking>(*shell_.context.state,
                                       FilmOptions{.path = shell_.options.out,
                                                   .seconds = shell_.options.seconds,
                                                   .frames = shell_.options.frames},
                                       all);
}

void Window::finish_render(const std::string& error) {
  if (!error.empty()) {
    std::fprintf(stderr, "tilescope: %s\n", error.c_str());
    exit_code_ = 4;
  }
  HelloImGui::GetRunnerParams()->appShallExit = true;
}

/// Frames allocate and free the same megabytes again and again (draw lists, a software renderer's
/// buffers): given back to the kernel each time, they come as page faults in the next frame.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kBytes = 32 << 20;
  mallopt(M_TRIM_THRESHOLD, kBytes);
  mallopt(M_MMAP_THRESHOLD, kBytes);
#endif
}

int Window::run(const std::function<void(HelloImGui::RunnerParams&, ShellState&)>& adapt) {
  std::string error;
  if (!open_session(&error)) {
    std::fprintf(stderr, "tilescope: %s\n", error.c_str());
    return 2;
  }
  if (!check_display(&error)) {
    std::fprintf(stderr, "tilescope: %s\n", error.c_str());
    return 3;
  }
  keep_freed_memory();
  HelloImGui::RunnerParams& params = params_;
  set_up_window(&params);
  set_up_panels(&params);
  set_up_callbacks(&params);
  if (adapt) adapt(params, shell_);
  rescue_.emplace([this] { keeping_.save(); });
  try {
    HelloImGui::Run(params);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tilescope: %s; the session is saved in %s\n", failure.what(),
                 shell_.folder.c_str());
    keeping_.save();
    return 4;
  }
  rescue_.reset();
  return exit_code_;
}

}  // namespace

int run_window(const Options& options,
               const std::function<void(HelloImGui::RunnerParams&, ShellState&)>& adapt) {
  // Before the worker's threads: they inherit whom signals are for.
  std::unique_ptr<EndSignals> signals;
  if (!options.render) signals = std::make_unique<EndSignals>();
  auto window = std::make_unique<Window>(options, signals.get());
#ifdef __EMSCRIPTEN__
  // A browser calls each frame: run() leaves through the roof, and the window stays.
  signals.release();
  return window.release()->run(adapt);
#else
  return window->run(adapt);
#endif
}

}  // namespace tilescope

// tilescope_ui_tests [--filter TEXT | --category NAME] [--junit FILE] [--list] [--size WxH]
// [--scale S] [--state FILE]
// [--racy FOLDER] [--time-limit SECONDS]: opens the window and plays the tests in it. Without a
// filter all but those named with_…; --racy writes a kernel that races into FOLDER and shows it. 0:
// all passed; 1: some failed or none ran.
#include <dlfcn.h>
#include <hello_imgui/hello_imgui.h>
#include <link.h>

#include <cfloat>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "app/features/tune/tune.h"
#include "app/shell/window.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "app/state/known_results.h"
#include "tests/planted.h"
#include "tests/ui/drawn_frames.h"
#include "tests/ui/ui_test.h"

namespace tilescope {
extern const Panel extra_panel;  // tests/fixtures
}

namespace tilescope::ui_test {
namespace {

ShellState* current = nullptr;
std::string filter, category, junit;
bool queued = false;
int failures = -1, quits = 0;

void register_tests() {
  ImGuiTestEngine* engine = HelloImGui::GetImGuiTestEngine();
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine);
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigVerboseLevel = ImGuiTestVerboseLevel_Warning;
  io.ConfigVerboseLevelOnError = ImGuiTestVerboseLevel_Debug;
  io.ConfigLogToTTY = true;
  io.ConfigNoThrottle = true;
  io.ConfigSavedSettings = false;
  io.ConfigMouseDrawCursor = false;
  io.ConfigFixedDeltaTime = 1.0f / 60;  // whatever a frame takes here
  // A slow machine is no fault: what hangs is ended by ctest.
  io.ConfigWatchdogWarning = io.ConfigWatchdogKillTest = io.ConfigWatchdogKillApp = FLT_MAX;
  if (!junit.empty()) {
    io.ExportResultsFilename = junit.c_str();
    io.ExportResultsFormat = ImGuiTestEngineExportFormat_JUnitXml;
  }
  for (const UiTest& test : all_tests()) {
    ImGuiTest* registered = ImGuiTestEngine_RegisterTest(engine, test.category, test.name);
    registered->TestFunc = test.run;
    // Those that need something special of the program are asked for by name.
    if (!category.empty()) {
      if (category != test.category) continue;
      ImGuiTestEngine_QueueTest(engine, registered, ImGuiTestRunFlags_RunFromCommandLine);
    } else if (filter.empty() && !std::string_view(test.category).starts_with("with_"))
      ImGuiTestEngine_QueueTest(engine, registered, ImGuiTestRunFlags_RunFromCommandLine);
  }
  if (!filter.empty() && category.empty()) {
    ImGuiTestEngine_QueueTests(engine, ImGuiTestGroup_Tests, filter.c_str(),
                               ImGuiTestRunFlags_RunFromCommandLine);
  }
  queued = true;
}

#ifdef __SANITIZE_ADDRESS__
/// What GL's drivers leave behind can only be put down to them (tests/leaks.txt) while they are
/// there; GLFW closes them.
void keep_libraries() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        if (*info->dlpi_name) dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        return 0;
      },
      nullptr);
}
#else
void keep_libraries() {}
#endif

/// A hand at random finds Quit in a menu or the palette: the test would go on without frames.
void refuse_quit() {
  if (!current->want_quit || failures >= 0) return;
  current->want_quit = HelloImGui::GetRunnerParams()->appShallExit = false;
  ++quits;
}

void end_when_done() {
  ImGuiTestEngine* engine = HelloImGui::GetImGuiTestEngine();
  if (!queued || !ImGuiTestEngine_IsTestQueueEmpty(engine) || failures >= 0) return;
  ImGuiTestEngineResultSummary summary;
  ImGuiTestEngine_GetResultSummary(engine, &summary);
  std::printf("%d of %d tests passed\n", summary.CountSuccess, summary.CountTested);
  keep_libraries();
  failures = summary.CountTested == 0 ? 1 : summary.CountTested - summary.CountSuccess;
  HelloImGui::GetRunnerParams()->appShallExit = true;
}

}  // namespace

std::vector<UiTest>& all_tests() {
  static std::vector<UiTest> tests;
  return tests;
}

std::vector<std::pair<const KernelEntry*, Slider>> all_sliders() {
  std::vector<std::pair<const KernelEntry*, Slider>> all;
  for (const KernelEntry& kernel : kernel_table()) {
    for (int i = 0; i < kernel.sliders.count; ++i) {
      all.emplace_back(&kernel, kernel.sliders.slider[i]);
    }
  }
  return all;
}

int refused_quits() { return quits; }

ShellState& shell() { return *current; }
AppState& state() { return *current->context.state; }

void run_command(ImGuiTestContext* ctx, const char* id) {
  shell().commands.request(id);
  ctx->Yield(3);
}

void open_tune(ImGuiTestContext* ctx, const char* device, const char* kernel, int extent) {
  run_command(ctx, "view.layout.tune");
  run_command(ctx, "view.reset_layout");
  ctx->Yield(6);
  choose_device(state(), device);
  set_kernel(state(), kernel);
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = default_problem(state().derived.kernel->info);
  p.m = p.n = p.k = extent;
  set_problem(state(), p);
  state().of<TuneView>().slider_curve.clear();
  ctx->Yield(2);
  IM_CHECK(eventually(ctx, [] {
    return state().results.stage == Stage::done &&
           state().results.edit_serial == state().edit_serial && state().known.loaded &&
           state().known.of == results_of(state());
  }));
  ctx->Yield(4);
}

bool eventually(ImGuiTestContext* ctx, const std::function<bool()>& condition) {
  // Frames that are not drawn outrun the worker: it gets the processor between them.
  for (int i = 0; i < 12000 && !condition() && !ctx->Abort; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
    ctx->SleepNoSkip(0.05f, 0.05f);
  }
  return condition();
}

bool settled(ImGuiTestContext* ctx) {
  const bool done = eventually(ctx, [] { return state().results.of && l2_known(state()); });
  ctx->Yield(2);
  return done;
}

bool resized(ImGuiTestContext* ctx, int width, int height) {
  HelloImGui::ChangeWindowSize({width, height});
  const bool done = eventually(ctx, [&] {
    const ImVec2 size = ImGui::GetMainViewport()->Size;
    return static_cast<int>(size.x) == width && static_cast<int>(size.y) == height;
  });
  ctx->Yield(6);  // docks and what they hold settle
  return done;
}

void reset_layout(ImGuiTestContext* ctx) {
  run_command(ctx, "view.layout.explore");
  run_command(ctx, "view.reset_layout");
  ctx->Yield(4);
}

void show_panel(ImGuiTestContext* ctx, const Panel& panel) {
  auto* window = HelloImGui::GetRunnerParams()->dockingParams.dockableWindowOfName(panel.title);
  IM_CHECK_SILENT(window != nullptr);
  window->isVisible = true;
  window->focusWindowAtNextFrame = true;
  ctx->Yield(6);
}

void screenshot(ImGuiTestContext* ctx, const char* name) {
  // Nobody looks at those of ./test, and they take a sixth of its time.
  if (const char* said = std::getenv("TILESCOPE_SCREENSHOTS");
      said && std::string_view(said) == "off")
    return;
  const DrawEachFrame drawn;
  ctx->CaptureReset();
  ctx->CaptureArgs->InFlags |= ImGuiCaptureFlags_Instant;
  const std::string file = std::string(TILESCOPE_SCREENS "/") + name + ".png";
  ImStrncpy(ctx->CaptureArgs->InOutputFile, file.c_str(), sizeof ctx->CaptureArgs->InOutputFile);
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ctx->CaptureArgs->InCaptureRect = {
      viewport->Pos, {viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y}};
  ctx->CaptureScreenshot(ctx->CaptureArgs->InFlags);
}

}  // namespace tilescope::ui_test

int main(int argc, char** argv) {
  using namespace tilescope;
  add_panel(extra_panel);
  Options options;
  options.fresh = true;
  options.strict = true;
  options.scale = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--list") {
      for (const auto& test : ui_test::all_tests())
        std::printf("%s/%s\n", test.category, test.name);
      return 0;
    }
    if (argument == "--filter" && i + 1 < argc) {
      ui_test::filter = argv[++i];
    } else if (argument == "--category" && i + 1 < argc) {
      ui_test::category = argv[++i];
    } else if (argument == "--junit" && i + 1 < argc) {
      ui_test::junit = argv[++i];
    } else if (argument == "--state" && i + 1 < argc) {
      options.state = argv[++i];
    } else if (argument == "--racy" && i + 1 < argc) {
      options.kernel_dir = racy_kernels(TILESCOPE_SOURCE_DIR, argv[++i]);
    } else if (argument == "--time-limit" && i + 1 < argc) {
      options.time_limit = std::atof(argv[++i]);
    } else if (argument == "--scale" && i + 1 < argc) {
      options.scale = static_cast<float>(std::atof(argv[++i]));
    } else if (argument == "--size" && i + 1 < argc) {
      std::sscanf(argv[++i], "%dx%d", &options.width, &options.height);
    } else {
      std::fprintf(stderr, "unknown option %s\n", argv[i]);
      return 2;
    }
  }
  // All of a C of 4096³, and a dozen neighbours compiled for each edit, would be most of what a
  // test takes. Where anything may happen they happen, too.
  options.verify_beside = options.compile_ahead =
      ui_test::category == "random" || ui_test::category == "soak";
  const int code = run_window(options, [](HelloImGui::RunnerParams& params, ShellState& shell) {
    ui_test::current = &shell;
    params.useImGuiTestEngine = true;
    params.fpsIdling.enableIdling = params.fpsIdling.vsyncToMonitor = false;
    params.fpsIdling.fpsMax = 0;
    params.callbacks.RegisterTests = ui_test::register_tests;
    params.callbacks.AfterSwap = [] {
      ui_test::refuse_quit();
      ui_test::end_when_done();
    };
  });
  if (code != 0) return code;
  return ui_test::failures == 0 ? 0 : 1;
}

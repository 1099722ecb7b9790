// The window as a page: begins where main() does elsewhere, once the page has fetched what it
// needs. The functions are page/site/page.js's to call, between frames.
#include <GLFW/glfw3.h>
#include <emscripten.h>
#include <hello_imgui/hello_imgui.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/common/layout_names.h"
#include "app/panel.h"
#include "app/shell/folders.h"
#include "app/shell/language_choice.h"
#include "app/shell/options.h"
#include "app/shell/settings.h"
#include "app/shell/shell_state.h"
#include "app/shell/window.h"
#include "app/state/edit.h"
#include "app/state/scene_words.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "page/window/page_clipboard.h"
#include "page/window/page_language.h"

namespace tilescope {
namespace {

constexpr const char* kFrontDoor = "learn";  // the layout that lists the lessons

struct Page {
  ShellState* shell = nullptr;
  HelloImGui::RunnerParams* params = nullptr;
  std::string told;    // the last text that was given out
  bool looks = false;  // for answers, between frames
};
Page& page() {
  static Page one;
  return one;
}

void look_for_answers(int ms);

const char* given(std::string text) {
  page().told = std::move(text);
  return page().told.c_str();
}

/// A frame soon, though nobody touched anything.
void wake() { page().params->fpsIdling.enableIdling = false; }

bool only_waiting() {
  const ShellState& shell = *page().shell;
  return shell.context.state && shell.model->waiting() && !ImGui::IsAnyMouseDown();
}

bool stepped() {
  const AppState* const state = page().shell->context.state;
  return state && trace_is_of_choice(*state);
}

/// From an answer to the question that follows from it, and from a slider's rest to the first
/// question, no frame is waited for: a software renderer's takes longer than what is asked, and the
/// processors that the engine needs. So what has come is drawn once steps are there, or all is.
void take_answers(void*) {
  constexpr int kBetweenLooks = 8;  // ms
  page().looks = false;
  if (!only_waiting()) return wake();
  const bool before = stepped();
  page().shell->model->take_answers();
  if (!only_waiting() || (!before && stepped())) wake();
  if (only_waiting()) look_for_answers(kBetweenLooks);
}

void look_for_answers(int ms) {
  if (std::exchange(page().looks, true)) return;
  emscripten_async_call(take_answers, nullptr, ms);
}

/// While answers are waited for, few frames; fewest while steps may come.
void spare_frames() {
  constexpr float kBeforeSteps = 4, kWaiting = 8;  // frames per second
  if (!only_waiting()) return;
  page().params->fpsIdling.enableIdling = true;
  page().params->fpsIdling.fpsIdle = stepped() ? kWaiting : kBeforeSteps;
  look_for_answers(0);
}

void adapt(HelloImGui::RunnerParams& params, ShellState& shell) {
  page().shell = &shell;
  page().params = &params;
  // The canvas is the window, and has the page's size.
  params.appWindowParams.restorePreviousGeometry = false;
  params.fpsIdling.timeActiveAfterLastEvent = 0.2f;  // seconds
  params.callbacks.PreNewFrame = [before = params.callbacks.PreNewFrame] {
    before();
    spare_frames();
  };
  params.callbacks.PostInit = [before = params.callbacks.PostInit] {
    before();
    use_clipboard_of_page();
    page().shell->model->on_activity([] { only_waiting() ? look_for_answers(0) : wake(); });
  };
}

}  // namespace
}  // namespace tilescope

extern "C" {

/// Pixels of the canvas, and how many of them a pixel of the page is. `open`: a link, or empty.
/// `panel`: one that fills the page, as --panel; empty: the window. `layout`: as --layout; empty:
/// the last one used, or of who comes for the first time and brings no link the lessons. `theme`:
/// "dark" or "light" of who has not chosen here, else empty. `language`: as --language; empty: the
/// last one used, or the browser's. `contrast`, `still`: more contrast, less motion are wanted.
EMSCRIPTEN_KEEPALIVE void tilescope_open(int width, int height, double scale, const char* open,
                                         const char* panel, const char* layout, const char* theme,
                                         const char* language, bool contrast, bool still) {
  using namespace tilescope;
  Options options;
  options.width = width;
  options.height = height;
  options.scale = static_cast<float>(scale);
  options.size_in_pixels = true;
  options.verify_beside = false;
  options.high_contrast = contrast;
  options.reduced_motion = still;
  options.language = language;
  if (find_panel(panel)) options.panel = panel;
  if (*theme) options.theme = std::string(theme) == "dark" ? ThemeKind::kDark : ThemeKind::kLight;
  static std::string link = open;
  const auto is_known = [&](const LayoutName& one) { return std::string(one.id) == layout; };
  if (!*open && !*panel) options.first_layout = kFrontDoor;
  if (std::ranges::any_of(kLayouts, is_known)) options.layout = layout;
  run_window(options, [](HelloImGui::RunnerParams& params, ShellState& shell) {
    adapt(params, shell);
    std::string error;
    // A link that cannot be opened is a sentence, and the page opens all the same.
    if (!link.empty() && !shell.model->open(link, &error)) shell.problem = error;
  });
}

/// Id of the language that a window would begin with: what it is written with is to be there
/// before. `asked`: as of tilescope_open.
EMSCRIPTEN_KEEPALIVE const char* tilescope_first_language(const char* asked) {
  using namespace tilescope;
  Options options;
  options.language = asked;
  return given(first_language(options, kept_language(session_folder() / kSettingsFile)));
}

/// Id of the one that is spoken now.
EMSCRIPTEN_KEEPALIVE const char* tilescope_language() { return tilescope::language().id.c_str(); }

/// Somebody touched something: an idle window draws its next frame at once.
EMSCRIPTEN_KEEPALIVE void tilescope_wake() {
  if (tilescope::page().params) tilescope::wake();
}

/// The page has put the font of languages where fonts are.
EMSCRIPTEN_KEEPALIVE void tilescope_language_font_came() {
  tilescope::language_font_came();
  tilescope_wake();
}

/// Whether a font has this character: for tests.
EMSCRIPTEN_KEEPALIVE int tilescope_draws(unsigned character) {
  if (!tilescope::page().shell) return 0;
  ImFont* const font = tilescope::page().shell->context.fonts.text;
  return font && font->IsGlyphInFont(static_cast<ImWchar>(character)) ? 1 : 0;
}

EMSCRIPTEN_KEEPALIVE void tilescope_resize(int width, int height, double scale) {
  auto* const params = tilescope::page().params;
  if (!params) return;
  params->dpiAwareParams.dpiWindowSizeFactor = static_cast<float>(scale);
  glfwSetWindowSize(static_cast<GLFWwindow*>(params->backendPointers.glfwWindow), width, height);
  tilescope::wake();
}

/// A link, or the path of a file where the page has put it.
EMSCRIPTEN_KEEPALIVE void tilescope_open_this(const char* text) {
  using namespace tilescope;
  if (!page().shell) return;
  page().shell->problem.clear();
  std::string error;
  if (!page().shell->model->open(text, &error)) page().shell->problem = error;
  wake();
}

/// What is shown, as a link's part behind "#"; empty if it does not fit into one.
EMSCRIPTEN_KEEPALIVE const char* tilescope_link() {
  using namespace tilescope;
  return given(page().shell ? page().shell->model->link() : std::string());
}

/// What is shown, in words.
EMSCRIPTEN_KEEPALIVE const char* tilescope_state_text() {
  using namespace tilescope;
  std::string words;
  if (page().shell) {
    const AppState* const state = page().shell->context.state;
    if (state && state->derived.kernel) {
      words = std::string(translated(state->derived.kernel->info.title)) + ", " +
              tile_label(state->edit) + ". ";
    }
    for (const StatusItem& item : page().shell->model->status()) {
      words += retold(item.text) + ". ";
    }
    if (state && !state->results.error.empty()) words += retold(state->results.error) + " ";
    words += page().shell->problem;
  }
  return given(std::move(words));
}

/// A command of the palette, by its id: it runs in the next frame.
EMSCRIPTEN_KEEPALIVE void tilescope_command(const char* id) {
  if (!tilescope::page().shell) return;
  tilescope::page().shell->commands.request(id);
  tilescope::wake();
}

/// JSON over the state, as a state file has it. 0: it does not fit, and nothing is changed.
EMSCRIPTEN_KEEPALIVE int tilescope_change(const char* json) {
  using namespace tilescope;
  std::string error;
  if (!page().shell || !page().shell->model->change(json, &error)) return 0;
  wake();
  return 1;
}

/// The steps of what is chosen are there.
EMSCRIPTEN_KEEPALIVE int tilescope_stepped() {
  return tilescope::page().shell && tilescope::stepped() ? 1 : 0;
}

/// The panels' ids, a line each.
EMSCRIPTEN_KEEPALIVE const char* tilescope_panels() {
  std::string ids;
  for (const tilescope::Panel* panel : tilescope::all_panels()) {
    ids += (ids.empty() ? "" : "\n") + std::string(panel->id);
  }
  return tilescope::given(std::move(ids));
}

/// Something is being run, compiled or animated: for tests.
EMSCRIPTEN_KEEPALIVE int tilescope_busy() {
  return tilescope::page().shell && tilescope::page().shell->model->busy() ? 1 : 0;
}

/// Milliseconds of a frame, smoothed.
EMSCRIPTEN_KEEPALIVE double tilescope_frame_ms() {
  return tilescope::page().shell ? static_cast<double>(tilescope::page().shell->frame_ms) : 0;
}

}  // extern "C"

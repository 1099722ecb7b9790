#include "app/shell/film_form.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <memory>
#include <utility>

#include "app/kit/widgets.h"
#include "app/shell/film_taking.h"
#include "app/shell/picture_part.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

constexpr const char* kForm = "Save film";
constexpr const char* kProgress = "A film is being made";
constexpr const char* kLengths[] = {"5 s", "10 s", "20 s"};
constexpr double kSeconds[] = {5, 10, 20};
constexpr int kFramesPerSecond = 30;

struct FilmChoice {
  const Panel* panel = nullptr;  // null: the window
  int ending = 0, length = 1;
  std::string path, said;
  std::unique_ptr<FilmTaking> taking;
  ScreenPart part;  // that it is of
};
FilmChoice& choice() {
  static FilmChoice c;
  return c;
}

void suggest_film() {
  FilmChoice& c = choice();
  c.path = file_name_of(c.panel, FilmTaking::endings()[static_cast<size_t>(c.ending)]);
  c.said.clear();
}

void begin_film(AppContext& context) {
  FilmChoice& c = choice();
  const double seconds = kSeconds[c.length];
  c.part = pixels_of(c.panel);
  c.taking = std::make_unique<FilmTaking>(
      *context.state,
      FilmOptions{.path = c.path,
                  .seconds = seconds,
                  .frames = static_cast<int>(seconds * kFramesPerSecond)},
      c.part);
  if (c.taking->ended()) {  // at once: it could not begin
    c.said = c.taking->error();
    c.taking.reset();
    return;
  }
  ImGui::CloseCurrentPopup();
}

void draw_form(AppContext& context) {
  if (!begin_form(context, kForm)) return;
  FilmChoice& c = choice();
  ImGui::TextUnformatted(context.state->playhead.loop_k_step
                             ? "The playback of this k slice, as a film of"
                             : "The playback, as a film of");
  if (choose_part(context, &c.panel)) suggest_film();
  ImGui::SameLine();
  if (widgets::segmented(context, "ending", FilmTaking::endings(), &c.ending,
                         widgets::segmented_width(context, FilmTaking::endings()), ~0u,
                         "WebP moves in browsers, slides and READMEs, each pixel as it was drawn. "
                         "MP4 needs an ffmpeg in $PATH.")) {
    suggest_film();
  }
  ImGui::SameLine();
  widgets::segmented(context, "length", kLengths, &c.length,
                     widgets::segmented_width(context, kLengths), ~0u,
                     "How long it plays: 30 pictures a second, or one for each warp instruction "
                     "where there are fewer.");
  ImGui::SetNextItemWidth(420 * context.scale);
  const bool enter = ImGui::InputText("##path", &c.path, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if (ImGui::Button(tr_id("Save")) || enter) begin_film(context);
  if (!c.said.empty()) ImGui::TextWrapped("%s", c.said.c_str());
  ImGui::EndPopup();
}

/// What lies below it is taken when this is drawn, before anything of its own.
void take_what_is_drawn(const ImDrawList*, const ImDrawCmd*) {
  if (choice().taking) choice().taking->after_frame();
}

void cancel(AppContext& context, const char* why) {
  choice().taking.reset();
  say(*context.state, wording("{}; no file is left of it.", why));
}

void draw_progress(ShellState& shell) {
  AppContext& context = shell.context;
  FilmChoice& c = choice();
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) return cancel(context, "The film was cancelled");
  if (pixels_of(c.panel) != c.part) {
    return cancel(context, "The film ended, as the window or the panel has another size");
  }
  if (!ImGui::IsPopupOpen(kProgress)) ImGui::OpenPopup(kProgress);
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({360 * context.scale, 0});
  ImGui::PushStyleColor(ImGuiCol_ModalWindowDimBg, ImVec4(0, 0, 0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  const bool open =
      ImGui::BeginPopupModal(kProgress, nullptr,
                             ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoTitleBar |
                                 ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize);
  ImGui::PopStyleVar();
  if (open) {
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->AddCallback(take_what_is_drawn, nullptr);
    const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    const ImVec2 high{low.x + size.x, low.y + size.y};
    draw->AddRectFilled(low, high, to_imgui(context.theme->panel));
    draw->AddRect(low, high, to_imgui(context.theme->border));
    const int taken = c.taking->taken(), frames = c.taking->frames();
    ImGui::TextUnformatted(c.path.c_str());
    ImGui::ProgressBar(static_cast<float>(taken) / static_cast<float>(std::max(1, frames)),
                       {-FLT_MIN, 0}, wording("picture {} of {}", taken, frames).c_str());
    if (ImGui::Button(tr_id("Cancel"))) {
      cancel(context, "The film was cancelled");
    } else if (c.taking->ended()) {
      const std::string error = c.taking->error();
      if (error.empty()) {
        say(*context.state, wording("Saved {}.", c.path));
      } else {
        shell.problem = error;
      }
      c.taking.reset();
    }
    if (!c.taking) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleColor();
}

}  // namespace

void film_before_frame(ShellState&) {
  if (choice().taking) choice().taking->before_frame();
}

void draw_film_form(ShellState& shell) {
  if (std::exchange(shell.want_film, false)) {
    choice() = {};
    suggest_film();
    ImGui::OpenPopup(kForm);
  }
  draw_form(shell.context);
  if (choice().taking) draw_progress(shell);
}

bool film_is_taken() { return choice().taking != nullptr; }
void cancel_film() { choice().taking.reset(); }

std::vector<Command> film_commands(ShellState& shell) {
  if (FilmTaking::endings().empty()) return {};
  return {{.id = "file.film",
           .title = "Save film…",
           .shortcut = "Ctrl+Shift+F",
           .menu = "File",
           .run = [&shell](AppContext&) { shell.want_film = true; },
           .enabled = [](AppContext& context) { return played_columns(*context.state).end > 0; },
           .also = "record animation video webp mp4 gif playback export",
           .effect = [](AppContext&) { return std::string("the playback as WebP or MP4"); }}};
}

}  // namespace tilescope

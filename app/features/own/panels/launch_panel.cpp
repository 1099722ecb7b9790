// Launch sheet: how a kernel of somebody's own is launched and what it is given. What is guessed
// is marked, and runs once a person says so.
#include <fmt/format.h>
#include <hello_imgui/hello_imgui.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/features/own/own_examples.h"
#include "app/features/own/own_view.h"
#include "app/features/own/panels/bug_card.h"
#include "app/features/own/panels/expect_fields.h"
#include "app/features/own/panels/open_file.h"
#include "app/features/own/panels/sheet_fields.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/own_sheet.h"
#include "app/state/present.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using namespace widgets;

/// Another file is looked for while one is open.
bool& browsing() {
  static bool on = false;
  return on;
}

void show_launch_sheet(AppContext&) {
  auto* window = HelloImGui::GetRunnerParams()->dockingParams.dockableWindowOfName("Launch sheet");
  if (!window) return;
  window->isVisible = true;
  window->focusWindowAtNextFrame = true;
}

void entry_row(AppContext& context, OwnView& view) {
  const auto& kernels = view.opened->kernels;
  const worker::OpenedKernel* chosen = view.chosen();
  ImGui::SetNextItemWidth(sheet_width(context));
  const std::string label = chosen ? chosen->signature.demangled : tr("no kernel");
  if (ImGui::BeginCombo("##own_entry", label.c_str())) {
    for (size_t i = 0; i < kernels.size(); ++i) {
      const std::string row = fmt::format("{}##{}", sheet::text_of(kernels[i].signature), i);
      if (ImGui::Selectable(row.c_str(), i == view.kernel)) choose_kernel(view, i);
    }
    ImGui::EndCombo();
  }
  tooltip(context, chosen ? sheet::text_of(chosen->signature)
                          : tr("The file has no __global__ function that can be run"));
}

void gemm_row(AppContext& context, OwnView& view) {
  const float s = context.scale;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, "IT IS A GEMM: C [M, N] = A [M, K] · B [K, N]", Tone::dim);
  ImGui::PopFont();
  int* const extents[] = {&view.gemm.m, &view.gemm.n, &view.gemm.k};
  const char* const names[] = {"M", "N", "K"};
  const float width = (sheet_width(context) - 3 * 22 * s) / 3;
  for (int i = 0; i < 3; ++i) {
    if (i > 0) ImGui::SameLine(0, 6 * s);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(tr(names[i]));
    ImGui::SameLine(0, 3 * s);
    ImGui::SetNextItemWidth(width);
    ImGui::InputInt(fmt::format("##gemm_{}", names[i]).c_str(), extents[i], 0);
    *extents[i] = std::clamp(*extents[i], 1, 65536);
  }
  static constexpr const char* kLayouts[] = {"TT", "TN", "NT", "NN"};
  int layout = static_cast<int>(std::ranges::find(kLayouts, view.gemm.layout) - kLayouts);
  if (segmented(context, "gemm_layout", kLayouts, &layout, segmented_width(context, kLayouts)))
    view.gemm.layout = kLayouts[layout];
  tooltip(context, "Operands of A, then B, as cuBLAS counts: T row-major, N column-major");
  ImGui::SameLine(0, 6 * s);
  if (ImGui::Button(tr_id("Fill the sheet"))) fill_as_gemm(view);
  tooltip(
      context,
      "Fills grid and arguments for this problem, and C is then compared with double precision");
  if (!view.gemm_error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, tone_color(context, Tone::warning));
    ImGui::TextWrapped("%s", retold(view.gemm_error).c_str());
    ImGui::PopStyleColor();
  }
}

/// What a launch on a card came to; without one, that it was not timed.
void card_outcome(AppContext& context, const AppState& state, const OwnView& view) {
  const auto line = [&](Tone tone, const std::string& text) {
    ImGui::TextColored(tone_color(context, tone), "%s", retold(text).c_str());
  };
  const auto& m = present_results(state).measured;
  if (!is_card(state.device))
    return line(Tone::dim, tr("emulated; not measured: no card is chosen"));
  if (!m || !view.on_card) return;
  if (const auto& verdict = view.on_card->verdict) {
    line(verdict->verified.ok ? Tone::ok : Tone::warning,
         wording("On {}: {}", m->device_name, verdict_words(*verdict)));
  }
  for (const worker::BufferVerdict& verdict : view.on_card->expected) {
    line(verdict.ok ? Tone::ok : Tone::warning,
         wording("On {}: {}", m->device_name, verdict_words(verdict)));
  }
  if (m->time_us) {
    line(Tone::plain,
         wording("{}{} on {}", m->tflops ? model::rate_text(*m->tflops) + ", " : std::string(),
                 model::time_text(*m->time_us), m->device_name));
  }
  for (const std::string& remark : view.on_card->remarks) line(Tone::dim, remark);
  if (!view.on_card->printed.empty()) {
    line(Tone::plain, wording("It printed on the card:\n{}", view.on_card->printed));
  }
}

/// Why it cannot be run; what a run came to.
void outcome(AppContext& context, AppState& state, const OwnView& view) {
  ImGui::PushTextWrapPos(0);
  const auto line = [&](Tone tone, const std::string& text) {
    ImGui::TextColored(tone_color(context, tone), "%s", retold(text).c_str());
  };
  for (const std::string& fault : view.faults) line(Tone::warning, fault);
  if (const worker::OpenedKernel* chosen = view.chosen()) {
    for (const worker::InTheWay& way : chosen->in_the_way) line(Tone::warning, way.message);
  }
  const Results& r = present_results(state);
  // Of the sheet as it stands: one that was changed since has not been run.
  const bool ran =
      view.serial == state.edit_serial && r.emulated && sheet::to_text(view.draft) == view.draft_of;
  if (ran && view.verdict) {
    line(view.verdict->verified.ok ? Tone::ok : Tone::warning, verdict_words(*view.verdict));
  }
  for (const worker::BufferVerdict& v : view.expected) {
    if (ran) line(v.ok ? Tone::ok : Tone::warning, verdict_words(v));
  }
  if (ran && !view.expect_error.empty()) line(Tone::warning, view.expect_error);
  if (ran && !view.trace_error.empty() && r.findings.empty()) {
    line(Tone::dim, wording("No events: {}", view.trace_error));
  }
  if (ran) {
    const worker::CountedTraffic& c = r.emulated->counted;
    line(Tone::dim,
         wording(
             "{} CTAs and {} warp instructions in {:.3f} s, in the emulator; {}",
             model::grouped(static_cast<long long>(c.ctas)),
             model::grouped(static_cast<long long>(c.warp_instructions)), view.seconds,
             r.findings.empty() ? tr("nothing found") : wording("{} findings", r.findings.size())));
  }
  if (ran) card_outcome(context, state, view);
  if (!state.results.error.empty()) line(Tone::warning, state.results.error);
  if (ran && !view.output.empty()) line(Tone::plain, wording("It printed:\n{}", view.output));
  if (!view.kept.empty()) line(Tone::dim, view.kept);
  ImGui::PopTextWrapPos();
}

void buttons(AppContext& context, AppState& state, OwnView& view) {
  const bool guessed = !view.draft.guesses.empty();
  const bool changed = sheet::to_text(view.draft) != view.draft_of;
  ImGui::BeginDisabled(!view.faults.empty() || !view.chosen());
  const bool asked =
      ImGui::Button(tr_id(changed ? "Run this launch###run_own" : "Run again###run_own")) ||
      (view.faults.empty() && ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
       !ImGui::IsAnyItemActive() && ImGui::IsKeyPressed(ImGuiKey_Enter, false));
  ImGui::EndDisabled();
  tooltip(context, guessed ? "What is marked ~ is guessed. Enter runs it as it stands"
                           : "Runs it in the emulator, with all checks (Enter)");
  if (asked) {
    if (changed) {
      confirm_draft(state);
    } else {
      view.run = true;
    }
  }
  ImGui::SameLine(0, 6 * context.scale);
  ImGui::BeginDisabled(!view.chosen());
  if (ImGui::Button(tr_id("Guess anew"))) choose_kernel(view, view.kernel);
  ImGui::EndDisabled();
  tooltip(context, "The sheet as it is guessed from signature and launches in the file");
}

void draw_launch_sheet(AppContext& context) {
  AppState& state = *context.state;
  const OwnKernel* own = state.edit.own();
  if (!own) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(
        tone_color(context, Tone::dim), "%s",
        tr("No kernel of your own is open. It is compiled, run in the emulator with all "
           "checks, and counted, as the ladder's are. No GPU is needed."));
    ImGui::PopTextWrapPos();
    elided(context, "Drop a .cu or .ptx on the window, or choose one:");
    open_file_fields(context);
    return;
  }
  OwnView& view = state.of<OwnView>();
  if (ImGui::SmallButton(
          tr_id(browsing() ? "Back to the sheet###open_other" : "Open…###open_other"))) {
    browsing() = !browsing();
  }
  tooltip(context, "Another file: by its path, from those opened before, or from a folder");
  ImGui::SameLine(0, 8 * context.scale);
  ImGui::PushFont(context.fonts.bold, Fonts::kText);
  elided(context, name_of(*own));
  ImGui::PopFont();
  tooltip(context, own->file);
  if (browsing()) {
    if (open_file_fields(context)) browsing() = false;
    return;
  }
  if (view.opening) elided(context, "Opening …", Tone::dim);
  if (!view.error.empty()) {
    error_box(context, "own_open", view.error, view.details);
    open_file_fields(context);
    return;
  }
  if (!view.opened) return;
  if (!view.opened->compiler.empty()) {
    elided(context,
           wording("{}, {}, {:.0f} ms", view.opened->compiler, view.opened->arch,
                   view.opened->compile_ms),
           Tone::dim);
  }
  for (const worker::InTheWay& way : view.opened->errors) {
    error_box(context, "own_ptx", way.message, "");
    return;
  }
  entry_row(context, view);
  if (!view.chosen()) {
    const std::string needs =
        view.opened->templates.empty()
            ? "The file has no __global__ function."
            : wording("{} is a template without an instance in the file; launch one in it.",
                      view.opened->templates.front());
    empty_panel(context, "No kernel to launch", needs);
    return;
  }
  // What a person does and what came of it stand above the parameters, of which there may be many.
  if (view.may_be_gemm) gemm_row(context, view);
  buttons(context, state, view);
  outcome(context, state, view);
  ImGui::Spacing();
  if (sheet_fields(context, view.chosen()->signature, view.draft)) check_draft(view);
  ImGui::Spacing();
  if (!view.may_be_gemm) gemm_row(context, view);
  if (expect_fields(context, view)) check_draft(view);
}

void open_another(AppContext& context) {
  browsing() = true;
  show_launch_sheet(context);
}

std::vector<Command> launch_commands() {
  std::vector<Command> commands = {{.id = "own.open",
                                    .title = "Open a kernel (.cu, .ptx)…",
                                    .menu = "File",
                                    .run = open_another},
                                   {.id = "own.sheet",
                                    .title = "Launch sheet of a kernel of your own",
                                    .shortcut = "Ctrl+O",
                                    .menu = "File",
                                    .run = show_launch_sheet}};
  for (const OwnExample& example : own_examples()) {
    if (example.is_planted_bug) continue;
    commands.push_back({.id = "own.example." + example.id,
                        .title = example.title,
                        .menu = "File/Examples",
                        .run = [&example](AppContext& context) {
                          const std::string why = open_example(*context.state, example);
                          if (!why.empty()) say(*context.state, why);
                          browsing() = false;
                          show_launch_sheet(context);
                        }});
  }
  for (Command& command : bug_commands()) commands.push_back(std::move(command));
  return commands;
}

}  // namespace

extern const Panel launch_panel = {
    .id = "launch",
    .title = "Launch sheet",
    .docks = {.step = Dock::kLeft},  // elsewhere it comes when a file is opened
    .draw = draw_launch_sheet,
    .commands = launch_commands,
    .without_plan = true,
};

}  // namespace tilescope

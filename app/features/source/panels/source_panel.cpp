// Source: the kernel as written, the PTX and the machine code that run, with the line of the
// present event; a line that is clicked in one is marked in the others.
#include <fmt/format.h>
#include <hello_imgui/hello_imgui.h>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/features/source/panels/code_language.h"
#include "app/features/source/panels/export_kernel.h"
#include "app/features/source/panels/save_as.h"
#include "app/features/source/panels/source_edit.h"
#include "app/features/source/panels/source_news.h"
#include "app/features/source/panels/source_view.h"
#include "app/features/source/source_answers.h"
#include "app/kit/answer_frame.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/code_link.h"
#include "app/state/hovered.h"
#include "app/state/json_take.h"
#include "app/state/origins.h"
#include "app/state/own_sheet.h"
#include "app/state/playback.h"
#include "app/state/present.h"
#include "app/state/present_launch.h"
#include "app/state/private_copy.h"
#include "app/state/rung_news.h"
#include "app/state/stepped.h"
#include "app/state/text_beside.h"
#include "app/state/wrong_answer.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

using namespace widgets;

struct Views {
  SourceView kernel, ptx, sass;
  std::shared_ptr<const worker::SassListing> listing;  // that `sass` shows
  std::string listing_text;
  SourceEdit edit;
  std::string file;  // whose news these are
  std::vector<LineBlock> news;
  bool first_news = false;  // to be shown
};
Views& views() {
  static Views v;
  return v;
}

/// Of this panel alone, and saved by it.
struct Options {
  int tab = 0;  // CodeText
  bool export_asked = false;
  bool news = false;  // what differs from the rung below is marked
  bool wrap = false;
};
Options& options() {
  static Options o;
  return o;
}
/// On a page there is no folder that a file could be written to.
#ifdef __EMSCRIPTEN__
constexpr bool kCanEdit = false;
#else
constexpr bool kCanEdit = true;
#endif
constexpr const char* kTabs[] = {"kernel", "PTX", "SASS"};

void draw_header(AppContext& context) {
  const HeaderItem items[] = {
      {segmented_width(context, kTabs),
       [&context] { segmented(context, "source_tab", kTabs, &options().tab); }},
      {segmented_width(context, kLineMetrics),
       [&context] {
         segmented(context, "source_metric", kLineMetrics, &context.state->view.line_metric);
       }},
      {export_button_width(), [&context] {
         if (export_button(context)) options().export_asked = true;
       }}};
  header_row(context, items);
  ImGui::SameLine(0, 12 * context.scale);
  const WrongAnswer* wrong = wrong_answer(*context.state);
  if (wrong && !wrong->right.lines.empty()) legend(context, answer_keys(context));
  export_kernel(context, std::exchange(options().export_asked, false));
  save_source_as(context, views().edit, views().kernel);
}

void save(const AppContext& context, nlohmann::json& to) {
  to["tab"] = options().tab;
  to["wrap"] = options().wrap;
  to["metric"] = context.state->view.line_metric;
  views().edit.save_drafts(views().kernel, to);
}
void load(AppContext& context, const nlohmann::json& from) {
  take_choice(from, "tab", static_cast<int>(std::size(kTabs)), options().tab);
  take(from, "wrap", options().wrap);
  take_choice(from, "metric", static_cast<int>(std::size(kLineMetrics)),
              context.state->view.line_metric);
  views().edit.load_drafts(from);
}

/// What the marks mean, and the way from one to the next.
void rung_news(AppContext& context, const KernelEntry& kernel) {
  Views& v = views();
  const bool of_text = options().news && !v.kernel.changed();
  v.kernel.mark_new(of_text ? v.news : std::vector<LineBlock>{});
  if (!options().news) return;
  const SourceNews bar = source_news(context, kernel, v.news, v.kernel.middle_line());
  if (bar.close) options().news = false;
  const int to =
      std::exchange(v.first_news, false) && !v.news.empty() ? v.news.front().first : bar.show;
  if (to > 0) v.kernel.show_line(to);
}

std::vector<int> one_line(int line) {
  return line > 0 ? std::vector<int>{line} : std::vector<int>{};
}

SourceView& view_of(CodeText text) {
  Views& v = views();
  return text == CodeText::kernel ? v.kernel : text == CodeText::ptx ? v.ptx : v.sass;
}

/// What other features have beside a text's lines; nothing if they have not.
std::function<void(int, ImVec2, ImVec2)> margin_of(AppContext& context, CodeText text) {
  return [&context, text](int line, ImVec2 at, ImVec2 size) {
    for (const FeatureWindow* window : feature_windows()) {
      if (window->slots.source_margin) window->slots.source_margin(context, text, line, at, size);
    }
  };
}

void click_in_margin(AppContext& context, CodeText text, int line) {
  for (const FeatureWindow* window : feature_windows()) {
    if (window->slots.source_margin_clicked) {
      window->slots.source_margin_clicked(context, text, line);
    }
  }
}

/// Draws a text with what is marked in it; a click goes to what belongs to the line in the others.
void draw_text(AppContext& context, CodeText text, const char* id, std::vector<int> present,
               std::map<int, LineUse> uses, std::function<std::string(int)> note = {}) {
  AppState& state = *context.state;
  const std::string access = chosen_access(state);
  std::vector<int> linked = access.empty() ? linked_lines(state, text, linked_code(state))
                                           : lines_of_access(state, access, text);
  static std::string shown_access;  // the view goes to its hottest line once
  if (std::exchange(shown_access, access) != access) {
    const int hottest = hottest_line_of_access(state, access, text);
    if (hottest > 0) view_of(text).show_line(hottest);
  }
  AnswerLines answer = view_of(text).changed() ? AnswerLines{} : answer_lines(state, text);
  view_of(text).set_wrap(options().wrap);
  const int clicked =
      view_of(text).draw(context, id,
                         {.present = std::move(present),
                          .linked = std::move(linked),
                          .hovered = hovered_lines(state, text),
                          .answered = std::move(answer.answered),
                          .right = std::move(answer.right),
                          .note = std::move(note),
                          .margin = margin_of(context, text)},
                         std::move(uses), static_cast<LineMetric>(state.view.line_metric));
  if (const int line = view_of(text).pointed_line(); line > 0 && !view_of(text).changed()) {
    state.hover.code = hovered_place(state, text, line);
  }
  if (clicked == 0 || view_of(text).changed()) return;
  if (view_of(text).in_margin()) return click_in_margin(context, text, clicked);
  link_code(state, text, clicked);
  for (const CodeText other : {CodeText::kernel, CodeText::ptx, CodeText::sass}) {
    const std::vector<int> lines = linked_lines(state, other, linked_code(state));
    if (other != text && !lines.empty()) view_of(other).show_line(lines.front());
  }
}

/// Of a stepped run where it stands, else of the playhead's event; 0: none.
int present_line(const AppState& state, const Moment& moment) {
  if (const Stepped* at = stepped(state)) return stepped_line(state, *at);
  return trust_of(state) == Trust::none ? 0 : moment.source_line;
}
int present_ptx_line(const AppState& state, const Moment& moment) {
  const Stepped* at = stepped(state);
  return at ? at->ptx_line : moment.ptx_line;
}

/// What this rung adds to the one below, of the text that is compiled.
void follow_news(const AppState& state) {
  Views& v = views();
  if (!state.derived.kernel) return v.kernel.mark_new({});
  const std::string file = state.derived.kernel->file;
  const std::string shown =
      fmt::format("{}{}{}", file, sources_folder(state), state.kernel_files_serial);
  if (v.file == shown) return;
  v.file = shown;
  const KernelEntry* below = rung_below(*state.derived.kernel);
  v.news = below ? new_blocks(saved_text(state), kernel_text(state.kernel_dir, below->file))
                 : std::vector<LineBlock>{};
  v.first_news = options().news;
}

void draw_kernel(AppContext& context, const Moment& moment) {
  AppState& state = *context.state;
  Views& v = views();
  v.edit.show(state, v.kernel);
  v.kernel.set_editable(kCanEdit && v.edit.can_edit() && !context.rendering);
  follow_news(state);
  if (state.derived.kernel) rung_news(context, *state.derived.kernel);
  if (v.edit.draw_instead(context, v.kernel)) return;
  // Where it has been typed into since it was compiled, no figure is of its lines.
  const bool as_compiled = !v.kernel.changed();
  draw_text(context, CodeText::kernel, "##kernel_source",
            one_line(as_compiled ? present_line(state, moment) : 0),
            as_compiled ? line_uses(state, false) : std::map<int, LineUse>{});
}

/// Why there is no code to show, where that is so.
bool draw_missing(AppContext& context, const char* title) {
  const AppState& state = *context.state;
  if (present_results(state).compile) return false;
  if (state.results.compile && !has_failed(state)) return false;  // of the tile before, faded
  if (!state.results.error.empty()) {
    error_box(context, "source", state.results.error, state.results.error_details);
  } else if (state.edit.own()) {
    empty_panel(context, title, "It is there once the file has been opened and run: Launch sheet.");
  } else if (!state.derived.legal()) {
    empty_panel(
        context, title,
        "An illegal tile is not compiled. Move a slider back, or take the nearest legal tile.");
  } else {
    empty_panel(context, title, "The kernel is being compiled for this position of the sliders.");
  }
  return true;
}

void draw_ptx(AppContext& context, const Moment& moment, bool fresh) {
  if (draw_missing(context, "No PTX to show")) return;
  AppState& state = *context.state;
  if (!fresh) ImGui::BeginDisabled();
  views().ptx.set_text(state.results.compile->ptx, ptx_language());
  // What the selected lane got there, of a kernel that no picture shows the registers of.
  const auto origin = [&state](int line) {
    const auto question = question_of_line(state, line);
    return question ? origin_words(state, *question) : std::string();
  };
  draw_text(context, CodeText::ptx, "##ptx_source", one_line(present_ptx_line(state, moment)),
            line_uses(state, true), origin);
  if (!fresh) ImGui::EndDisabled();
}

void draw_sass(AppContext& context, const Moment& moment) {
  if (draw_missing(context, "No SASS to show")) return;
  AppState& state = *context.state;
  const Disassembly& d = state.disassembly;
  state.disassembly.wanted = true;
  Views& v = views();
  if (d.listing && d.listing != v.listing) {
    v.listing = d.listing;
    v.listing_text = sass_text(*d.listing);
    v.sass.set_text(v.listing_text, sass_language());
  }
  if (!d.error.empty()) return error_box(context, "sass", d.error, d.error_details);
  if (!v.listing) {
    empty_panel(context, "No SASS yet", "The machine code is being assembled and read.");
    return;
  }
  const bool stale = !d.listing;
  if (stale) ImGui::BeginDisabled();
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, sass_figures(*v.listing),
         spill_lines(*v.listing).empty() ? Tone::dim : Tone::warning);
  ImGui::PopFont();
  std::vector<int> present;
  if (const int ptx_line = present_ptx_line(state, moment); !stale && ptx_line > 0) {
    present = linked_lines(state, CodeText::sass, {present_line(state, moment), ptx_line});
  }
  draw_text(context, CodeText::sass, "##sass_source", std::move(present),
            stale ? std::map<int, LineUse>{} : sass_uses(state, *v.listing),
            [&state](int line) { return sass_origin_words(state, line); });
  if (stale) ImGui::EndDisabled();
}

bool is_own_ptx(const AppState& state) {
  return state.edit.own() && state.edit.own()->file.ends_with(".ptx");
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (const SourceAsked asked = std::exchange(state.of<SourceAsked>(), {}); asked.line > 0) {
    options().tab = static_cast<int>(asked.text);
    // A .ptx has one text, whatever tab it is shown in.
    view_of(is_own_ptx(state) ? CodeText::ptx : asked.text).show_line(asked.line);
  }
  if (std::exchange(state.of<TextBeside>().asked, false)) options().tab = 0;
  const Moment moment = moment_of(state);
  const bool fresh = trust_of(state) != Trust::none;
  for (const FeatureWindow* window : feature_windows()) {
    if (window->slots.above_source) window->slots.above_source(context);
  }
  switch (static_cast<CodeText>(options().tab)) {
    case CodeText::kernel:
      // The text of a .ptx is its PTX.
      if (is_own_ptx(state) && state.results.compile) return draw_ptx(context, moment, fresh);
      return draw_kernel(context, moment);
    case CodeText::ptx:
      return draw_ptx(context, moment, fresh);
    case CodeText::sass:
      return draw_sass(context, moment);
  }
}

/// To the front, wherever it was.
void show_source() {
  auto* window = HelloImGui::GetRunnerParams()->dockingParams.dockableWindowOfName(
      find_panel("source")->title);
  if (!window) return;
  window->isVisible = true;
  window->focusWindowAtNextFrame = true;
}

/// What this rung adds to the one below, from the first place on.
void show_news(AppContext& context) {
  if (!context.state->derived.kernel) return;
  options().tab = 0;
  options().news = views().first_news = true;
  show_source();
}

void show_kernel_text() {
  options().tab = static_cast<int>(CodeText::kernel);
  show_source();
}

void find_in_text() {
  show_source();
  view_of(static_cast<CodeText>(options().tab)).find();
}

/// What the checks found.
void show_finding(AppContext& context) {
  AppState& state = *context.state;
  const worker::CodeFinding* found = worker::first_error(present_results(state).findings);
  if (!found) return;
  options().tab = found->line > 0 ? 0 : 1;
  (found->line > 0 ? views().kernel : views().ptx).show_wrong();
  show_source();
}

std::vector<Command> commands() {
  return {{"source.finding", "Show in Source what the checks found", "", "View", show_finding,
           [](AppContext& context) {
             return worker::first_error(present_results(*context.state).findings) != nullptr;
           }},
          {"source.news", "Show in Source what is new in this rung", "", "Kernel", show_news},
          {.id = "source.wrap",
           .title = "Wrap long lines in Source",
           .menu = "View",
           .run = [](AppContext&) { options().wrap = !options().wrap; },
           .checked = [](AppContext&) { return options().wrap; }},
          {"source.find", "Find in Source", "Ctrl+F", "Edit", [](AppContext&) { find_in_text(); }},
          {"source.edit", "Type in the kernel's text", "Ctrl+E", "Edit",
           [](AppContext& context) {
             show_kernel_text();
             views().kernel.edit_at(linked_code(*context.state).line);
           }},
          {"source.save", "Save the text of Source, compile and check it", "Ctrl+S", "File",
           [](AppContext& context) { views().edit.save(*context.state, views().kernel); },
           [](AppContext&) { return views().edit.can_save(views().kernel); }},
          save_as_command(),
          {"source.difference", "Show in Source what was changed", "", "View",
           [](AppContext&) { views().edit.compare(), show_kernel_text(); },
           [](AppContext& context) {
             return has_private_copy(*context.state) || views().edit.differs();
           }},
          {"kernel.export", "Export the kernel as .cu", "", "Kernel",
           [](AppContext&) { options().export_asked = true, show_source(); },
           [](AppContext& context) { return context.state->derived.legal(); }}};
}

}  // namespace

extern const Panel source_panel = {
    .id = "source",
    .title = "Source",
    .docks = {.explore = Dock::kRightBottom, .learn = Dock::kRightTop, .step = Dock::kCenter},
    .draw = draw,
    .draw_header = draw_header,
    .save = save,
    .load = load,
    .commands = commands,
    .without_plan = true,
};

}  // namespace tilescope

// Source: the kernel as written and the PTX that runs, with the line of the present event.
#include <fmt/format.h>
#include <hello_imgui/hello_imgui.h>
#include <utility>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/panel.h"
#include "app/state/json_take.h"
#include "app/state/playback.h"
#include "app/state/rung_news.h"
#include "app/widgets/export_kernel.h"
#include "app/widgets/header_row.h"
#include "app/widgets/source_news.h"
#include "app/widgets/source_view.h"
#include "app/widgets/widgets.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

using namespace widgets;
using worker::TraceEvent;

struct Views {
  SourceView kernel, ptx;
  std::string file;  // whose text `kernel` shows
  std::vector<LineBlock> news;
  bool first_news = false;  // to be shown
};
Views& views() {
  static Views v;
  return v;
}

/// PTX: what an instruction is, by its first word.
const TextEditor::Language* ptx_language() {
  static const TextEditor::Language language = [] {
    TextEditor::Language l = *TextEditor::Language::C();
    l.name = "PTX";
    l.preprocess = 0;
    l.keywords = {"ld",  "st",   "mma",  "ldmatrix", "cp",   "bar", "bra", "add", "mul", "mad",
                  "fma", "setp", "mov",  "cvt",      "cvta", "shl", "shr", "and", "or",  "xor",
                  "ret", "sub",  "selp", "barrier",  "not",  "min", "max", "rem", "div", "neg"};
    l.declarations = {"reg",    "param",  "entry",  "visible", "func",
                      "extern", "shared", "global", "local"};
    l.identifiers.clear();
    return l;
  }();
  return &language;
}

std::map<int, LineUse> line_uses(const AppState& state, bool ptx) {
  std::map<int, LineUse> uses;
  if (state.results.trace) {
    for (const TraceEvent& e : state.results.trace->events) {
      const int line = ptx ? e.ptx_line : e.line;
      if (line <= 0) continue;
      LineUse& use = uses[line];
      if (!use.traced) use.kind = e.kind, use.shared = e.shared, use.traced = true;
    }
  }
  for (const worker::CodeFinding& f : state.results.findings) {
    const int line = ptx ? f.ptx_line : f.line;
    if (line > 0) uses[line].findings.push_back(&f);
  }
  if (state.results.emulated) {
    const worker::CountedTraffic& counted = state.results.emulated->counted;
    for (const auto& l : ptx ? counted.ptx_lines : counted.source_lines) {
      uses[l.line].figures = {l.warp_instructions, l.sectors, l.wavefronts, l.ideal};
    }
  }
  return uses;
}

/// Of this panel alone, and saved by it.
struct Options {
  int tab = 0;     // kernel, PTX
  int metric = 0;  // of a line: LineMetric
  bool export_asked = false;
  bool news = false;  // what differs from the rung below is marked
};
Options& options() {
  static Options o;
  return o;
}
constexpr const char* kTabs[] = {"kernel", "PTX"};

void draw_header(AppContext& context) {
  const HeaderItem items[] = {
      {segmented_width(context, kTabs),
       [&context] { segmented(context, "source_tab", kTabs, &options().tab); }},
      {segmented_width(context, kLineMetrics),
       [&context] { segmented(context, "source_metric", kLineMetrics, &options().metric); }},
      {export_button_width(), [&context] {
         if (export_button(context)) options().export_asked = true;
       }}};
  header_row(context, items);
  export_kernel(context, std::exchange(options().export_asked, false));
}

void save(const AppContext&, nlohmann::json& to) {
  to["tab"] = options().tab;
  to["metric"] = options().metric;
}
void load(AppContext&, const nlohmann::json& from) {
  take_choice(from, "tab", static_cast<int>(std::size(kTabs)), options().tab);
  take_choice(from, "metric", static_cast<int>(std::size(kLineMetrics)), options().metric);
}

/// What the marks mean, and the way from one to the next.
void rung_news(AppContext& context, const KernelEntry& kernel) {
  Views& v = views();
  v.kernel.mark_new(options().news ? v.news : std::vector<LineBlock>{});
  if (!options().news) return;
  const SourceNews bar = source_news(context, kernel, v.news, v.kernel.middle_line());
  if (bar.close) options().news = false;
  const int to =
      std::exchange(v.first_news, false) && !v.news.empty() ? v.news.front().first : bar.show;
  if (to > 0) v.kernel.show_line(to);
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  if (!state.derived.kernel) return;
  const Moment moment = moment_of(state);
  const auto metric = static_cast<LineMetric>(options().metric);
  const bool fresh = state.results.edit_serial == state.edit_serial || !state.derived.legal();
  if (options().tab == 0) {
    const std::string file = state.derived.kernel->file;
    // One's own file may have changed since: it is read again with each compile.
    const std::string shown =
        file + state.kernel_dir + (state.results.compile ? state.results.compile->revision : "");
    if (views().file != shown) {
      views().file = shown;
      const std::string text = kernel_text(state.kernel_dir, file);
      views().kernel.set_text(text, TextEditor::Language::Cpp());
      const KernelEntry* below = rung_below(*state.derived.kernel);
      views().news = below ? new_blocks(text, kernel_text(state.kernel_dir, below->file))
                           : std::vector<LineBlock>{};
      views().first_news = options().news;
    }
    rung_news(context, *state.derived.kernel);
    views().kernel.draw(context, "##kernel_source", moment.source_line, line_uses(state, false),
                        metric);
    return;
  }
  if (!state.results.compile) {
    if (!state.results.error.empty()) {
      error_box(context, "source", state.results.error, state.results.error_details);
    } else if (!state.derived.legal()) {
      empty_panel(
          context, "No PTX to show",
          "An illegal tile is not compiled. Move a slider back, or take the nearest legal tile.");
    } else {
      empty_panel(context, "No PTX yet",
                  "The kernel is being compiled for this position of the sliders.");
    }
    return;
  }
  if (!fresh) ImGui::BeginDisabled();
  views().ptx.set_text(state.results.compile->ptx, ptx_language());
  views().ptx.draw(context, "##ptx_source", moment.ptx_line, line_uses(state, true), metric);
  if (!fresh) ImGui::EndDisabled();
}

}  // namespace

namespace {

/// To the front, wherever it was.
void show_source() {
  auto* window = HelloImGui::GetRunnerParams()->dockingParams.dockableWindowOfName(
      find_panel("source")->title);
  if (!window) return;
  window->isVisible = true;
  window->focusWindowAtNextFrame = true;
}

/// What this rung adds to the one below, from the first place on.
void show_news(AppContext&) {
  options().tab = 0;
  options().news = views().first_news = true;
  show_source();
}

void ask_for_export(AppContext&) {
  options().export_asked = true;
  show_source();
}

/// What the checks found.
void show_finding(AppContext& context) {
  AppState& state = *context.state;
  const worker::CodeFinding* found = worker::first_error(state.results.findings);
  if (!found) return;
  options().tab = found->line > 0 ? 0 : 1;
  (found->line > 0 ? views().kernel : views().ptx).show_wrong();
  show_source();
}

std::vector<Command> commands() {
  return {{"source.finding", "Show in Source what the checks found", "", "View", show_finding,
           [](AppContext& context) {
             return worker::first_error(context.state->results.findings) != nullptr;
           }},
          {"source.news", "Show in Source what is new in this rung", "", "Kernel", show_news},
          {"kernel.export", "Export the kernel as .cu", "", "Kernel", ask_for_export,
           [](AppContext& context) { return context.state->derived.legal(); }}};
}

}  // namespace

extern const Panel source_panel = {
    .id = "source",
    .title = "Source",
    .docks = {Dock::kRightBottom, Dock::kRightTop, Dock::kHidden, Dock::kHidden},
    .draw = draw,
    .draw_header = draw_header,
    .save = save,
    .load = load,
    .commands = commands,
};

}  // namespace tilescope

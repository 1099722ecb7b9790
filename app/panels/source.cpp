// Source: the kernel as written and the PTX that runs, with the line of the present event.
#include <ImGuiColorTextEdit/TextEditor.h>
#include <fmt/format.h>
#include <hello_imgui/hello_imgui.h>
#include <utility>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/panel.h"
#include "app/state/json_take.h"
#include "app/state/playback.h"
#include "app/widgets/export_kernel.h"
#include "app/widgets/line_heat.h"
#include "app/widgets/widgets.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

using namespace widgets;
using worker::TraceEvent;

/// What a line does, from the events that the trace saw on it.
struct LineUse {
  TraceEvent::Kind kind{};
  bool shared = false;
  bool traced = false;  // `kind` is known
  LineFigures figures;
  std::vector<const worker::CodeFinding*> findings;
  bool wrong() const {
    return std::any_of(findings.begin(), findings.end(), [](const auto* f) { return !f->remark; });
  }
};

ImU32 kind_color(const Theme& t, TraceEvent::Kind kind, bool shared) {
  switch (kind) {
    case TraceEvent::Kind::copy:
      return to_imgui(t.copy);
    case TraceEvent::Kind::load:
      return to_imgui(shared ? t.load : t.copy);
    case TraceEvent::Kind::mma:
    case TraceEvent::Kind::fma:
      return to_imgui(t.mma);
    case TraceEvent::Kind::store:
      return to_imgui(shared ? t.copy : t.store);
    case TraceEvent::Kind::wait:
    case TraceEvent::Kind::barrier:
      break;
  }
  return to_imgui(t.dim);
}

/// One text with its highlight. The editor widget keeps scroll and selection between frames.
class View {
 public:
  void set_text(const std::string& text, const TextEditor::Language* language) {
    if (text == text_) return;
    text_ = text;
    editor_.SetReadOnlyEnabled(true);
    editor_.SetShowWhitespacesEnabled(false);
    editor_.SetShowScrollbarMiniMapEnabled(false);
    editor_.SetShowMatchingBrackets(false);
    editor_.SetTabSize(2);
    editor_.SetText(text_);
    editor_.SetLanguage(language);
    line_ = -1;
  }
  /// The first line that is wrong is shown again, wherever one has scrolled to.
  void show_wrong() { wrong_line_ = -1; }
  void draw(AppContext& context, const char* id, int line, std::map<int, LineUse> uses,
            LineMetric metric) {
    const Theme& theme = *context.theme;
    if (theme_ != theme.kind || first_) {
      theme_ = theme.kind;
      first_ = false;
      line_ = -1;
      editor_.SetPalette(palette(theme));
    }
    uses_ = std::move(uses);
    if (line != line_) {
      line_ = line;
      editor_.ClearMarkers();
      if (line > 0) {
        const auto at = static_cast<size_t>(line - 1);
        editor_.AddMarker(at, to_imgui(theme.accent_ground), to_imgui(theme.accent_ground), "", "");
        const bool visible =
            at > editor_.GetFirstVisibleRow() + 1 && at + 2 < editor_.GetLastVisibleRow();
        if (!visible) editor_.ScrollToLine(at, TextEditor::Scroll::alignMiddle);
      }
    }
    // A line that a check found wrong is shown first, once.
    const auto wrong =
        std::find_if(uses_.begin(), uses_.end(), [](const auto& u) { return u.second.wrong(); });
    const int wrong_line = wrong == uses_.end() ? -1 : wrong->first;
    if (wrong_line != wrong_line_ && wrong_line > 0) {
      editor_.ScrollToLine(static_cast<size_t>(wrong_line - 1), TextEditor::Scroll::alignMiddle);
    }
    wrong_line_ = wrong_line;
    uint64_t most = 0;
    for (const auto& [number, use] : uses_) most = std::max(most, figure_of(use.figures, metric));
    // A stripe of the line's kind, then its figure: six characters and the mark.
    editor_.SetLineDecorator(most > 0 ? 9 : 2, [&](TextEditor::Decorator& d) {
      const auto use = uses_.find(static_cast<int>(d.line) + 1);
      if (use == uses_.end()) return;
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float stripe = 4 * context.scale;
      if (use->second.traced) {
        ImGui::GetWindowDrawList()->AddRectFilled(
            {at.x + 1, at.y + 1}, {at.x + stripe, at.y + d.height - 1},
            kind_color(theme, use->second.kind, use->second.shared));
      }
      const float mark = d.height * 0.55f;
      if (!use->second.findings.empty()) {
        draw_finding_mark(context, {at.x + stripe + 2, at.y}, {mark, d.height},
                          use->second.wrong());
      }
      draw_line_heat(context, {at.x + stripe + mark + 4, at.y},
                     {d.width - stripe - mark - 8, d.height}, use->second.figures, metric, most);
    });
    ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
    editor_.Render(id, ImGui::GetContentRegionAvail());
    ImGui::PopFont();
    if (!context.rendering && ImGui::IsItemHovered()) {
      const auto position = editor_.GetDocPosAtMousePos(ImGui::GetIO().MousePos);
      const auto use = uses_.find(static_cast<int>(position.line) + 1);
      if (use != uses_.end()) {
        std::string text;
        for (const worker::CodeFinding* f : use->second.findings) text += finding_text(*f) + "\n";
        if (use->second.figures.instructions > 0) {
          text += line_sentence(static_cast<int>(position.line) + 1, use->second.figures);
        }
        if (!text.empty()) widgets::tooltip(context, text);
      }
    }
  }

 private:
  static TextEditor::Palette palette(const Theme& t) {
    TextEditor::Palette p =
        t.kind == ThemeKind::kDark ? TextEditor::GetDarkPalette() : TextEditor::GetLightPalette();
    const auto set = [&](TextEditor::Color which, tilescope::Color c) {
      p[static_cast<size_t>(which)] = to_imgui(c);
    };
    using C = TextEditor::Color;
    set(C::text, t.text);
    set(C::identifier, t.text);
    set(C::knownIdentifier, t.text);
    set(C::punctuation, t.text);
    set(C::keyword, t.accent);
    set(C::declaration, t.accent);
    set(C::comment, t.dim);
    set(C::preprocessor, t.dim);
    set(C::background, t.panel);
    set(C::selection, t.accent_ground);
    set(C::lineNumber, t.dim);
    set(C::currentLineNumber, t.dim);
    set(C::cursor, t.panel);
    return p;
  }

  TextEditor editor_;
  std::string text_;
  std::map<int, LineUse> uses_;
  int line_ = -1, wrong_line_ = -1;
  bool first_ = true;
  ThemeKind theme_ = ThemeKind::kDark;
};

struct Views {
  View kernel, ptx;
  std::string file;  // whose text `kernel` shows
};
Views& views() {
  static Views v;
  return v;
}

/// The kernel as it was compiled: of --kernel-dir, if it lies there, else the one built in.
std::string kernel_text(const AppState& state, const std::string& file) {
  if (!state.kernel_dir.empty()) {
    std::ifstream in(state.kernel_dir + "/" + file, std::ios::binary);
    if (in) return {std::istreambuf_iterator<char>(in), {}};
  }
  for (const KernelSource& source : kernel_sources()) {
    if (source.name == "kernels/" + file) return source.text;
  }
  return {};
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
};
Options& options() {
  static Options o;
  return o;
}
constexpr const char* kTabs[] = {"kernel", "PTX"};

void draw_header(AppContext& context) {
  segmented(context, "source_tab", kTabs, &options().tab);
  ImGui::SameLine(0, 8 * context.scale);
  segmented(context, "source_metric", kLineMetrics, &options().metric);
  ImGui::SameLine(0, 8 * context.scale);
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
      views().kernel.set_text(kernel_text(state, file), TextEditor::Language::Cpp());
    }
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

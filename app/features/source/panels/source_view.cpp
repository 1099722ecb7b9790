#include "app/features/source/panels/source_view.h"

#include <algorithm>
#include <utility>

#include "app/kit/answer_frame.h"
#include "app/kit/widgets.h"
#include "core/language/language.h"
#include "worker/messages/findings.h"

namespace tilescope::widgets {
namespace {

using worker::TraceEvent;

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

}  // namespace

TextEditor::Palette source_palette(const Theme& t, bool editable) {
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
  set(C::cursor, editable ? t.text : t.panel);
  return p;
}

void SourceView::set_text(const std::string& text, const TextEditor::Language* language) {
  if (text == text_ && !changed()) return;
  editor_.SetReadOnlyEnabled(true);
  editor_.SetShowWhitespacesEnabled(false);
  editor_.SetShowScrollbarMiniMapEnabled(false);
  editor_.SetShowMatchingBrackets(false);
  editor_.SetTabSize(2);
  editor_.SetText(text);
  editor_.SetLanguage(language);
  editor_.SetChangeCallback([this] { ++version_; });
  ++version_;
  text_ = editor_.GetText();  // ends of lines are the editor's
  marks_ = {};
}

void SourceView::change(const std::string& text) {
  const size_t last = editor_.GetLineCount() - 1;
  editor_.SetReadOnlyEnabled(false);
  editor_.ReplaceSectionText({0, 0}, {last, editor_.GetLineText(last).size()}, text);
  ++version_;
}

void SourceView::edit_at(int line) {
  editor_.SetFocus();
  if (line <= 0 || static_cast<size_t>(line) > editor_.GetLineCount()) return;
  const auto at = static_cast<size_t>(line - 1);
  editor_.SetCursor({at, editor_.GetLineText(at).size()});
}

void SourceView::set_saved() { text_ = text(); }

const std::string& SourceView::text() const {
  if (now_version_ != version_) now_ = editor_.GetText();
  now_version_ = version_;
  return now_;
}

void SourceView::mark_new(std::vector<LineBlock> blocks) {
  if (blocks == new_) return;
  new_ = std::move(blocks);
  restyle_ = true;
}

bool SourceView::is_new(int line) const {
  return std::any_of(new_.begin(), new_.end(),
                     [line](const LineBlock& b) { return b.first <= line && line <= b.last; });
}

int SourceView::middle_line() const {
  return static_cast<int>((editor_.GetFirstVisibleRow() + editor_.GetLastVisibleRow()) / 2) + 1;
}

void SourceView::mark_lines(const Theme& theme) {
  editor_.ClearMarkers();
  const auto has = [](const std::vector<int>& lines, int line) {
    return std::binary_search(lines.begin(), lines.end(), line);
  };
  const auto mark = [&](int line, Color color) {
    if (line <= 0 || static_cast<size_t>(line) > editor_.GetLineCount()) return;
    const ImU32 ground = to_imgui(color);
    editor_.AddMarker(static_cast<size_t>(line - 1), ground, ground, "", "");
  };
  for (const LineBlock& block : new_) {
    for (int i = block.first; i <= block.last; ++i) {
      if (!has(marks_.present, i) && !has(marks_.linked, i) && !has(marks_.hovered, i)) {
        mark(i, mix(theme.panel, theme.ok, 14));
      }
    }
  }
  for (const int line : marks_.linked) {
    if (!has(marks_.present, line) && !has(marks_.hovered, line)) {
      mark(line, mix(theme.panel, theme.text, 16));
    }
  }
  for (const int line : marks_.hovered) {
    if (!has(marks_.present, line)) mark(line, mix(theme.panel, theme.text, 26));
  }
  for (const int line : marks_.present) mark(line, theme.accent_ground);
}

bool SourceView::shows(int line) const {
  const auto at = static_cast<size_t>(line - 1);
  return at > editor_.GetFirstVisibleRow() + 1 && at + 2 < editor_.GetLastVisibleRow();
}

/// To what was asked for; else to a line that a check found wrong, once; else after the event.
void SourceView::scroll(bool moved) {
  const int line = marks_.present.empty() ? 0 : marks_.present.front();
  const auto wrong =
      std::find_if(uses_.begin(), uses_.end(), [](const auto& u) { return u.second.wrong(); });
  const int wrong_line = wrong == uses_.end() ? -1 : wrong->first;
  int to = 0;
  if (moved && line > 0 && !shows(line)) to = line;
  if (wrong_line != wrong_line_ && wrong_line > 0) to = wrong_line;
  if (const int asked = std::exchange(asked_line_, 0); asked > 0) to = asked;
  wrong_line_ = wrong_line;
  if (to > 0) editor_.ScrollToLine(static_cast<size_t>(to - 1), TextEditor::Scroll::alignMiddle);
}

/// A stripe of the line's kind, then its figure: six characters and the mark; at the right a bar
/// where the line is new.
void SourceView::draw_margin(const AppContext& context, const TextEditor::Decorator& row,
                             LineMetric metric, uint64_t most) const {
  const Theme& theme = *context.theme;
  const int line = static_cast<int>(row.line) + 1;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float stripe = 4 * context.scale;
  if (is_new(line)) {
    ImGui::GetWindowDrawList()->AddRectFilled({at.x + row.width - stripe, at.y},
                                              {at.x + row.width, at.y + row.height},
                                              to_imgui(theme.ok));
  }
  const auto use = uses_.find(line);
  if (use == uses_.end()) return;
  if (use->second.traced) {
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x + 1, at.y + 1}, {at.x + stripe, at.y + row.height - 1},
        kind_color(theme, use->second.kind, use->second.shared));
  }
  const float mark = row.height * 0.55f;
  if (!use->second.findings.empty()) {
    draw_finding_mark(context, {at.x + stripe + 2, at.y}, {mark, row.height}, use->second.wrong());
  }
  draw_line_heat(context, {at.x + stripe + mark + 4, at.y},
                 {row.width - 2 * stripe - mark - 8, row.height}, use->second.figures, metric,
                 most);
}

/// Across the whole line; `y`: of its upper edge.
void SourceView::draw_answer(const AppContext& context, int line, float y, float height) const {
  const float left = ImGui::GetWindowPos().x;
  const float right = left + ImGui::GetWindowSize().x - ImGui::GetStyle().ScrollbarSize;
  const auto frame = [&](const std::vector<int>& lines, viz::AnswerSign sign) {
    if (!std::binary_search(lines.begin(), lines.end(), line)) return;
    answer_frame(context, {left + 1, y}, {right - 1, y + height}, sign);
  };
  frame(marks_.answered, viz::AnswerSign::answered);
  frame(marks_.right, viz::AnswerSign::right);
}

int SourceView::draw(AppContext& context, const char* id, SourceMarks marks,
                     std::map<int, LineUse> uses, LineMetric metric) {
  const Theme& theme = *context.theme;
  if (theme_ != theme.kind || editor_.IsReadOnlyEnabled() == editable_) restyle_ = true;
  editor_.SetReadOnlyEnabled(!editable_);
  if (restyle_) editor_.SetPalette(source_palette(theme, editable_));
  theme_ = theme.kind;
  uses_ = std::move(uses);
  const bool moved = marks.present != marks_.present;
  const bool remark = restyle_ || !(marks == marks_);
  const bool corrected = !marks.right.empty() && marks.right != marks_.right;
  if (corrected && !shows(marks.right.front())) show_line(marks.right.front());
  marks_ = std::move(marks);
  if (remark) mark_lines(theme);
  restyle_ = false;
  scroll(moved);
  uint64_t most = 0;
  for (const auto& [number, use] : uses_) most = std::max(most, figure_of(use.figures, metric));
  editor_.SetLineDecorator(most > 0 ? 10 : 3, [&](TextEditor::Decorator& row) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    margin_end_ = at.x + row.width;
    const float left = ImGui::GetWindowPos().x;
    if (marks_.margin) {
      marks_.margin(static_cast<int>(row.line) + 1, {left, at.y}, {at.x - left, row.height});
    }
    draw_margin(context, row, metric, most);
    draw_answer(context, static_cast<int>(row.line) + 1, at.y, row.height);
  });
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  editor_.Render(id, ImGui::GetContentRegionAvail());
  ImGui::PopFont();
  // What takes the click is inside, and active from then on.
  pointed_line_ = 0;
  if (context.rendering || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) {
    return 0;
  }
  const auto position = editor_.GetDocPosAtMousePos(ImGui::GetIO().MousePos);
  const int under = static_cast<int>(position.line) + 1;
  pointed_line_ = under;
  in_margin_ = ImGui::GetIO().MousePos.x < margin_end_;
  explain(context, under);
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) ? under : 0;
}

void SourceView::explain(const AppContext& context, int line) const {
  std::string text = marks_.note ? marks_.note(line) : std::string();
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "\n") + more; };
  if (const auto use = uses_.find(line); use != uses_.end()) {
    for (const worker::CodeFinding* f : use->second.findings) add(finding_text(*f));
    if (use->second.figures.instructions > 0) {
      const std::string& other = use->second.counted_as;
      add(line_sentence(other.empty() ? wording("line {}", line) : other, use->second.figures));
    }
  }
  if (!text.empty()) tooltip(context, text);
}

}  // namespace tilescope::widgets

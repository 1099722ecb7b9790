// One text of Source: the line of the present event, what each line costs, what a check found on
// it, and, where it is compared with another text, the lines that are new.
#pragma once
#include <ImGuiColorTextEdit/TextEditor.h>
#include <imgui.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/features/source/line_uses.h"
#include "app/kit/core/line_heat.h"
#include "app/panel.h"
#include "app/state/rung_news.h"

namespace tilescope::widgets {

/// Lines that stand out. Numbers begin with 1; ascending.
struct SourceMarks {
  std::vector<int> present;        // of the present event; the view follows the first
  std::vector<int> linked;         // what belongs to a line that was clicked in another text
  std::vector<int> hovered;        // to what is under the pointer in another panel
  std::vector<int> answered = {};  // of a wrong answer;
  std::vector<int> right = {};     // the view goes to the first, once
  std::function<std::string(int line)> note = {};  // what a tooltip says beside the figures
  /// Draws what others have in a line's margin, over its number.
  std::function<void(int line, ImVec2 at, ImVec2 size)> margin = {};
  bool operator==(const SourceMarks& other) const {
    return present == other.present && linked == other.linked && hovered == other.hovered;
  }
};

TextEditor::Palette source_palette(const Theme& theme, bool editable = false);

/// The editor widget keeps scroll and selection between frames.
class SourceView {
 public:
  void set_text(const std::string& text, const TextEditor::Language* language);
  /// It can be typed into from now on; else only read.
  void set_editable(bool editable) { editable_ = editable; }
  /// As a person's change, which undo in the text goes back over.
  void change(const std::string& text);
  /// What stands there now is what set_text() would bring.
  void set_saved();
  /// It is not what was set, or saved.
  bool changed() const { return text() != text_; }
  /// As it stands; the same object until somebody types.
  const std::string& text() const;
  /// +1 with each change of it.
  int version() const { return version_; }
  /// The first line that is wrong is shown again, wherever one has scrolled to.
  void show_wrong() { wrong_line_ = -1; }
  /// Long lines are broken where the panel ends.
  void set_wrap(bool wrap) { editor_.SetWordWrapEnabled(wrap); }
  /// The editor's own field to find and replace, as Ctrl+F opens it.
  void find() {
    editor_.SetFocus();
    editor_.OpenFindReplaceWindow();
  }
  /// Keys go to the text, whose cursor stands at the end of a line; 0: where it was.
  void edit_at(int line);
  /// The next frame scrolls there.
  void show_line(int line) { asked_line_ = line; }
  /// Marked until other ones come; none: no marks.
  void mark_new(std::vector<LineBlock> blocks);
  /// Returns the line that was clicked, 0 = none.
  int draw(AppContext& context, const char* id, SourceMarks marks, std::map<int, LineUse> uses,
           LineMetric metric);
  /// Whether the click that draw() has told was left of the text, where the line's number is.
  bool in_margin() const { return in_margin_; }
  /// The line that the pointer was on in the last draw(); 0 = none.
  int pointed_line() const { return pointed_line_; }
  /// A line in the middle of what the last frame showed.
  int middle_line() const;

 private:
  void mark_lines(const Theme& theme);
  void scroll(bool moved);
  bool shows(int line) const;
  void draw_answer(const AppContext& context, int line, float y, float height) const;
  void explain(const AppContext& context, int line) const;
  bool is_new(int line) const;
  void draw_margin(const AppContext& context, const TextEditor::Decorator& row, LineMetric metric,
                   uint64_t most) const;

  TextEditor editor_;
  std::string text_;  // as it was set
  bool editable_ = false;
  int version_ = 0;
  mutable std::string now_;  // the editor's, of `now_version_`
  mutable int now_version_ = -1;
  std::map<int, LineUse> uses_;
  std::vector<LineBlock> new_;
  SourceMarks marks_;
  int wrong_line_ = -1, asked_line_ = 0, pointed_line_ = 0;
  float margin_end_ = 0;  // screen pixels: where figures beside the lines end
  bool in_margin_ = false;
  bool restyle_ = true;
  ThemeKind theme_ = ThemeKind::kDark;
};

}  // namespace tilescope::widgets

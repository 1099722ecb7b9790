// The kernel's text as somebody changes it: what is not saved yet, of each file; the bar above it.
#pragma once
#include <ImGuiColorTextEdit/TextDiff.h>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/features/source/panels/source_view.h"
#include "app/panel.h"

namespace tilescope::widgets {

class SourceEdit {
 public:
  /// Before the text is drawn: it is another file's, or the same file was written since. What was
  /// not saved of the file before is kept.
  void show(const AppState& state, SourceView& view);
  /// The bar above the text, where something is changed; and in place of the text what differs
  /// from the original, or from the text beside it (app/state/text_beside.h), while that is asked
  /// for: true then.
  bool draw_instead(AppContext& context, SourceView& view);
  /// Ctrl+S.
  void save(AppState& state, SourceView& view);
  bool can_save(const SourceView& view) const { return whole_ && view.changed(); }
  /// The editor shows all bytes of the file; else (bytes that are no UTF-8) saving would lose some,
  /// and it is only read.
  bool can_edit() const { return whole_; }
  /// The text as its file has it.
  std::string bytes(const SourceView& view) const;
  bool differs() const { return differs_; }
  void compare() { comparing_ = !comparing_; }

  /// What is not saved goes with the panel's options, so that nothing is lost.
  void save_drafts(const SourceView& view, nlohmann::json& to) const;
  void load_drafts(const nlohmann::json& from);

 private:
  std::string original(const AppState& state) const;
  void count_changes(const AppState& state, const SourceView& view);
  bool bar(AppContext& context, SourceView& view);
  void draw_difference(AppContext& context, const std::string& left, const std::string& right);

  std::string file_;                           // whose text is shown
  std::string on_disk_;                        // as it was read last
  std::string made_for_;                       // state of files that was read
  std::map<std::string, std::string> drafts_;  // by file: what is not saved
  std::map<std::string, std::string> opened_;  // files of one's own as they were first seen
  bool returns_ = false;                       // its lines end in \r\n
  bool whole_ = true;
  bool conflict_ = false;  // changed on disk, and here
  bool comparing_ = false, show_first_ = false;
  std::string error_;
  TextDiff diff_;
  std::string left_, right_;  // that `diff_` shows
  std::string counted_;       // the text that these are of
  bool differs_ = false;
  int added_ = 0, removed_ = 0;  // lines
};

}  // namespace tilescope::widgets

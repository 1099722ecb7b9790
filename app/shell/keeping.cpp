#include "app/shell/keeping.h"

#include <hello_imgui/hello_imgui.h>

#include "app/common/layout_names.h"
#include "app/shell/crash_report.h"
#include "core/files/whole_file.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

constexpr std::chrono::seconds kBetweenReports{3};

}  // namespace

void Keeping::load() {
  if (shell_.folder.empty()) {
    if (shell_.options.render || shell_.options.fresh) return;
    shell_.problem =
        tr("There is no folder to keep anything in (neither HOME nor XDG_CONFIG_HOME names one "
           "that can be made): settings and session end with this window.");
    return;
  }
  shell_.settings = load_settings(shell_.folder / kSettingsFile, &shell_.problem);
  saved_ = settings_text(shell_.settings);
  report_crashes(shell_.folder.string());
  if (!shell_.problem.empty()) return;  // a report waits for the next start
  const std::string report = new_report(shell_.folder.string());
  if (!report.empty()) {
    shell_.problem = wording(
        "The window before this one was ended by a fault of the program: {} says where. Nothing "
        "of it has been sent to anybody.",
        report);
  }
}

void Keeping::each_frame(bool rests) {
  if (shell_.folder.empty()) return;
  note_layout();
  docking_.each_frame();
  const bool owed = pace_.owes();
  if (pace_.is_time(seconds_now(), rests)) {
    save_settings();
    docking_.save();
    if (rests && owed) shell_.model->save();  // while frames are drawn it does so by itself
  }
  tell_report();
}

void Keeping::save() {
  if (shell_.folder.empty()) return;
  save_settings();
  shell_.model->save();
}

/// The one that was asked for at the start is nobody's choice yet.
void Keeping::note_layout() {
  const std::string current = HelloImGui::CurrentLayoutName();
  for (const LayoutName& layout : kLayouts) {
    if (current == layout.title && shell_.options.layout != layout.id) {
      shell_.settings.layout = layout.id;
    }
  }
}

/// Where they have changed. The session's own sentence says it where nothing can be written there.
void Keeping::save_settings() {
  if (!shell_.settings.is_ours) return;
  save_panel_options(&shell_.settings, shell_.context);
  std::string text = settings_text(shell_.settings);
  if (text == saved_) return;
  if (files::replace_file((shell_.folder / kSettingsFile).string(), text).empty()) {
    saved_ = std::move(text);
  }
}

/// Of the last seconds, not of each frame.
void Keeping::tell_report() {
  if (shell_.problem != told_) log_for_report(told_ = shell_.problem);
  if (Clock::now() - told_at_ < kBetweenReports) return;
  told_at_ = Clock::now();
  keep_for_report(shell_.model->state_text());
}

}  // namespace tilescope

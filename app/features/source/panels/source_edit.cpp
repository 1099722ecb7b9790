#include "app/features/source/panels/source_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "app/state/private_copy.h"
#include "app/state/text_beside.h"
#include "core/files/whole_file.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

constexpr size_t kMostDrafts = 1 << 20;  // bytes of all that is kept unsaved

/// How many lines of a text the other has not, wherever they stand.
int lines_beyond(std::string_view text, std::string_view other) {
  std::vector<std::string_view> lines = files::lines_of(text), others = files::lines_of(other);
  std::ranges::sort(lines);
  std::ranges::sort(others);
  std::vector<std::string_view> beyond;
  std::set_difference(lines.begin(), lines.end(), others.begin(), others.end(),
                      std::back_inserter(beyond));
  return static_cast<int>(beyond.size());
}

/// The editor has no returns at the ends of lines.
std::string without_returns(std::string text) {
  std::erase(text, '\r');
  return text;
}

std::string with_returns(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (c == '\n') all += '\r';
    all += c;
  }
  return all;
}

std::string short_name(const AppState& state) {
  const OwnKernel* own = state.edit.own();
  return own ? std::filesystem::path(file_identity(state)).filename().string()
             : std::string(state.derived.kernel ? state.derived.kernel->file : "");
}

}  // namespace

void SourceEdit::show(const AppState& state, SourceView& view) {
  const std::string file = file_identity(state);
  const std::string made_for =
      fmt::format("{}|{}|{}|{}", file, sources_folder(state), state.kernel_files_serial,
                  state.results.compile ? state.results.compile->revision : "");
  if (made_for == made_for_) return;
  made_for_ = made_for;
  std::string text = saved_text(state);
  returns_ = text.find("\r\n") != text.npos;
  text = without_returns(std::move(text));
  if (file != file_) {
    if (view.changed()) {
      drafts_[file_] = view.text();
    } else {
      drafts_.erase(file_);
    }
    file_ = file;
    conflict_ = comparing_ = false;
    error_.clear();
    if (state.edit.own()) opened_.try_emplace(file, text);
    view.set_text(text, TextEditor::Language::Cpp());
    whole_ = view.text() == text;
    if (const auto draft = drafts_.find(file); draft != drafts_.end()) view.change(draft->second);
  } else if (text != on_disk_) {
    conflict_ = view.changed() && view.text() != text;
    if (!conflict_) {
      view.set_text(text, TextEditor::Language::Cpp());
      whole_ = view.text() == text;
    }
  }
  on_disk_ = std::move(text);
}

std::string SourceEdit::original(const AppState& state) const {
  if (!state.edit.own()) return without_returns(original_text(state));
  const auto opened = opened_.find(file_);
  return opened == opened_.end() ? on_disk_ : opened->second;
}

std::string SourceEdit::bytes(const SourceView& view) const {
  return returns_ ? with_returns(view.text()) : view.text();
}

void SourceEdit::save(AppState& state, SourceView& view) {
  if (!whole_ || (!view.changed() && !conflict_)) return;
  const std::string text = view.text();
  error_ = save_text(state, bytes(view));
  if (!error_.empty()) return;
  on_disk_ = text;
  conflict_ = false;
  drafts_.erase(file_);
  view.set_saved();
  say(state, wording("Saved {}.", short_name(state)));
}

/// Once for each text: it takes a millisecond.
void SourceEdit::count_changes(const AppState& state, const SourceView& view) {
  const std::string of = fmt::format("{}|{}", made_for_, view.version());
  if (of == counted_) return;
  counted_ = of;
  const std::string before = original(state);
  differs_ = whole_ && view.text() != before;
  added_ = differs_ ? lines_beyond(view.text(), before) : 0;
  removed_ = differs_ ? lines_beyond(before, view.text()) : 0;
}

/// True while the text itself gives place to what differs from the original.
bool SourceEdit::bar(AppContext& context, SourceView& view) {
  AppState& state = *context.state;
  const bool changed = view.changed(), copy = has_private_copy(state);
  count_changes(state, view);
  const bool differs = differs_;
  if (!changed && !copy && !differs && !conflict_ && error_.empty()) {
    comparing_ = false;
    return false;
  }
  const float s = context.scale;
  ImGui::PushID("edit");
  const auto button = [&](const char* label, const char* tip) {
    const bool pressed = ImGui::SmallButton(tr_id(label));
    tooltip(context, tip);
    beside(4 * s, 90 * s);
    return pressed;
  };
  if (!error_.empty()) {
    elided(context, error_, Tone::warning);
  } else if (conflict_) {
    elided(context, wording("{} changed on disk, and here", short_name(state)), Tone::warning);
  }
  if (conflict_) {
    if (button("Keep mine", "What stands here is saved over the file")) save(state, view);
    if (button("Take the file's", "What stands here goes; undo in the text has it still")) {
      view.change(on_disk_);
      view.set_saved();
      conflict_ = false;
    }
  } else if (changed) {
    if (button("Save (Ctrl+S)", copy || state.edit.own() || !state.kernel_dir.empty()
                                    ? "Writes the file, compiles it and runs all checks"
                                    : "Compiles a private copy and runs all checks; the ladder's "
                                      "own source stays as it is")) {
      save(state, view);
    }
  }
  if (differs && button(comparing_ ? "text" : "difference",
                        comparing_ ? "Back to the text" : "The original beside what stands here")) {
    comparing_ = !comparing_;
  }
  if (differs &&
      button("original", "Back to the text as it was before; undo in the text has yours")) {
    view.change(original(state));
    save(state, view);
    comparing_ = false;
  }
  const std::string words =
      wording("{}+{} −{} lines{}", copy ? "private copy, " : "", model::grouped(added_),
              model::grouped(removed_), changed ? ", not saved" : "");
  elided(context, words, changed ? Tone::warning : Tone::dim);
  ImGui::PopID();
  return comparing_;
}

bool SourceEdit::draw_instead(AppContext& context, SourceView& view) {
  const bool differences = bar(context, view);
  if (const TextBeside* beside = text_beside(*context.state)) {
    draw_difference(context, view.text(), beside->text);
    return true;
  }
  if (differences) draw_difference(context, original(*context.state), view.text());
  return differences;
}

void SourceEdit::draw_difference(AppContext& context, const std::string& left,
                                 const std::string& right) {
  if (left != left_ || right != right_) {
    left_ = left, right_ = right;
    diff_.SetLanguage(TextEditor::Language::Cpp());
    diff_.SetText(left_, right_);
    show_first_ = true;
  }
  diff_.SetTabSize(2);
  diff_.SetShowWhitespacesEnabled(false);
  diff_.SetPalette(source_palette(*context.theme));
  diff_.SetColors(to_imgui(mix(context.theme->panel, context.theme->ok, 30)),
                  to_imgui(mix(context.theme->panel, context.theme->warning, 30)));
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  if (std::exchange(show_first_, false)) {  // lines before it are the same
    const auto first =
        std::mismatch(left_.begin(), left_.end(), right_.begin(), right_.end()).first;
    const auto lines = std::count(left_.begin(), first, '\n');
    const float above = static_cast<float>(std::max<std::ptrdiff_t>(0, lines - 3));
    ImGui::SetNextWindowScroll({-1, above * ImGui::GetTextLineHeightWithSpacing()});
  }
  diff_.Render("##difference", ImGui::GetContentRegionAvail());
  ImGui::PopFont();
}

void SourceEdit::save_drafts(const SourceView& view, nlohmann::json& to) const {
  std::map<std::string, std::string> all = drafts_;
  all.erase(file_);
  if (!file_.empty() && view.changed()) all[file_] = view.text();
  size_t bytes = 0;
  nlohmann::json kept = nlohmann::json::object();
  for (const auto& [file, text] : all) {
    bytes += text.size();
    if (bytes <= kMostDrafts) kept[file] = text;
  }
  if (!kept.empty()) to["drafts"] = std::move(kept);
}

void SourceEdit::load_drafts(const nlohmann::json& from) {
  const auto drafts = from.find("drafts");
  if (drafts == from.end() || !drafts->is_object()) return;
  for (const auto& [file, text] : drafts->items()) {
    if (text.is_string() && text.get_ref<const std::string&>().size() <= kMostDrafts) {
      drafts_[file] = text.get<std::string>();
    }
  }
}

}  // namespace tilescope::widgets

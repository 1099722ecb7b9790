#include "app/features/own/panels/bug_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/features/own/bug_progress.h"
#include "app/features/own/own_bugs.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

struct BugWords {
  const char* text;
  Tone tone;
  const char* sign = nullptr;  // for where the text has no room beside a title
};
BugWords words_of_bug(BugState state) {
  switch (state) {
    case BugState::untried:
      return {"not tried", Tone::dim};
    case BugState::found:
      return {"found", Tone::accent};
    case BugState::proven:
      return {"✓ mended and proven right", Tone::ok, "✓"};
  }
  return {"", Tone::dim};
}

std::string command_of(const PlantedBug& bug) { return "own.bug." + bug.example->id; }

void paragraph(const AppContext& context, const std::string& text, Tone tone) {
  ImGui::PushStyleColor(ImGuiCol_Text, tone_color(context, tone));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str(), text.c_str() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

/// A name that leads to where it is from: its address is copied, since a window opens no browser.
void link_to_source(AppContext& context, AppState& state, const PlantedBug& bug) {
  elided(context, "Wrong in the same way:", Tone::dim);
  const std::string shown = elide(bug.source, ImGui::GetContentRegionAvail().x);
  std::string addresses;
  for (const std::string& one : bug.addresses) addresses += (addresses.empty() ? "" : "\n") + one;
  if (ImGui::TextLink((shown + "###bug_source").c_str())) {
    ImGui::SetClipboardText(addresses.c_str());
    say(state, tr("The address is copied."));
  }
  tooltip(context, bug.source + "\n" + addresses + "\n" + tr("Click: copies the address"));
}

void hint_lines(AppContext& context, const PlantedBug& bug, int shown) {
  const std::vector<std::string> hints = hints_of(bug);
  const auto all = static_cast<int>(hints.size());
  for (int i = 0; i < std::min(shown, all); ++i) {
    elided(context, wording("Hint {} of {}", i + 1, all), Tone::dim);
    paragraph(context, hints[static_cast<size_t>(i)], Tone::plain);
  }
}

/// What is asked for: the next hint, the panel that shows it, the cure.
void card_buttons(AppContext& context, AppState& state, const PlantedBug& bug) {
  int& shown = state.of<BugView>().hints[bug.example->id];
  const float s = context.scale;
  ImGui::BeginDisabled(shown >= static_cast<int>(hints_of(bug).size()));
  if (ImGui::Button(tr_id(shown == 0 ? "Show a hint###bug_hint" : "Another hint###bug_hint"))) {
    ++shown;
  }
  ImGui::EndDisabled();
  const bool cure = is_cure_shown(state);
  beside(6 * s, small_button_width(cure ? "Hide the cure" : "Show the cure"));
  if (ImGui::Button(tr_id(cure ? "Hide the cure###bug_cure" : "Show the cure###bug_cure"))) {
    show_cure(state, bug, !cure);
    if (!cure) context.commands.request("view.go.source");
  }
  tooltip(context, "What makes it right, line by line in Source; nothing is changed by it");
  bool first = true;
  for (const std::string& id : {bug.see, std::string("source")}) {
    const Panel* panel = find_panel(id);
    if (!panel) continue;
    const std::string label = wording("See {}", panel->title);
    if (!std::exchange(first, false)) beside(6 * s, small_button_width(label.c_str()));
    if (ImGui::SmallButton((label + "###see_" + id).c_str())) {
      context.commands.request("view.go." + id);
    }
  }
}

void open_by_hand(AppContext& context, const PlantedBug& bug) {
  const std::string why = open_bug(*context.state, bug);
  if (!why.empty()) return say(*context.state, why);
  context.commands.request("view.layout.learn");
  context.commands.request("view.go.lesson");
}

}  // namespace

void bug_list(AppContext& context) {
  ImGui::Spacing();
  heading(context, "PLANTED BUGS", "find it, mend it, prove it right");
  const float s = context.scale;
  int number = 0;
  for (const PlantedBug& bug : planted_bugs()) {
    ImGui::PushID(bug.example->id.c_str());
    const float right = ImGui::GetContentRegionAvail().x;
    if (ImGui::Selectable("##bug", false, 0, {0, ImGui::GetFrameHeight()})) {
      context.commands.request(command_of(bug));
    }
    tooltip(context,
            "Opens it: look at Findings, mend it in Source (Ctrl+E), and save it (Ctrl+S)");
    const BugWords how = words_of_bug(bug_state(*context.state, bug));
    const char* said = tr(how.text);
    if (how.sign && ImGui::CalcTextSize(said).x > 0.4f * right) said = how.sign;
    const float width = ImGui::CalcTextSize(said).x;
    ImGui::SameLine(6 * s);
    ImGui::AlignTextToFramePadding();
    elided(context, fmt::format("{}  {}", ++number, translated(bug.example->title)), Tone::plain,
           std::max(40 * s, right - width - 20 * s));
    ImGui::SameLine(std::max(6 * s, right - width));
    ImGui::TextColored(tone_color(context, how.tone), "%s", said);
    ImGui::PopID();
  }
}

bool bug_card(AppContext& context) {
  AppState& state = *context.state;
  const PlantedBug* bug = bug_of(state);
  BugView& view = state.of<BugView>();
  if (!bug || view.closed == bug->example->id) return false;
  const BugWords how = words_of_bug(bug_state(state, *bug));
  ImGui::PushFont(context.fonts.bold, 16.0f);
  paragraph(context, std::string(translated(bug->example->title)), Tone::plain);
  ImGui::PopFont();
  elided(context, how.text, how.tone);
  ImGui::Spacing();
  paragraph(context,
            tr("Something in this kernel is wrong. Find the line with the panels, mend it in "
               "Source (Ctrl+E) and save it (Ctrl+S): it is run again, with all checks, and "
               "compared with what is right."),
            Tone::plain);
  ImGui::Spacing();
  link_to_source(context, state, *bug);
  ImGui::Spacing();
  hint_lines(context, *bug, view.hints[bug->example->id]);
  card_buttons(context, state, *bug);
  ImGui::Spacing();
  if (ImGui::Button(tr_id("To the lessons"))) view.closed = bug->example->id;
  return true;
}

void cure_bar(AppContext& context) {
  AppState& state = *context.state;
  const PlantedBug* bug = bug_of(state);
  if (!bug || !is_cure_shown(state)) return;
  if (ImGui::SmallButton(tr_id("Hide the cure###hide_cure"))) show_cure(state, *bug, false);
  ImGui::SameLine(0, 8 * context.scale);
  elided(context, "What stands here, and what the cure has in its place", Tone::dim);
}

std::vector<Command> bug_commands() {
  std::vector<Command> all;
  for (const PlantedBug& bug : planted_bugs()) {
    all.push_back({.id = command_of(bug),
                   .title = fmt::format("Planted bug: {}", bug.example->title),
                   .menu = "Help/Planted bugs",
                   .run = [&bug](AppContext& context) { open_by_hand(context, bug); }});
  }
  return all;
}

}  // namespace tilescope::widgets

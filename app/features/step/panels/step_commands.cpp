#include <string>

#include "app/features/step/panels/step_parts.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/stepped.h"

namespace tilescope {
namespace {

bool can_step(AppContext& context) { return why_no_step(*context.state).empty(); }

Command step_command(const std::string& id, std::string title, std::string shortcut,
                     std::function<void(AppState&)> run) {
  return {.id = "step." + id,
          .title = std::move(title),
          .shortcut = std::move(shortcut),
          .menu = "View/Step",
          .run = [run = std::move(run)](AppContext& context) { run(*context.state); },
          .enabled = can_step};
}

/// At the line that was clicked last, in the text where it was.
void toggle_at_link(AppState& state) {
  const CodeLink link = linked_code(state);
  if (!link.any()) return say(state, "Click a line of the kernel or of its PTX first.");
  const bool ptx = link.ptx_line > 0;
  toggle_breakpoint(state, ptx ? CodeText::ptx : CodeText::kernel, ptx ? link.ptx_line : link.line);
}

}  // namespace

std::vector<Command> step_commands() {
  struct Unit {
    StepUnit unit;
    const char* id;
    const char* on;
    const char* back;
    const char* key;
  };
  constexpr Unit kUnits[] = {
      {StepUnit::line, "line", "Step to the next line", "Step back to the line before", "F10"},
      {StepUnit::instruction, "instruction", "Step to the next instruction",
       "Step back to the instruction before", "F11"},
      {StepUnit::event, "event", "Step to the next event", "Step back to the event before",
       "Ctrl+F11"},
      {StepUnit::barrier, "barrier", "Step to the next barrier", "Step back to the barrier before",
       "F7"},
      {StepUnit::k_step, "k", "Step to the next k step", "Step back to the k step before", "F12"}};
  std::vector<Command> list;
  for (const Unit& u : kUnits) {
    list.push_back(
        step_command(u.id, u.on, u.key, [unit = u.unit](AppState& s) { step_by(s, unit, false); }));
    list.push_back(step_command(std::string(u.id) + "_back", u.back, std::string("Shift+") + u.key,
                                [unit = u.unit](AppState& s) { step_by(s, unit, true); }));
  }
  list.push_back(step_command("run", "Run to the next breakpoint", "F8",
                              [](AppState& s) { run_to_breakpoint(s, false); }));
  list.push_back(step_command("run_back", "Run back to the breakpoint before", "Shift+F8",
                              [](AppState& s) { run_to_breakpoint(s, true); }));
  list.push_back(step_command("to_line", "Step to the clicked line", "",
                              [](AppState& s) { step_to_line(s, false); }));
  list.push_back(
      step_command("breakpoint", "Breakpoint at the clicked line", "F9", toggle_at_link));
  list.push_back(
      step_command("from_here", "Step from here: the playhead's moment", "", step_to_playhead));
  list.back().enabled = [](AppContext& context) {
    return can_step(context) && !playhead_motion(*context.state).empty();
  };
  list.push_back(step_command("undo", "Step to where it was before", "", step_back_to_before));
  list.push_back(step_command("end", "End stepping", "", end_stepping));
  list.back().enabled = [](AppContext& context) { return context.state->of<StepView>().on; };
  return list;
}

}  // namespace tilescope

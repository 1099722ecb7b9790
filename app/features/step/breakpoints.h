// Where a stepped run stops: lines of the source and of the PTX, and findings of the checks.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/code_link.h"
#include "worker/messages/messages_step.h"

namespace tilescope {

struct Breakpoint {
  enum class Where : int { source, ptx, finding };
  std::string of = {};  // the kernel's id or file
  Where where = Where::source;
  int line = 0;               // of the source; of the PTX elsewhere
  std::string revision = {};  // of the PTX that a PTX line is of
  int warp = -1;              // of a finding: the one that it was seen at first
  std::string text = {};      // of a finding: "race"
  bool on = true;
  bool operator==(const Breakpoint&) const = default;
};

struct StepView;

/// What `Breakpoint::of` is of the present subject.
std::string breakpoint_subject(const AppState& state);
/// Whether it is one of what stands now.
bool applies(const AppState& state, const Breakpoint& breakpoint);

/// Whether lines of a text of Source are those of the PTX: a .ptx of one's own is its own source.
bool shows_ptx(const AppState& state, CodeText text);

/// Lines of a file that a PTX has instructions of, ascending: its innermost, of what is inlined.
std::vector<int> lines_with_code(std::string_view ptx, std::string_view file);
/// Whether a line of a PTX holds an instruction.
bool is_ptx_instruction(std::string_view line);

/// Sets or removes one at a line of a text of Source; a line without an instruction gives it to the
/// next that has one. Says what it did.
void toggle_breakpoint(AppState& state, CodeText text, int line);
/// The same of a finding of the checks.
void toggle_finding(AppState& state, const worker::CodeFinding& finding);
bool has_breakpoint(const AppState& state, const worker::CodeFinding& finding);

/// Those that are on and apply.
std::vector<worker::StepStop> stops_of(const AppState& state, const StepView& view);

nlohmann::json breakpoints_json(const std::vector<Breakpoint>& all);
/// Bears anything; what is none is left out.
std::vector<Breakpoint> breakpoints_from(const nlohmann::json& list);

}  // namespace tilescope

// Stepping in the window: what a person has asked for, what the worker answered, and where runs
// stop.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/step/breakpoints.h"
#include "app/features/step/kept_place.h"
#include "app/state/app_state.h"
#include "worker/messages/messages_step.h"

namespace tilescope {

enum class StepUnit : int { instruction, line, event, barrier, k_step };
inline constexpr const char* kStepUnits[] = {"instruction", "line", "event", "barrier", "k step"};

/// How the bits of a register or of a word of shared memory are written. `automatic`: as the name
/// of the register, or the kernel's plan, says.
enum class NumberForm : int { automatic, f32, f16, bf16, integer, hex };
inline constexpr const char* kNumberForms[] = {"auto", "f32", "f16", "bf16", "int", "hex"};

/// Motions that a person has asked for.
struct StepWish {
  std::optional<uint64_t> from = {};  // tick; without: where the run stands then
  std::vector<worker::StepMotion> motions = {};
  bool goes_back = false;  // to a place before: not itself gone back over
  /// Of a place that a session has kept: what stood there. A place where something else stands is
  /// not the one that was meant.
  struct Meant {
    int warp = -1;
    int64_t step = 0;
    bool ended = false;
  };
  Meant meant = {};
};

/// What the panels in view need of an answer.
struct StepNeeds {
  bool any = false;  // some panel is in view
  bool registers = false, live_only = false, shared = false;
  bool output = false;                        // what was printed, and what the checks have found
  int warp = -1;                              // whose registers; −1: of the place
  std::optional<std::array<uint32_t, 3>> of;  // another CTA than the place's
  bool operator==(const StepNeeds&) const = default;
};
/// Whether an answer to the one serves the other.
bool serves(const StepNeeds& known, const StepNeeds& needed);

struct StepView {
  // What a person has chosen.
  bool asked = false;       // to step: until it is ended by hand
  bool alone = true;        // motions stop for one warp alone, the shown one
  bool whole_grid = false;  // runs all CTAs, not `cta` alone
  BlockIndex cta;
  bool cta_chosen = false;  // by hand; else the one that is looked at when stepping begins
  int warp = -1;            // shown; −1: of the place
  std::optional<std::array<uint32_t, 3>> resident;  // CTA that is shown; without: the place's
  bool live_only = true;
  int number_form = 0, memory_form = 0;  // NumberForm
  int region = 0;                        // of shared memory; 0: all of it
  bool wide = false;                     // its words have room for their values
  std::string until;                     // a motion, as typed
  std::vector<Breakpoint> breakpoints;
  std::optional<KeptPlace> restore;  // of a session: gone to once its launch is known

  // What is to be asked, and what is known.
  bool on = false;   // there is something to step, and somebody does or looks
  StepNeeds wanted;  // this frame's: panels add to it
  std::string of;    // step_key() of what follows
  std::vector<StepWish> wishes;
  bool running = false;  // a call is on its way
  std::string kept;      // how the worker calls the launch; empty: it is to be told whole
  std::shared_ptr<const worker::StepAnswer> answer, before;  // the present place, the one before
  StepNeeds known;                                           // that `answer` serves
  StepNeeds needs;                                           // of the panels in view
  std::optional<StepNeeds> given_up;  // that could not be told, or that were stopped
  std::vector<uint64_t> passed;       // ticks of places before, for the way back
  std::string note;                   // one sentence: why the last motion did not come to a stop
};

/// What a place is of: the edit, the PTX and the launch; empty where there is nothing to step.
std::string step_key(const AppState& state);
/// Why there is nothing to step, in a sentence with the way out; empty: there is something.
std::string why_no_step(const AppState& state);
/// Of what stands now; null: none yet.
const worker::StepAnswer* step_answer(const AppState& state);

/// Goes by a unit, forward or back: of the shown warp, or of whichever comes next.
void step_by(AppState& state, StepUnit unit, bool back);
/// Runs to the nearest breakpoint; without one, to the end or the beginning of the run.
void run_to_breakpoint(AppState& state, bool back);
/// A motion as it is typed (docs/stepping.md). Says in `note` what is wrong with it.
void step_until(AppState& state, const std::string& text, bool back);
/// To the line that was clicked in Source.
void step_to_line(AppState& state, bool back);
/// To the moment of the playhead.
void step_to_playhead(AppState& state);
/// To the place before the last motion.
void step_back_to_before(AppState& state);
/// Begins with a CTA, or with the whole grid.
void step_cta(AppState& state, BlockIndex cta, bool whole_grid);
/// Back to the instruction that wrote a byte of the shown CTA's shared memory last.
void step_to_writer(AppState& state, int byte, const emulator::StepWriter& by);
void show_step_warp(AppState& state, int warp);
void end_stepping(AppState& state);

/// The warp whose registers are shown.
int shown_warp(const StepView& view, const worker::StepAnswer& answer);
/// The CTA that is looked at in the pictures, as a blockIdx; the first of a kernel without a plan.
BlockIndex looked_at_cta(const AppState& state);
/// CTAs of the launch along each axis.
std::array<uint32_t, 3> step_grid(const AppState& state);
BlockIndex within_grid(const AppState& state, BlockIndex cta);

/// "written:C[17,33]" of a GEMM of one's own: as bytes of its buffer, which its sheet tells. Throws
/// std::invalid_argument with a sentence.
void place_elements(const AppState& state, worker::StepMotion& motion);

}  // namespace tilescope

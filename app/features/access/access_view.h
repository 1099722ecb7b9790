// Access: which lanes read or write which elements of buffers and shared memory, of one CTA or of
// a whole small grid.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/access/access_data.h"
#include "app/state/app_state.h"
#include "app/state/present_launch.h"

namespace tilescope {

enum class AccessMode : int { lanes, count, warps, time };
inline constexpr const char* kAccessModes[] = {"by lane", "by count", "by warp", "by time"};

/// What is asked of the worker: a launch as it stands.
struct AccessQuestion {
  uint64_t edit_serial = 0;
  std::string revision;                                 // of a rung's PTX
  std::shared_ptr<const worker::LaunchRequest> launch;  // of a kernel of one's own
  BlockIndex cta;
  bool whole_grid = false;
  bool operator==(const AccessQuestion&) const = default;
};

/// An element of one of the matrices of AccessData.
struct AccessElement {
  size_t matrix = 0;
  uint64_t row = 0, col = 0;
  bool operator==(const AccessElement&) const = default;
};

/// The feature's part of the state.
struct AccessView {
  bool wanted = false;  // this frame's
  // Chosen:
  int mode = 0;  // AccessMode
  bool reads = true, writes = true;
  bool whole_grid = false;
  int first = 0;  // of the touched matrices, where not all have room
  std::vector<std::optional<AccessWindow>> windows;  // by matrix; none: what is touched
  std::optional<AccessElement> chosen, hovered;
  // Answered:
  std::optional<AccessQuestion> of;  // that `data` or `error` belongs to
  std::shared_ptr<const AccessData> data;
  std::string error, details;  // why there is none, one sentence
};

/// What would be asked now; nothing: there is no launch to ask about.
std::optional<AccessQuestion> access_question(const AppState& state);
/// Why there is none, in a sentence with the way out.
std::string why_no_accesses(const AppState& state);
/// The answer to that; null: it is not there, or of something else.
std::shared_ptr<const AccessData> present_accesses(const AppState& state);
/// The grid of the present launch.
BlockIndex access_grid(const AppState& state);

/// Takes an answer in. What was chosen of another launch's matrices is let go of.
void take_accesses(AccessView& view, const AccessQuestion& question, worker::AccessAnswer answer);

/// What is lit: the instructions of the place that is marked in the code, or else what the
/// selected warp does at the playhead. `dims`: set where the others are to step back.
AccessLight access_light(const AppState& state, const AccessData& data, bool* dims);

/// The instructions that stand at a place in the code, ascending.
std::vector<uint32_t> instructions_at(const AppState& state, const AccessData& data,
                                      const CodeLink& place);

/// The part of a matrix that is shown.
AccessWindow shown_window(const AccessView& view, const AccessData& data, size_t matrix);
/// That window with the given element staying where it is, `factor` times as large.
AccessWindow zoomed(const worker::AccessBuffer& matrix, const AccessWindow& window, double factor,
                    double row, double col);
/// Moved by so many rows and columns, as far as the matrix goes.
AccessWindow moved(const worker::AccessBuffer& matrix, AccessWindow window, int64_t rows,
                   int64_t cols);

/// Selects who touched an element last: its place in the code, and of a rung the warp, the lane and
/// the event in Timeline, where the trace has it.
void choose_element(AppState& state, const AccessElement& element);
/// Marks an instruction in the code.
void choose_instruction(AppState& state, const worker::AccessInstruction& instruction);

}  // namespace tilescope

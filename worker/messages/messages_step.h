// Stepping through a launch: where to go, and what is seen there. "step" of the emulator.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/layout.h"
#include "emulator/stepper.h"
#include "worker/messages/messages.h"
#include "worker/messages/messages_trace.h"

namespace tilescope::worker {

/// Where to stop.
struct StepStop {
  emulator::StopCondition condition = {};
  /// Of an access to global memory: of which buffer, by name or number from 0 on; the condition's
  /// address then counts from its beginning. Empty: a device address.
  std::string buffer = {};
  std::optional<Coord> element = {};  // of A, B or C of a kernel of the ladder, in place of bytes
  bool here = false;  // by the CTA and warp of the place from which the motion begins
};

/// To the nearest place at which one of the stops holds, `times` times; without stops, to the end,
/// or to the beginning.
struct StepMotion {
  std::vector<StepStop> stops = {};
  bool back = false;
  uint32_t times = 1;
};

struct StepBuffer {
  std::string name = {};
  uint64_t address = 0, bytes = 0;
};

/// Something that the checks have found, and the moment when it was seen first: the step of a warp
/// of the finding's CTA that had run then.
struct StepFinding {
  CodeFinding finding = {};
  int seen_warp = -1;  // −1: it shows only when all CTAs have run
  uint64_t seen_step = 0;
};
/// What they have found up to the place.
struct StepChecks {
  std::vector<StepFinding> found = {};
  uint64_t later = 0;      // that the run comes to behind the place
  bool cut_short = false;  // the checks ended at their limit: there may be more
};

/// Registers' values, shared, local and global memory travel in a binary frame.
struct StepAnswer {
  emulator::StepState state = {};
  bool found = true;   // the last motion has come to a stop; else it ends where the run does
  uint32_t moves = 0;  // that came to a stop
  std::vector<StepBuffer> buffers = {};  // of the launch
  uint64_t checkpoints = 0, checkpoint_bytes = 0;
  std::optional<StepChecks> checks = {};  // where they were asked for
  /// What calls::Step::Request::kept may be from now on. Empty: the launch that was asked for by
  /// such a name is not kept any more, nothing else is told, and it is to be asked for whole.
  std::string kept = {};
};

void to_json(nlohmann::json& j, const StepMotion& m);
/// Throws std::exception of nlohmann or std::invalid_argument.
void from_json(const nlohmann::json& j, StepMotion& m);
void to_json(nlohmann::json& j, const StepAnswer& a);

/// The binary frame's type.
inline constexpr const char* kStepBytes = "step.bytes";
nlohmann::json send_step(const StepAnswer& answer, const SendPart& send);
/// Puts an answer together again on the receiving side.
struct StepFrames {
  std::string bytes;
  void add(std::string_view, std::span<const std::byte> more) {
    bytes.append(reinterpret_cast<const char*>(more.data()), more.size());
  }
  /// Throws if the frames do not hold what the answer says.
  StepAnswer whole(const nlohmann::json& answer) const;
};

}  // namespace tilescope::worker

namespace tilescope::emulator {

void to_json(nlohmann::json& j, const StepParts& p);
void from_json(const nlohmann::json& j, StepParts& p);

}  // namespace tilescope::emulator

// A run of any PTX, and what is asked about it: "run" of the emulator.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "worker/messages/messages.h"
#include "worker/messages/messages_launch.h"

namespace tilescope::worker {

struct RunRequest {
  enum class Provenance { none, json, text };

  LaunchRequest launch;
  /// First and last, in order of x, then y, then z; nothing: all of the grid.
  std::optional<std::pair<uint64_t, uint64_t>> ctas;
  int threads = 1;
  uint64_t max_lane_instructions = 0;  // 0 = no limit
  bool check = false;
  Provenance provenance = Provenance::none;
  /// Of each buffer the number by which the document calls it.
  std::vector<int> argument_of;
  /// About the first CTA that runs, each of a run of its own on buffers as they were.
  std::vector<OriginQuestion> asks;
  /// Buffers, of which the file `dumped` gets the contents, one behind the other, after a run
  /// without a fault.
  std::vector<int> dumps;
  std::string dumped;
  bool by_line = false;  // counts of each PTX line, and of each line of LaunchRequest::source
  /// The kernel that the sheet's expectation names, opened: it is given what its arguments have in
  /// the launch before that runs, and what both write is compared. `other_args`: of each of its
  /// arguments the launch's.
  std::optional<LaunchRequest> other = {};
  std::vector<int> other_args = {};
};

/// What comes as messages of any length, in binary frames of these types: a JSON document with the
/// members "fault" and "message" (of a run that had one), "findings" (of a checked run),
/// "provenance" (rows, or lines of text); and what the kernel printed.
inline constexpr const char* kRunDocument = "run.document";
inline constexpr const char* kRunOutput = "run.output";

/// C of a launch whose sheet says that it is a GEMM, compared with double precision.
struct GemmVerdict {
  Verification verified;
  uint64_t right = 0;              // elements that are, of verified.of
  double found = 0, expected = 0;  // of the first wrong element; NaN if it is no number
  std::string layout;  // which C would be right for, of a C that is wrong: "TN"; empty: none is
};

/// A buffer that was compared with what the sheet expects of it, element by element.
struct BufferVerdict {
  int argument = 0;
  std::string name, against;  // "C", "c.npy"
  bool ok = false;
  uint64_t elements = 0, wrong = 0;
  uint64_t row = 0, col = 0;       // of the first wrong element, by the rows of its SPEC
  double found = 0, expected = 0;  // there; NaN if it is no number
  double worst = 0;                // largest difference, as `tolerance` counts
  double tolerance = 0;  // of |found − expected| over |expected| + the root of its mean square
  bool operator==(const BufferVerdict&) const = default;
};
void to_json(nlohmann::json& j, const BufferVerdict& v);
void from_json(const nlohmann::json& j, BufferVerdict& v);
void to_json(nlohmann::json& j, const GemmVerdict& v);
void from_json(const nlohmann::json& j, GemmVerdict& v);

struct RunAnswer {
  CountedTraffic counted;
  double seconds = 0;
  std::string arithmetic = {};               // as EmulateResult
  std::vector<std::string> answers;          // to `asks`
  std::vector<uint64_t> dumped = {};         // bytes of each of `dumps`
  std::optional<GemmVerdict> gemm = {};      // of a run of the whole grid
  std::vector<BufferVerdict> expected = {};  // the same, of a sheet that expects something
  std::vector<CodeFinding> findings = {};    // of a checked run
  std::optional<CodeFinding> fault = {};     // that ended it, whether the checks found it or not
  bool right() const;                        // nothing that was compared is wrong
};

void to_json(nlohmann::json& j, const RunRequest& r);
/// Throws std::exception of nlohmann or std::invalid_argument.
void from_json(const nlohmann::json& j, RunRequest& r);
void to_json(nlohmann::json& j, const RunAnswer& a);
void from_json(const nlohmann::json& j, RunAnswer& a);

}  // namespace tilescope::worker

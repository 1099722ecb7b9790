// A result measured on a named GPU on a named day: a line of JSON, of a file of assets/recordings
// or of what this machine's cards have measured. Format: docs/recordings.md.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/messages/counters.h"
#include "worker/messages/messages.h"

namespace tilescope::worker {

struct Recording {
  KernelRequest request;
  MeasureResult result;  // standing "recorded"
  std::optional<CountersResult> counters;
  std::string arch;      // what the kernel was compiled for; empty = not said
  std::string revision;  // of the kernel's PTX then
  std::string source;    // hash of its text then (source_hash.h); own results alone have one
};

/// One line of a file; nothing if it is none, is longer than kMostLineBytes, or is of a size, a
/// tile or a card that cannot be; then `why_not` gets a sentence without its end. Its kernel may be
/// one that this build does not know.
std::optional<Recording> read_recording(std::string_view line, std::string* why_not = nullptr);

/// The same of a kernel that this build knows, else nothing.
std::optional<Recording> parse_recording(std::string_view line);

/// The lines of one file that are recordings of known kernels; none if it cannot be read or has
/// more than kMostFileBytes. Others that are not empty are counted in `skipped`.
std::vector<Recording> read_recording_file(const std::string& file, int* skipped = nullptr);

/// The line of a final, right measurement, without its end. `revision` and `source` may be empty.
std::string recording_line(const KernelRequest& request, const MeasureResult& result,
                           const std::string& arch, const std::string& revision,
                           const std::string& source);

/// Launched alike: the grids of some kernels are made of the card's SMs. Of known kernels; what has
/// no plan is launched like nothing else.
bool same_launch(const KernelRequest& a, const KernelRequest& b);

/// "recorded with an older kernel": `revision` is that of the PTX compiled now for the recording's
/// arch.
inline bool is_older(const Recording& recording, const std::string& revision) {
  return !recording.revision.empty() && recording.revision != revision;
}

}  // namespace tilescope::worker

// Results measured on a named GPU on a named day, for machines without one. Files of
// assets/recordings, written by bench; format: docs/recordings.md.
#pragma once
#include <optional>
#include <span>
#include <string>
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

/// True of files that hold proofs of lane maps (probe/proofs.h) and no measurements.
bool is_proofs_file(const std::string& file_name);

/// One line of a file; nothing if it is not a recording of a kernel that this build knows.
std::optional<Recording> parse_recording(const std::string& line);

/// The lines of one file; none if it cannot be read.
std::vector<Recording> read_recording_file(const std::string& file, int* skipped = nullptr);

/// All files of a folder, in the order of their names. A line that cannot be read is left out and
/// counted in `skipped`.
std::vector<Recording> read_recordings(const std::string& folder, int* skipped = nullptr);

/// Where recordings may lie: $TILESCOPE_RECORDINGS, beside the installed program, in the checkout
/// that it was built in.
std::vector<std::string> recording_folders();

/// Launched alike: the grids of some kernels are made of the card's SMs.
bool same_launch(const KernelRequest& a, const KernelRequest& b);

/// The newest recording of a kernel, tile and problem; nullptr if there is none. `device`: part of
/// the GPU's name, empty = any.
const Recording* find_recording(std::span<const Recording> recordings, const KernelRequest& request,
                                const std::string& device = {});

/// "recorded with an older kernel": `revision` is that of the PTX compiled now for the recording's
/// arch.
inline bool is_older(const Recording& recording, const std::string& revision) {
  return !recording.revision.empty() && recording.revision != revision;
}

}  // namespace tilescope::worker

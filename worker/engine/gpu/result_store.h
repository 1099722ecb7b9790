// What this machine's cards have measured, kept from session to session: a line a result, appended
// by the process that measured it. Format: docs/recordings.md.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "worker/engine/gpu/recording.h"
#include "worker/messages/messages_results.h"

namespace tilescope::worker {

/// FOLDER/NVIDIA_H200.jsonl: one file a card, by the name that its driver gives it.
std::string store_file(const std::string& folder, const std::string& card);

/// The line of a final, right measurement, without its end. `revision` and `source` may be empty.
std::string stored_line(const KernelRequest& request, const MeasureResult& result,
                        const std::string& arch, const std::string& revision,
                        const std::string& source);

/// Appends a line by one write: another process may append at the same time, and whoever is killed
/// leaves a whole line or none. After a line that was cut (the disk was full) it begins on a new
/// one. Empty, or why nothing was stored, in a sentence.
std::string append_line(const std::string& file, const std::string& line);

/// Which results are asked for: those of a size and factors, whatever their types and layout.
struct ResultsQuery {
  Problem problem;
  std::string name;   // of the card, whole
  std::string store;  // folder of own results; empty: there are none
  int sms = DeviceLimits().sm_count;
  std::string kernel_dir;
};
/// Of each kernel, tile and problem one: what was measured here with the present source, else the
/// newest. Own kernels (`kernel_dir`) have no recordings.
std::vector<KnownResult> known_results(const ResultsQuery& query,
                                       const std::vector<std::string>& recordings);

/// The one of exactly this request that known_results() has of a card's own: with the present
/// source, else the newest. Its standing is "recorded".
std::optional<Recording> own_result(const std::string& folder, const std::string& card,
                                    const KernelRequest& request, const std::string& kernel_dir);
/// A line a card that has results in `folder`: how many, and the day of the newest.
struct OwnCard {
  std::string name, date;
  int count = 0;
};
std::vector<OwnCard> own_cards(const std::string& folder);

}  // namespace tilescope::worker

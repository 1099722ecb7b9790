// What is known of a problem or of a launch, by what a store has: which of several results counts,
// and whether the kernel is still the one that was measured.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "worker/engine/compile/source_hash.h"
#include "worker/engine/store/store.h"
#include "worker/messages/messages_results.h"

namespace tilescope::worker {

/// The texts that kernels have now: those that are built in, read once a process, and those of a
/// folder beside them, read anew for each question.
class PresentSources {
 public:
  /// `built_in` outlives this. An empty folder: the built-in ones are the present ones.
  PresentSources(SourceHash& built_in, const std::string& kernel_dir);
  std::string of(const KernelRequest& request);
  /// No kernel of the folder takes its place.
  bool is_built_in(const KernelEntry& kernel);

 private:
  SourceHash& built_in_;
  std::optional<SourceHash> own_;
};

/// Which results are asked for: those of a size and factors, whatever their types and layout.
struct ResultsQuery {
  ResultsOf of;
  int sms = DeviceLimits().sm_count;
};
/// Of each kernel, tile and problem one: what was measured here with the present source, else the
/// newest. Own kernels have no recordings.
std::vector<KnownResult> known_results(Store& store, const ResultsQuery& query,
                                       PresentSources& sources);

/// The newest recording of a kernel, tile and problem in the first folder that has one. `device`:
/// part of the GPU's name, empty = any; or its whole name.
std::optional<Recording> find_recording(Store& store, const KernelRequest& request,
                                        const std::string& device = {}, bool whole_name = false);

/// The one of exactly this request that known_results() has of a card's own: with the present
/// source, else the newest. Its standing is "recorded".
std::optional<Recording> own_result(Store& store, const std::string& card,
                                    const KernelRequest& request, PresentSources& sources);

}  // namespace tilescope::worker

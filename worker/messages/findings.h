// The words for findings of the checks, the same in the window, in its language, and on the
// command line.
#pragma once
#include <string>
#include <vector>

#include "worker/messages/messages.h"

namespace tilescope::worker {

/// The first finding that is an error, not a remark; null if there is none.
const CodeFinding* first_error(const std::vector<CodeFinding>& findings);
/// Whether a card would end a launch that does this with a fault, or never end it.
bool ends_a_launch(const std::string& kind);
/// The word for a kernel that has such a finding: "racy", "out of bounds".
std::string finding_word(const std::string& kind);
/// "racy: line 200"; of the PTX where the kernel's own line is not known. With a file "racy: line
/// 52 of 10_mma_sync.cuh".
std::string finding_label(const CodeFinding& finding, const std::string& file = {});

}  // namespace tilescope::worker

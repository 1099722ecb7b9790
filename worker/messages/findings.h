// What findings of the checks mean to a person, the same in the window and on the command line.
#pragma once
#include <string>
#include <vector>

#include "worker/messages/messages.h"

namespace tilescope::worker {

/// The first that is no remark; null if all are.
const CodeFinding* first_error(const std::vector<CodeFinding>& findings);
/// What a kernel with such a finding is: "racy", "out of bounds".
std::string finding_word(const std::string& kind);
/// "racy: line 200"; of the PTX where the kernel's own line is not known.
std::string finding_label(const CodeFinding& finding);

}  // namespace tilescope::worker

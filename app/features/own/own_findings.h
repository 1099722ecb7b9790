// What a checked run of somebody's own kernel found, as panels know findings.
#pragma once
#include <string>
#include <vector>

#include "worker/messages/messages.h"

namespace tilescope {

/// `document`: of calls::Run. Lines are those of `source` (a file's name); what is of another file
/// has its PTX line alone. A fault that the checks have not told is the first of them.
std::vector<worker::CodeFinding> own_findings(const std::string& document,
                                              const std::string& source);

}  // namespace tilescope

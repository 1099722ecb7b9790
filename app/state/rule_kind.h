// Broken rules in one letter, where a cell or a point has no room for a sentence.
#pragma once
#include <string>

#include "core/layout/violation.h"

namespace tilescope {

/// How a broken rule is shown in a cell, and what that stands for: several rules may share a
/// letter.
struct RuleKind {
  std::string letter;  // "S"; empty: nothing is broken
  std::string what;    // "more shared memory than there is"
};
RuleKind rule_kind(Rule rule);

}  // namespace tilescope

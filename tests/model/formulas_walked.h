// What formulas must give, by walking what they are about: elements, tiles, lanes, CTAs.
#pragma once
#include <map>
#include <string>

#include "core/model/formulas.h"

namespace tilescope::model {

/// By Formula::key, in bytes; of all whose figures can be walked. `counted`: by brute force.
std::map<std::string, double> walked_formulas(const Analysis& analysis, const Counts& counted);

}  // namespace tilescope::model

// Signatures as compilers might make them, and stranger ones.
#pragma once
#include <random>

#include "core/sheet/signature.h"

namespace tilescope::sheet {

Signature random_signature(std::mt19937& random);
int pick(std::mt19937& random, int low, int high);

}  // namespace tilescope::sheet

// Launches `f<128><<<grid, block, shared>>>(…)` in host code.
#pragma once
#include <vector>

#include "core/sheet/signature.h"
#include "worker/engine/own/cu_tokens.h"

namespace tilescope::worker {

/// All of a file, in order. Numbers that #defines, macros with arguments, functions of one return
/// statement, constants and variables before the launch stand for are put in; what is left are
/// names that nobody gives a value, such as parameters of the function around it.
std::vector<sheet::FoundLaunch> found_launches(const std::vector<CuToken>& tokens);

/// True if the launch names a kernel that can be compiled as it stands there: no template, or one
/// whose arguments are numbers and types alone.
bool is_instance(const sheet::FoundLaunch& launch);

}  // namespace tilescope::worker

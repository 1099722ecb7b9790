// What guessing a sheet and filling that of a GEMM have in common.
#pragma once
#include <array>
#include <optional>
#include <string>

#include "core/sheet/expression.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/signature.h"

namespace tilescope::sheet {

/// "ns::f<ns::T>" → "f<ns::T>".
std::string unqualified(const std::string& name);

/// A launch's extent with these names; nothing if it is not given or not within the limits.
std::optional<Extent> evaluated(const std::array<std::string, 3>& sizes, const Names& names,
                                const Extent& most);

/// Entry, grid, block and shared bytes: as the kernel's directives and the launch say, else
/// guessed.
void fill_launch(const Signature& signature, const FoundLaunch* launch, const Names& names,
                 LaunchSheet& sheet);

}  // namespace tilescope::sheet

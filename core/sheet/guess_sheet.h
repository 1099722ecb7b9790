// A sheet for a kernel that nobody has written one for: from its signature and from the launches
// that stand in its file.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/sheet/launch_sheet.h"
#include "core/sheet/signature.h"

namespace tilescope::sheet {

/// All of a sheet; what was not to be read anywhere is filled with what may be meant and named in
/// `guesses`. `.reqntid`, `.maxntid` and a launch with numbers are no guesses for grid, block and
/// shared bytes; arguments always are.
LaunchSheet guess_sheet(const Signature& signature, std::span<const FoundLaunch> launches);

struct GemmQuestion {
  int m = 0, n = 0, k = 0;
  std::string layout = "TT";  // as GemmSheet has it
  bool column_c = false;
  double alpha = 1.5, beta = 0.5;  // of a kernel that takes them
};
/// "It is a GEMM": which parameters are A, B, C, M, N, K, alpha and beta is told by their names, or
/// where there are none, by their types and order; the grid by a launch in the file. Throws
/// SheetError with a sentence where that cannot be told. A grid or block that is not known is
/// guessed as guess_sheet() does, and named in `guesses`.
LaunchSheet gemm_sheet(const Signature& signature, std::span<const FoundLaunch> launches,
                       const GemmQuestion& question);

/// The kernel that a person means: by the PTX's name, the demangled one, an instance "f<128, 8>" or
/// a part of either that only one has; empty: the only one there is. Throws SheetError with what
/// there is.
size_t find_kernel(std::span<const Signature> kernels, const std::string& name);

/// The launch in the file that is of this kernel; null: none. Instances are preferred to the bare
/// name of a template.
const FoundLaunch* launch_of(const Signature& signature, std::span<const FoundLaunch> launches);

}  // namespace tilescope::sheet

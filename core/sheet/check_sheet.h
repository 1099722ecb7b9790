// Whether a sheet fits a kernel.
#pragma once
#include <string>
#include <vector>

#include "core/sheet/argument_spec.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/signature.h"

namespace tilescope::sheet {

/// What is wrong with it, a sentence each: a SPEC that cannot be read, is of another size or
/// another type than its parameter, a number of them that does not fit, an @INDEX that names no
/// buffer, a missing grid or block, a block other than .reqntid or with more threads than .maxntid,
/// a GEMM whose matrices are no buffers of their sizes. Empty: it can be run. The entry is not
/// looked at.
std::vector<std::string> faults_of(const Signature& signature, const LaunchSheet& sheet);

/// The sheet's SPECs. Throws SheetError with the first of those sentences that is about them.
std::vector<ArgumentSpec> arguments_of(const Signature& signature, const LaunchSheet& sheet);

/// Rows and columns of A, B or C (0, 1, 2) as the GEMM has them, and whether it lies by rows.
struct MatrixShape {
  int rows = 0, cols = 0;
  bool by_rows = true;
};
MatrixShape matrix_shape(const GemmSheet& gemm, int matrix);

}  // namespace tilescope::sheet

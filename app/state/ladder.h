// The ladder with its figures: of each rung the best tile that is known on the present problem and
// device, beside the library.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/known_results.h"

namespace tilescope {

/// Kernels of one element type, in the order of their number.
struct LadderGroup {
  std::string name;  // "f16"
  std::vector<const KernelEntry*> kernels;
};
std::vector<LadderGroup> ladder_groups();

struct LadderRow {
  const KernelEntry* kernel = nullptr;
  Edit edit;  // that a click goes to: the best tile known, else the one it was left with
  bool present = false;
  Standing standing = Standing::none;
  std::optional<double> tflops, of_library;
  std::string date;
  bool older = false;   // the kernel has changed since
  std::string why_not;  // it cannot run on this problem or device: one sentence
};
struct LadderPart {
  std::string name;  // "f16 → f32"
  Problem problem;
  std::optional<LibraryFigure> library;
  std::vector<LadderRow> rungs;
};
/// One part for each element type. The present kernel's is of the present problem; the others have
/// its size and factors, and their own types and layout.
std::vector<LadderPart> ladder_parts(const AppState& state);

}  // namespace tilescope

// The Fragment panel: which lane and register hold which element of one matrix instruction, or of
// one thread's tile in a kernel without matrix instructions.
#pragma once
#include <optional>

#include "viz/scene/selection.h"

namespace tilescope::viz {

enum class FragmentTab { mma, warp_tile, ldmatrix, shared_memory };

struct FragmentState {
  KernelPlan plan;
  Problem problem;
  Selection selection;
  Moment moment;
  std::optional<Pick> hover;
  FragmentTab tab = FragmentTab::mma;
  Operand operand = Operand::a;  // ldmatrix and shared memory: whose
  int phase = 0;                 // shared memory: eight lanes of an ldmatrix
};

/// Tabs that make sense for a kernel.
bool has_tab(const KernelPlan& plan, FragmentTab tab);

Scene build_fragment(const FragmentState& state, const Palette& palette, const TextMeasure& measure,
                     Size size);

}  // namespace tilescope::viz

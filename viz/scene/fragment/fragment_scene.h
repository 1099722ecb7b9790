// The Fragment panel: which lane and register hold which element of one matrix instruction, or of
// one thread's tile in a kernel without matrix instructions.
#pragma once
#include <optional>

#include "core/instructions/instructions.h"
#include "core/layout/wgmma_shared.h"
#include "viz/scene/answer_sign.h"
#include "viz/scene/selection.h"

namespace tilescope::viz {

enum class FragmentTab { mma, warp_tile, ldmatrix, shared_memory, formulas };
constexpr int kFragmentTabs = 5;

struct FragmentState {
  /// An instruction of the list, shown instead of the kernel's own; `plan` is then its atom_plan().
  const model::Instruction* instruction = nullptr;
  KernelPlan plan;
  Problem problem;
  Selection selection;
  Moment moment;
  std::optional<Pick> hover;
  AnswerMarks marks;  // of a wrong answer: lanes
  FragmentTab tab = FragmentTab::mma;
  Operand operand = Operand::a;  // ldmatrix and shared memory: whose
  int phase = 0;                 // shared memory: eight lanes of an ldmatrix
  // shared memory, an instruction of the list that reads it itself: how it lies, and which 32 bytes
  // of its lines
  WgmmaLayout descriptor;
  int descriptor_step = 0;
  bool pad = false;          // shared memory: compare with 16 bytes of padding, not with XOR
  float zoom = 1;            // mma tab: 1 fits the panel
  Point center{0.5f, 0.5f};  // mma tab, zoomed: the place of the picture in the panel's middle

  bool operator==(const FragmentState&) const = default;
  bool is_move() const {
    return instruction != nullptr && instruction->kind == model::Instruction::Kind::move;
  }
};

/// Tabs that make sense for what is shown.
bool has_tab(const FragmentState& state, FragmentTab tab);
/// The words on a tab.
const char* tab_name(const FragmentState& state, FragmentTab tab);
/// Largest useful zoom of the mma tab at this panel size: cells wide enough for their names.
float largest_zoom(const FragmentState& state, Size size);

Scene build_fragment(const FragmentState& state, const Palette& palette, const TextMeasure& measure,
                     Size size);

}  // namespace tilescope::viz

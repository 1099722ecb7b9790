// The Tiling panel: grid, CTA, warp and mma (or thread) tile, linked, with the ring of
// shared-memory stages below them.
#pragma once
#include <optional>
#include <vector>

#include "viz/scene/answer_sign.h"
#include "viz/scene/selection.h"
#include "viz/scene/timeline/timeline_scene.h"

namespace tilescope::viz {

struct StageState {
  /// `issued`: all copies are on their way, and not all warps have waited for theirs.
  /// `done`: read, and free to be filled again.
  enum class State { empty, filling, issued, ready, in_use, done };
  int stage = 0;
  State state = State::empty;
  int k_slice = -1;
  float fraction = 1;  // filled, 0 to 1
  int copies = 0;      // in all, of `fraction`; 0: not told
  bool operator==(const StageState&) const = default;
};

enum class MmaProgress : uint8_t { to_do, done, now };

struct TilingState {
  KernelPlan plan;
  Problem problem;
  Selection selection;
  Moment moment;
  std::optional<Pick> hover;

  // From the playhead; empty while nothing is traced.
  std::vector<StageState> stages;
  std::vector<MmaProgress> mma_progress;  // of the chosen warp's tiles: [mma_m][mma_n]

  // Elements that the present instruction moves or multiplies, as provenance found them, and what
  // it is; and elements that a value under the pointer came from.
  std::vector<ElementBox> lit;
  EventKind lit_by = EventKind::mma;
  std::vector<ElementBox> origins;

  AnswerMarks marks;  // of a wrong answer: CTAs in the grid, lanes in the mma tile

  int shared_limit = 232448;     // bytes that a block may have
  int ctas_per_wave = 0;         // resident at once; 0: not known
  bool waves_estimated = false;  // before the compiler has told the registers

  bool side_by_side = true;
  float level = 0;  // one level alone: 0 grid to 3 atom, between them in motion
  bool operator==(const TilingState&) const = default;
};

/// What the last level is called: "mma" or "thread".
const char* level_name(const KernelPlan& plan, Level level);
/// Levels that are drawn of a plan; an illegal tile may have but the first ones.
int level_count(const KernelPlan& plan);

Scene build_tiling(const TilingState& state, const Palette& palette, const TextMeasure& measure,
                   Size size);

}  // namespace tilescope::viz

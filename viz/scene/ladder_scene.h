// The ladder as bars: of each kernel the best tile, in percent of the library.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "viz/scene/scene.h"
#include "viz/scene/standing.h"

namespace tilescope::viz {

struct LadderRung {
  int number = 0;
  std::string name = {};
  Standing standing = Standing::none;
  double tflops = 0;                      // of the best tile; 0: not known
  std::optional<double> of_library = {};  // 1 = as fast
  bool older = false;                     // recorded, and the kernel has changed since
  bool present = false;
  bool impossible = false;  // it cannot run on this problem or device
  bool operator==(const LadderRung&) const = default;
};

/// Kernels of one element type: they share an axis and a library.
struct LadderBars {
  std::string name;           // "f16 → f32"
  std::string library;        // "cuBLASLt 13.1"; empty: the bars are TFLOPS
  double library_tflops = 0;  // what 100 % is
  std::vector<LadderRung> rungs;
  bool operator==(const LadderBars&) const = default;
};

struct LadderState {
  std::vector<LadderBars> parts;
  std::string note_title, note;  // of the present rung, where there is room
  int hovered = -1;              // index over all parts
  bool operator==(const LadderState&) const = default;
};

/// A row is picked as Kind::point, its index over all parts in `value`.
Scene build_ladder(const LadderState& state, const Palette& palette, const TextMeasure& measure,
                   Size size);
/// What the bars need at this width so that no row is squashed.
float ladder_height(const LadderState& state, float width);

}  // namespace tilescope::viz

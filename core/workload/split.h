// How an extent is cut into parts: over ranks, or into chunks.
#pragma once
#include "core/layout/layout.h"

namespace tilescope::workload {

/// [first, first + count)
struct Range {
  int first = 0, count = 0;
  constexpr int end() const { return first + count; }
  constexpr bool operator==(const Range&) const = default;
};

/// Part `index` of `parts`, which must be at most `extent`: together they cover each place once.
/// Parts differ by at most one unit, the larger ones first; the last one may end within a unit. A
/// unit is 8 elements if that leaves one for each part (lines of half precision then stay aligned
/// to 16 bytes), else 1.
constexpr Range part_of(int extent, int parts, int index) {
  const int unit = extent / 8 >= parts ? 8 : 1;
  const int units = ceil_div(extent, unit);
  const int least = units / parts, more = units % parts;
  const int first = (index * least + min_of(index, more)) * unit;
  const int end = first + (least + (index < more ? 1 : 0)) * unit;
  return {first, min_of(end, extent) - first};
}

}  // namespace tilescope::workload

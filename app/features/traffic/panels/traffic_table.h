// The table of Memory traffic: one line per level, modelled beside counted beside measured.
#pragma once
#include <string>
#include <vector>

#include "app/features/traffic/traffic_rows.h"
#include "app/panel.h"
#include "core/model/counted_in.h"

namespace tilescope::widgets {

/// Where the figures come from, for the heads of their columns.
struct TrafficHeads {
  const char* measured = "measured";                // or "recorded"
  std::string source;                               // of those figures, in words
  bool accesses = false;                            // with the columns that put_accesses() fills
  const std::vector<TrafficRow>* second = nullptr;  // B's: with a column of what differs
};

/// Wide enough for the columns of accesses, too; pixels at scale 1.
inline constexpr float kRoomForAccesses = 640;

/// A click chooses a line. In a `height` above 0 the lines scroll below their header. Returns the
/// height that all of it takes.
float traffic_table(AppContext& context, const std::vector<TrafficRow>& rows, double flop,
                    model::Count count, const TrafficHeads& heads, std::string* chosen,
                    float height = 0);

}  // namespace tilescope::widgets

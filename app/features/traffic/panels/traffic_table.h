// The table of Memory traffic: one line per level, modelled beside counted beside measured.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/features/traffic/panels/traffic_measured.h"
#include "app/panel.h"
#include "core/model/counted_in.h"

namespace tilescope::widgets {

/// One line: bytes or elements of the whole launch.
struct TrafficRow {
  const char* id;
  const char* label;
  std::string what;  // tooltip
  double modelled = 0;
  bool exact = false;
  std::optional<double> counted;
  bool counted_exactly = true;  // else of a sample of CTAs
  const char* no_count = "";    // why there is no count
  std::optional<MeasuredFigure> measured;
  std::string no_measure;    // why the card gave no figure
  bool has_counter = false;  // a card's, of this level
  Color color;
};
std::vector<TrafficRow> traffic_rows(const AppState& state, const Theme& theme, model::Count count);

/// Where the figures come from, for the heads of their columns.
struct TrafficHeads {
  const char* measured = "measured";  // or "recorded"
  std::string source;                 // of those figures, in words
};

/// A click chooses a line. In a `height` above 0 the lines scroll below their header. Returns the
/// height that all of it takes.
float traffic_table(AppContext& context, const std::vector<TrafficRow>& rows, double flop,
                    model::Count count, const TrafficHeads& heads, std::string* chosen,
                    float height = 0);

}  // namespace tilescope::widgets

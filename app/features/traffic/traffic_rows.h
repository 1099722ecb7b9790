// The lines of Memory traffic: like beside like, modelled, counted, measured.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/features/traffic/traffic_measured.h"
#include "app/state/app_state.h"
#include "core/model/counted_in.h"

namespace tilescope {

/// Lines of one colour are of one level.
enum class TrafficHue { dram, l2, l1, shared_write, shared_read, registers };

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
  TrafficHue hue{};
};
std::vector<TrafficRow> traffic_rows(const AppState& state, model::Count count);

}  // namespace tilescope

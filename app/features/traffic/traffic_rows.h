// The lines of Memory traffic: like beside like, modelled, counted, measured.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/features/traffic/traffic_measured.h"
#include "app/state/access_rows.h"
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
  /// Warp instructions and their sectors or wavefronts, of levels that are asked by them: counted
  /// where `accesses_counted`, else modelled. put_accesses() fills it.
  std::optional<AccessFigures> accesses;
  bool accesses_counted = false;
  std::string access_unit;  // "sectors"
};
std::vector<TrafficRow> traffic_rows(const AppState& state, model::Count count);

/// The sums of the table of accesses, by level; `accesses`: access_rows() of the same state.
void put_accesses(std::vector<TrafficRow>& rows, const std::vector<AccessRow>& accesses);

/// How far a figure of A is from B's, like beside like: measured, else counted, else modelled.
struct AgainstSecond {
  double part = 0;    // of B's: 0.25 is a quarter more; infinite where B has 0
  std::string words;  // "67.11 MB here, 89.48 MB in B, as modelled"
};
std::optional<AgainstSecond> against_second(const TrafficRow& a, const TrafficRow& b,
                                            model::Count count);
/// Of the table of accesses: sectors or wavefronts.
std::optional<AgainstSecond> against_second(const AccessRow& a, const AccessRow& b);
/// "same", "−25 %", "× 4.0".
std::string against_text(const AgainstSecond& against);

}  // namespace tilescope

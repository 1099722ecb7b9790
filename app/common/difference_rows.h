// Two launches side by side: every figure that is known of both, with its difference and which of
// the two it speaks for. What the command compare prints and the window's Difference panel shows.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/formulas.h"
#include "worker/messages/messages.h"

namespace tilescope {

/// What is known of one launch; empty is what is not.
struct LaunchFacts {
  std::optional<model::Analysis> analysis;  // by the model; of a rung of the ladder
  std::optional<double> tflops, time_us;    // of a clock, now or when it was recorded
  std::optional<double> library_tflops;
  std::optional<double> clock_mhz, power_w;
  std::optional<int> registers, spill_bytes;      // per thread
  std::optional<int> threads, shared_bytes;       // per CTA, of a kernel without a plan
  std::optional<worker::CountedTraffic> counted;  // by the emulator
  std::map<std::string, double> counters;         // a card's, by their names
};

enum class FigureUnit { plain, tflops, us, mhz, watt, bytes, count, share };
enum class Better { higher, lower, neither };

/// Sections whose rows other panels have, too.
inline constexpr const char* kModelSection = "speed, by the model";
inline constexpr const char* kSmSection = "CTA and SM";
inline constexpr const char* kTrafficSection = "traffic";
inline constexpr const char* kSharedSection = "shared memory";

struct DifferenceRow {
  const char* section;  // "traffic"
  std::string id;       // "l2", "opcode.ldmatrix": of JSON
  std::string title;    // "L2 → SM"
  std::string what;     // a tooltip
  FigureUnit unit = FigureUnit::plain;
  Better better = Better::neither;
  bool modelled = false;                 // shown with a ~
  std::optional<double> a = {}, b = {};  // one of them at least
  std::optional<double> change() const;  // a - b
  std::optional<double> part() const;    // of b; nothing where b is 0
  /// 1: in this row A is better, -1: worse; 0: the same, or neither is better.
  int verdict() const;
};

/// Rows of which neither side has a figure are left out.
std::vector<DifferenceRow> difference_rows(const LaunchFacts& a, const LaunchFacts& b);

/// The section that rows of that id stand in, "traffic" of "l2"; "opcode." may have any name after
/// it. Empty: there can be no such row.
std::string_view difference_section(std::string_view id);
inline bool is_difference_row(std::string_view id) { return !difference_section(id).empty(); }

/// "71.60 MB", "~85.3"; "–" of nothing.
std::string figure_text(const DifferenceRow& row, const std::optional<double>& value);
/// "+66.1", "same"; "–" where one side has none.
std::string change_text(const DifferenceRow& row);
/// "+15 %"; empty where there is nothing to be said.
std::string part_text(const DifferenceRow& row);

}  // namespace tilescope

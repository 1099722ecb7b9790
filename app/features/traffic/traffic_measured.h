// What a card's counters say of a line of Memory traffic. They count bytes at some levels, sectors
// or wavefronts at others: each stands beside what the model and the emulator say of the same.
#pragma once
#include <optional>
#include <string>

#include "app/state/app_state.h"
#include "core/model/counted_in.h"

namespace tilescope {

struct MeasuredFigure {
  double value = 0;
  std::string unit;  // "sectors", "wavefronts"; empty: bytes or elements, as the row's own figures
  std::optional<double> modelled, counted;  // of the same
  std::string tip;
  std::string no_error;  // why it is compared with neither
};
/// Whether there is a counter for a line of the table; `row`: its id.
bool has_counter(const std::string& row);
/// Of the present position's counters; nothing where they do not have it.
std::optional<MeasuredFigure> measured_figure(const AppState& state, const std::string& row,
                                              model::Count count);
/// Why there is none, though the card was asked; empty where nobody asked.
std::string why_not_measured(const AppState& state, const std::string& row);
/// "−0.7 %": how far a figure is off what was measured; empty where nothing can be said.
std::string error_text(const std::optional<double>& figure, double measured);

}  // namespace tilescope

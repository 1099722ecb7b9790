// Looking up what is known of the present problem on the present device, and adding to it.
#pragma once
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

/// The question (problem and device) whose results may be shown now.
ResultsOf results_of(const AppState& state);
/// Those of the present problem and device; none while they are of another one.
const std::vector<worker::KnownResult>& known_results(const AppState& state);
/// Of one kernel on exactly this problem, its types and layout too.
std::vector<const worker::KnownResult*> known_of(const AppState& state, const std::string& kernel,
                                                 const Problem& problem);
/// Measured here and with the kernel as it is, else recorded.
Standing standing_of(const worker::KnownResult& result);
/// What the worker knows, with what was measured meanwhile.
void results_found(AppState& state, const ResultsOf& of, std::vector<worker::KnownResult> known);
/// A right measurement of `edit` on the present device, final.
void learn_result(AppState& state, const Edit& edit, const worker::MeasureResult& measured,
                  const std::string& arch, const std::string& revision);

/// Whether the kernel has changed since a result was recorded. Known once the kernel has been
/// compiled now.
void mark_recording(AppState& state, const worker::KernelRequest& request,
                    const std::string& revision, bool older);

/// The library's speed on this problem: the newest, measured before recorded, of one day its best.
/// All shares of one problem are of this one figure: runs have library times of their own, and
/// divided by those the faster tile may have the lower share.
struct LibraryFigure {
  std::string name, date;
  double tflops = 0;
  bool recorded = false;
};
std::optional<LibraryFigure> library_of(const AppState& state, const Problem& problem);

/// 0.83: as a part of it; nothing where the library was never timed.
std::optional<double> share_of(const std::optional<LibraryFigure>& library, double tflops);
/// "cuBLASLt 13.1: 705.1 TFLOPS, recorded 2026-11-20": what 100 % is.
std::string library_words(const LibraryFigure& library);

/// As the history and the tables show it. `library`: of its problem.
HistoryPoint point_of(const worker::KnownResult& result, const AppState& state,
                      const std::optional<LibraryFigure>& library);

}  // namespace tilescope

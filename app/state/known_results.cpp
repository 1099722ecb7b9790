#include "app/state/known_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using worker::KnownResult;

constexpr size_t kMostLearned = 20000;

bool is_of(const KnownResult& r, const ResultsOf& of) {
  const Problem& p = r.request.problem;
  return p.m == of.m && p.n == of.n && p.k == of.k && p.alpha == of.alpha && p.beta == of.beta &&
         p.bias == of.bias;
}

bool same_run(const KnownResult& a, const KnownResult& b) {
  return a.request.kernel == b.request.kernel && a.request.tile == b.request.tile &&
         a.request.problem == b.request.problem;
}

void put(std::vector<KnownResult>& list, const KnownResult& result) {
  const auto at = std::find_if(list.begin(), list.end(),
                               [&](const KnownResult& r) { return same_run(r, result); });
  if (at == list.end()) {
    list.push_back(result);
  } else {
    *at = result;
  }
}

}  // namespace

ResultsOf results_of(const AppState& state) {
  const Problem& p = state.edit.problem;
  return {p.m, p.n, p.k, p.alpha, p.beta, p.bias, state.device, state.gpu.name};
}

const std::vector<KnownResult>& known_results(const AppState& state) {
  static const std::vector<KnownResult> kNone;
  return state.known.of == results_of(state) ? state.known.results : kNone;
}

std::vector<const KnownResult*> known_of(const AppState& state, const std::string& kernel,
                                         const Problem& problem) {
  std::vector<const KnownResult*> found;
  for (const KnownResult& r : known_results(state)) {
    if (r.request.kernel == kernel && r.request.problem == problem) found.push_back(&r);
  }
  return found;
}

Standing standing_of(const KnownResult& result) {
  return result.measured && !result.older ? Standing::measured : Standing::recorded;
}

HistoryPoint point_of(const KnownResult& result, const AppState& state,
                      const std::optional<LibraryFigure>& library) {
  HistoryPoint p;
  p.edit.change_rung().kernel = result.request.kernel;
  p.edit.change_rung().tile = result.request.tile;
  p.edit.problem = result.request.problem;
  p.label = tile_label(p.edit);
  p.standing = standing_of(result);
  p.tflops = result.tflops, p.time_us = result.time_us;
  p.of_library = share_of(library, result.tflops);
  p.device = state.gpu.name, p.date = result.date;
  p.verified = true;  // a wrong result is neither stored nor recorded
  p.older_kernel = result.older;
  return p;
}

void results_found(AppState& state, const ResultsOf& of, std::vector<KnownResult> known) {
  KnownResults& now = state.known;
  now.of = of;
  now.results = std::move(known);
  now.loaded = true;
  ++now.serial;
  if (!is_card(of.device)) return;
  for (const KnownResults::Learned& learned : now.learned) {
    if (learned.name == of.name && is_of(learned.result, of)) put(now.results, learned.result);
  }
}

void learn_result(AppState& state, const Edit& edit, const worker::MeasureResult& measured,
                  const std::string& arch, const std::string& revision) {
  if (!measured.tflops || !measured.time_us || measured.standing != "measured") return;
  KnownResult known;
  known.request = {edit.rung().kernel, edit.rung().tile, edit.problem, state.limits.sm_count};
  known.measured = known.judged = true;
  known.date = measured.date;
  known.tflops = *measured.tflops, known.time_us = *measured.time_us;
  known.spread = measured.spread;
  known.library = measured.library.value_or("");
  known.library_tflops = measured.library_tflops;
  known.arch = arch, known.revision = revision;
  KnownResults& now = state.known;
  if (now.learned.size() >= kMostLearned) now.learned.erase(now.learned.begin());
  now.learned.push_back({measured.device_name, known});
  const ResultsOf of = results_of(state);
  if (measured.device_name != of.name || !is_of(known, of)) return;
  if (!(now.of == of)) return;
  put(now.results, known);
  ++now.serial;
}

void mark_recording(AppState& state, const worker::KernelRequest& request,
                    const std::string& revision, bool older) {
  for (KnownResult& r : state.known.results) {
    if (!r.measured && r.revision == revision && r.request.kernel == request.kernel &&
        r.request.tile == request.tile && r.request.problem == request.problem) {
      r.older = older, r.judged = true;
    }
  }
}

std::optional<LibraryFigure> library_of(const AppState& state, const Problem& problem) {
  const KnownResult* best = nullptr;
  const auto rank = [](const KnownResult& r) {
    return std::tuple(r.measured, r.date, *r.library_tflops);
  };
  for (const KnownResult& r : known_results(state)) {
    if (r.request.problem != problem || !r.library_tflops || *r.library_tflops <= 0) continue;
    if (!best || rank(r) > rank(*best)) best = &r;
  }
  if (!best) return std::nullopt;
  return LibraryFigure{best->library, best->date, *best->library_tflops, !best->measured};
}

std::optional<double> share_of(const std::optional<LibraryFigure>& library, double tflops) {
  return library ? std::optional(tflops / library->tflops) : std::nullopt;
}

std::string library_words(const LibraryFigure& library) {
  const std::string name = library.name.empty() ? tr("the library") : library.name;
  const std::string rate = model::rate_text(library.tflops);
  return library.recorded ? wording("{}: {}, recorded {}", name, rate, library.date)
                          : wording("{}: {}, measured {}", name, rate, library.date);
}

}  // namespace tilescope

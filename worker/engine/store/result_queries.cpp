#include "worker/engine/store/result_queries.h"

#include <map>
#include <tuple>
#include <utility>

#include "kernels/registry.h"

namespace tilescope::worker {
namespace {

const KernelEntry& entry_of(const KernelRequest& request) {
  return *find_kernel(request.kernel.c_str());
}

/// The same for two requests of a size, factors and bias that ask for the same launch, but for SMs.
std::string key_of(const KernelRequest& request) {
  std::string key = request.kernel;
  const auto add = [&key](auto value) { key += ' ' + std::to_string(value); };
  for (const TileField& field : kTileFields) add(get(request.tile, field.id));
  const Problem& p = request.problem;
  for (const ElementType type : {p.type_a, p.type_b, p.type_c}) add(static_cast<int>(type));
  for (const Order order : {p.order_a, p.order_b, p.order_c}) add(static_cast<int>(order));
  for (const auto leading : {p.lda, p.ldb, p.ldc}) add(leading);
  return key;
}

/// Results of one query, the best of each kernel, tile and problem.
class Known {
 public:
  Known(int sms, PresentSources& sources) : sms_(sms), sources_(sources) {}

  void add(const StoredResult& r) {
    if (!r.tflops || !r.time_us || r.wrong) return;
    KernelRequest here = r.request;
    here.sms = sms_;
    if (!same_launch(r.request, here)) return;
    // Recordings are of the kernels that are built in.
    if (!r.own && !sources_.is_built_in(entry_of(r.request))) return;
    KnownResult known;
    known.request = std::move(here);
    known.measured = known.judged = r.own;
    known.older = r.own && r.source != sources_.of(r.request);
    known.date = r.date;
    known.tflops = *r.tflops, known.time_us = *r.time_us;
    known.spread = r.spread;
    known.library = r.library;
    known.library_tflops = r.library_tflops;
    known.arch = r.arch, known.revision = r.revision;
    keep(std::move(known));
  }

  std::vector<KnownResult> take() {
    std::vector<KnownResult> list;
    for (auto& [key, known] : best_) list.push_back(std::move(known));
    return list;
  }

 private:
  void keep(KnownResult known) {
    const auto rank = [](const KnownResult& r) {
      return std::tuple(r.measured && !r.older, std::string_view(r.date));
    };
    const auto [at, is_new] = best_.try_emplace(key_of(known.request), known);
    if (is_new || rank(known) < rank(at->second)) return;
    // Of one day the last own one is the newest; of recordings find_recording() has the first, and
    // no other figure may stand beside that one.
    if (rank(known) == rank(at->second) && !known.measured) return;
    at->second = std::move(known);
  }

  int sms_;
  PresentSources& sources_;
  std::map<std::string, KnownResult> best_;
};

/// Those of exactly this launch.
std::vector<StoredResult> results_of_launch(Store& store, const KernelRequest& request,
                                            ResultsOf of) {
  of.problem = request.problem;
  of.kernel = request.kernel;
  if (!find_kernel(request.kernel.c_str())) return {};
  std::vector<StoredResult> found = store.results(of);
  std::erase_if(found, [&](const StoredResult& r) {
    return r.request.tile != request.tile || r.request.problem != request.problem ||
           !same_launch(r.request, request);
  });
  return found;
}

}  // namespace

PresentSources::PresentSources(SourceHash& built_in, const std::string& kernel_dir)
    : built_in_(built_in) {
  if (!kernel_dir.empty()) own_.emplace(kernel_dir);
}

std::string PresentSources::of(const KernelRequest& request) {
  return (own_ ? *own_ : built_in_).of(request, entry_of(request));
}

bool PresentSources::is_built_in(const KernelEntry& kernel) {
  return !own_ || own_->headers(kernel) == built_in_.headers(kernel);
}

std::vector<KnownResult> known_results(Store& store, const ResultsQuery& query,
                                       PresentSources& sources) {
  Known known(query.sms, sources);
  for (const StoredResult& r : store.results(query.of)) known.add(r);
  return known.take();
}

std::optional<Recording> find_recording(Store& store, const KernelRequest& request,
                                        const std::string& device, bool whole_name) {
  ResultsOf of;
  of.card = device, of.whole_name = whole_name, of.own = false;
  const std::vector<StoredResult> found = results_of_launch(store, request, std::move(of));
  const StoredResult* best = nullptr;
  for (const StoredResult& r : found) {
    if (best && r.place != best->place) break;
    if (!best || r.date > best->date) best = &r;
  }
  return best ? store.whole(*best) : std::nullopt;
}

std::optional<Recording> own_result(Store& store, const std::string& card,
                                    const KernelRequest& request, PresentSources& sources) {
  ResultsOf of;
  of.card = card, of.recorded = false;
  const std::vector<StoredResult> found = results_of_launch(store, request, std::move(of));
  const StoredResult* best = nullptr;
  const auto rank = [&](const StoredResult& r) {
    return std::tuple(r.source == sources.of(r.request), std::string_view(r.date));
  };
  for (const StoredResult& r : found) {
    if (!best || rank(r) >= rank(*best)) best = &r;
  }
  return best ? store.whole(*best) : std::nullopt;
}

}  // namespace tilescope::worker

#include "worker/engine/store/layer_queries.h"

#include <map>
#include <nlohmann/json.hpp>

#include "core/layout/column_sum.h"
#include "worker/engine/compile/hash.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/compile/source_hash.h"
#include "worker/engine/store/plannable.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;
using workload::Step;
using workload::StepKind;
using workload::Workload;

/// Of what computes the first chunk of each step on rank 0: others differ in their places alone.
/// Empty if a kernel is no longer known, or has no plan of its tile.
std::string source_of(const LayerRequest& request, SourceHash& sources) {
  const Workload w = make_workload(request.layer);
  Hash hash;
  for (size_t i = 0; i < w.steps.size(); ++i) {
    const Step& step = w.steps[i];
    if (step.kind == StepKind::column_sum) {
      const workload::Slice s = slice_of(w, step.a, 0);
      const ElementType type = w.matrices[static_cast<size_t>(step.a)].type;
      const ColumnSum sum =
          column_sum_of(type, s.rows.count, s.cols.count, s.cols.count, request.sms);
      hash.add_field(sources.of_text(column_sum_source(type, sum.width)));
    }
    if (step.kind != StepKind::gemm) continue;
    const StepChoice& choice = request.choices[i];
    const KernelEntry* kernel = find_kernel(choice.kernel.c_str());
    if (!kernel) return {};
    const KernelRequest first{choice.kernel, choice.tile, problem_of(w, step, 0), request.sms};
    if (!has_plan(first, *kernel)) return {};
    hash.add_field(sources.of(first, *kernel));
  }
  return hash.hex();
}

}  // namespace

std::string keep_layer(Store& store, const KeptLayer& kept, const std::string& kernel_dir) {
  SourceHash sources(kernel_dir);
  return store.keep_layer({kept, source_of(kept.request, sources)});
}

std::vector<KeptLayer> kept_layers(Store& store, const std::string& card,
                                   const std::string& kernel_dir) {
  SourceHash sources(kernel_dir);
  std::map<std::string, KeptLayer> newest;  // a later one is newer
  for (StoredLayer& layer : store.layers(card)) {
    KeptLayer& kept = layer.kept;
    std::string source;
    try {
      source = source_of(kept.request, sources);
    } catch (const std::invalid_argument&) {  // of another version
    }
    if (source.empty() || source != layer.source) continue;
    const std::string key = json(kept.request.layer).dump() + " " + std::to_string(kept.cards) +
                            " " + std::to_string(kept.request.sms);
    newest.insert_or_assign(key, std::move(kept));
  }
  std::vector<KeptLayer> all;
  for (auto& [key, kept] : newest) all.push_back(std::move(kept));
  return all;
}

}  // namespace tilescope::worker

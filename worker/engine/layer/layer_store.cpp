#include "worker/engine/layer/layer_store.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/layout/column_sum.h"
#include "worker/engine/compile/hash.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/compile/source_hash.h"
#include "worker/engine/gpu/result_store.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;
using workload::Step;
using workload::StepKind;
using workload::Workload;

std::string file_of(const std::string& folder, const std::string& card) {
  return store_file(folder + "/layers", card);
}

/// Of what computes the first chunk of each step on rank 0: others differ in their places alone.
/// Empty if a kernel is no longer known.
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
    hash.add_field(
        sources.of({choice.kernel, choice.tile, problem_of(w, step, 0), request.sms}, *kernel));
  }
  return hash.hex();
}

}  // namespace

std::string keep_layer(const std::string& folder, const KeptLayer& kept,
                       const std::string& kernel_dir) {
  SourceHash sources(kernel_dir);
  json line = kept;
  line["source"] = source_of(kept.request, sources);
  return append_line(file_of(folder, kept.card), line.dump());
}

std::vector<KeptLayer> kept_layers(const std::string& folder, const std::string& card,
                                   const std::string& kernel_dir) {
  SourceHash sources(kernel_dir);
  std::map<std::string, KeptLayer> newest;  // a later line is newer
  std::ifstream in(file_of(folder, card), std::ios::binary);
  for (std::string text; std::getline(in, text);) {
    try {
      const json line = json::parse(text);
      KeptLayer kept = line.get<KeptLayer>();
      const std::string source = source_of(kept.request, sources);
      if (kept.card != card || source.empty() || source != line.at("source")) continue;
      const std::string key = json(kept.request.layer).dump() + " " + std::to_string(kept.cards) +
                              " " + std::to_string(kept.request.sms);
      newest.insert_or_assign(key, std::move(kept));
    } catch (const json::exception&) {  // cut short, or of another version
    } catch (const std::invalid_argument&) {
    }
  }
  std::vector<KeptLayer> all;
  for (auto& [key, kept] : newest) all.push_back(std::move(kept));
  return all;
}

}  // namespace tilescope::worker

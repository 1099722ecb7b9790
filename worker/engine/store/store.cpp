#include "worker/engine/store/store.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/files/json_file.h"
#include "kernels/registry.h"
#include "worker/engine/store/left_out.h"
#include "worker/engine/store/plannable.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {

using nlohmann::json;

namespace {

/// Counts and times of layers and proofs that are no whole numbers are far below: what no int holds
/// must not come to where it would become one.
void require_modest(const json& value) {
  constexpr double kMost = 2e9;
  if (value.is_number_float() && !(std::abs(value.get<double>()) <= kMost)) {
    throw std::invalid_argument("it holds the number " + value.dump() +
                                ", which is beyond any time");
  }
  if (!value.is_structured()) return;
  for (const json& element : value) require_modest(element);
}

/// The object that a line is. Throws std::invalid_argument.
json parsed_line(std::string_view line, size_t most) {
  if (const std::string why = why_too_long(line, most); !why.empty()) {
    throw std::invalid_argument(why);
  }
  const auto j = files::parse_json(line);
  if (!j || !j->is_object()) throw std::invalid_argument("it is no JSON");
  require_modest(*j);
  return *j;
}

/// Throws std::invalid_argument where a step's kernel, which this build knows, has no plan of its
/// tile on the first rank's part, or where a figure is less than nothing.
void require_plans(const KeptLayer& kept) {
  const LayerResult& r = kept.result;
  const workload::Workload w = make_workload(kept.request.layer);
  for (size_t i = 0; i < w.steps.size(); ++i) {
    const StepChoice& choice = kept.request.choices[i];
    const KernelEntry* kernel = find_kernel(choice.kernel.c_str());
    if (w.steps[i].kind != workload::StepKind::gemm || !kernel) continue;
    const std::string why = why_no_plan(
        {choice.kernel, choice.tile, problem_of(w, w.steps[i], 0), kept.request.sms}, *kernel);
    if (!why.empty()) throw std::invalid_argument(w.steps[i].name + ": " + why);
  }
  const auto is_time = [](double us) { return us >= 0; };  // nor NaN
  const bool fits =
      kept.cards >= 1 && kept.cards <= workload::kMostRanks && r.samples >= 0 &&
      is_time(r.forward_us) && is_time(r.total_us) && is_time(r.spread) &&
      std::ranges::all_of(
          r.steps, [&](const StepTime& s) { return is_time(s.us) && is_time(s.alone_us); }) &&
      std::ranges::all_of(r.bars,
                          [](const LayerBar& b) { return b.chunk < workload::kMostChunks; });
  if (!fits) throw std::invalid_argument("its cards, chunks or times cannot be; remove it");
}

}  // namespace

StoredResult listed(const Recording& r) {
  StoredResult s;
  s.request = r.request;
  s.card = r.result.device_name, s.date = r.result.date;
  s.tflops = r.result.tflops, s.time_us = r.result.time_us, s.spread = r.result.spread;
  s.library = r.result.library.value_or(""), s.library_tflops = r.result.library_tflops;
  s.wrong = r.result.verified && !r.result.verified->ok;
  s.arch = r.arch, s.revision = r.revision, s.source = r.source;
  return s;
}

std::string layer_line(const StoredLayer& layer) {
  json line = layer.kept;
  line["source"] = layer.source;
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<StoredLayer> read_layer(std::string_view line, std::string* why_not) {
  try {
    const auto j = parsed_line(line, kMostLayerBytes);
    StoredLayer layer{j.get<KeptLayer>(), j.at("source").get<std::string>()};
    require_plans(layer.kept);
    require_modest(json(layer.kept));  // a whole number may stand where another is meant
    return layer;
  } catch (const json::exception&) {
    if (why_not) *why_not = "it is no layer";
  } catch (const std::invalid_argument& wrong) {
    if (why_not) *why_not = wrong.what();
  }
  return std::nullopt;
}

void put_proof(std::map<std::string, Proof>& best, Proof proof) {
  const auto rank = [](const Proof& p) {
    return std::tuple(p.device != "emulator", std::string_view(p.date));
  };
  const auto [found, is_new] = best.try_emplace(proof.atom, proof);
  if (!is_new && rank(proof) >= rank(found->second)) found->second = std::move(proof);
}

std::optional<Proof> read_proof(std::string_view line, std::string* why_not) {
  try {
    auto proof = parsed_line(line, kMostLineBytes).get<Proof>();
    if (proof.compared > 0) return proof;
  } catch (const json::exception&) {
    if (why_not) *why_not = "it is no proof";
  } catch (const std::invalid_argument& wrong) {
    if (why_not) *why_not = wrong.what();
  }
  return std::nullopt;
}

bool is_of(const ResultsOf& of, const KernelRequest& request, const std::string& card) {
  const Problem &p = request.problem, &asked = of.problem;
  return p.m == asked.m && p.n == asked.n && p.k == asked.k && p.alpha == asked.alpha &&
         p.beta == asked.beta && p.bias == asked.bias &&
         (of.kernel.empty() || of.kernel == request.kernel) &&
         (of.whole_name ? card == of.card : card.find(of.card) != card.npos);
}

}  // namespace tilescope::worker

#include "worker/engine/store/store.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/files/json_file.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {

using nlohmann::json;

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

std::optional<StoredLayer> read_layer(std::string_view line) {
  const auto j = files::parse_json(line);
  if (!j || !j->is_object()) return std::nullopt;
  try {
    return StoredLayer{j->get<KeptLayer>(), j->at("source").get<std::string>()};
  } catch (const json::exception&) {
    return std::nullopt;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

void put_proof(std::map<std::string, Proof>& best, Proof proof) {
  const auto rank = [](const Proof& p) {
    return std::tuple(p.device != "emulator", std::string_view(p.date));
  };
  const auto [found, is_new] = best.try_emplace(proof.atom, proof);
  if (!is_new && rank(proof) >= rank(found->second)) found->second = std::move(proof);
}

std::optional<Proof> read_proof(std::string_view line) {
  const auto j = files::parse_json(line);
  if (!j || !j->is_object()) return std::nullopt;
  try {
    auto proof = j->get<Proof>();
    if (proof.compared > 0) return proof;
  } catch (const json::exception&) {
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

// The calls of the child that keeps results; it compiles nothing and touches no card, so that it
// answers whatever the others are at. "store": the folder of own results, whose store they are
// asked of (store/sqlite_store.h); without it there are the program's recordings alone.
//   "recorded" KernelRequest + "name": part of a GPU's name, "whole_name": false  → {"found",
//              "result", "arch", "revision"}; with "store" of own results of the GPU "name" alone.
//              Whether the kernel has changed since is for who asks: `revision` is that of its PTX
//              for `arch` then, to be compared with what "compile" says now.
//   "results"    "problem" (its size and factors), "name": a GPU's whole name, "store", "sms",
//              "recordings": true  → {"results": [KnownResult]}, of all kernels; "remark"
//   "recordings" "store"  → {"recordings": [{"name", "date" of the newest, "count", "own": measured
//              on this machine}]}, a line a card; "remark": of the store itself, once, if there
//              is any: that it was damaged, say
//   "keepLayer"  KeptLayer + "store"                             → {"remark": why it was not kept}
//   "keptLayers" "store", "card": a GPU's whole name             → {"layers": [KeptLayer]}
//   "proofs"     → {"proofs": {PTX name: Proof}}: the best that is recorded of each
// What a card has measured is written by the process that measured it (methods_device.cpp).
#include <algorithm>
#include <map>

#include "core/model/device_table.h"
#include "worker/engine/methods.h"
#include "worker/engine/store/layer_queries.h"
#include "worker/engine/store/result_queries.h"
#include "worker/engine/store/sqlite_store.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

struct StoreState {
  AssetStore assets{recording_folders()};
  std::map<std::string, SqliteStore> own;  // by folder; a person has one
  SourceHash built_in{""};

  Store& of(const json& params) {
    const std::string folder = params.value("store", std::string());
    if (folder.empty()) return assets;
    return own.try_emplace(folder, folder, recording_folders()).first->second;
  }
};

json found_recording(const std::optional<Recording>& recording) {
  if (!recording) return {{"found", false}};
  json answer = {{"found", true},
                 {"result", recording->result},
                 {"arch", recording->arch},
                 {"revision", recording->revision}};
  if (recording->counters) answer["counters"] = *recording->counters;
  return answer;
}

json find_recorded(StoreState& state, const json& params) {
  const KernelRequest request = request_of(params);
  const std::string name = params.value("name", std::string());
  Store& store = state.of(params);
  if (&store == &state.assets) {
    // A card whose name begins alike ("H200", "H200 NVL") is another card.
    return found_recording(find_recording(store, request, name, params.value("whole_name", false)));
  }
  PresentSources sources(state.built_in, kernel_dir_of(params));
  return found_recording(own_result(store, name, request, sources));
}

json with_remark(json answer, Store& store) {
  if (std::string notice = store.take_notice(); !notice.empty()) {
    answer["remark"] = std::move(notice);
  }
  return answer;
}

json list_results(StoreState& state, const json& params) {
  ResultsQuery query;
  query.of.problem = params.at("problem").get<Problem>();
  query.of.card = params.at("name").get<std::string>();
  query.of.recorded = params.value("recordings", true);
  query.sms = params.value("sms", query.sms);
  PresentSources sources(state.built_in, kernel_dir_of(params));
  Store& store = state.of(params);
  return with_remark({{"results", known_results(store, query, sources)}}, store);
}

/// First the card that most is recorded of, which the window shows where there is no card; of
/// equals the model's default. Own ones stand last.
json list_recordings(StoreState& state, const json& params) {
  Store& store = state.of(params);
  std::vector<StoredCard> cards = store.cards();
  const std::string usual = model::device_table().front().name;
  const auto recorded_end =
      std::ranges::find_if(cards, [](const StoredCard& card) { return card.own; });
  std::stable_sort(cards.begin(), recorded_end, [&](const StoredCard& a, const StoredCard& b) {
    if (a.count != b.count) return a.count > b.count;
    return a.name == usual && b.name != usual;
  });
  json list = json::array();
  for (const StoredCard& card : cards) {
    list.push_back({{"name", card.name}, {"date", card.date}, {"count", card.count}});
    if (card.own) list.back()["own"] = true;
  }
  return with_remark({{"recordings", std::move(list)}}, store);
}

json keep_run(StoreState& state, const json& params) {
  return {{"remark", keep_layer(state.of(params), params.get<KeptLayer>(), kernel_dir_of(params))}};
}

json list_layers(StoreState& state, const json& params) {
  return {{"layers", kept_layers(state.of(params), params.at("card").get<std::string>(),
                                 kernel_dir_of(params))}};
}

json list_proofs(StoreState& state, const json& params) {
  json all = json::object();
  for (const auto& [atom, proof] : state.of(params).proofs()) all[atom] = proof;
  return {{"proofs", std::move(all)}};
}

}  // namespace

MethodTable store_methods() {
  const auto state = std::make_shared<StoreState>();
  MethodTable table;
  const auto add = [&](const char* name, json (*method)(StoreState&, const json&)) {
    table[name] = guarded(
        [state, method](const json& params, CallContext&) { return method(*state, params); });
  };
  add("recorded", find_recorded);
  add("results", list_results);
  add("recordings", list_recordings);
  add("keepLayer", keep_run);
  add("keptLayers", list_layers);
  add("proofs", list_proofs);
  return table;
}

}  // namespace tilescope::worker

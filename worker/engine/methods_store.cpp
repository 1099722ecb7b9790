// The calls of the child that keeps results; it compiles nothing and touches no card, so that it
// answers whatever the others are at. "store": the folder of own results, whose store they are
// asked of (open_store); without it there are the program's recordings alone.
// What a card has measured is written by the process that measured it (methods_device.cpp).
#include <algorithm>
#include <map>
#include <memory>

#include "core/model/device_table.h"
#include "worker/engine/methods.h"
#include "worker/engine/store/asset_files.h"
#include "worker/engine/store/asset_store.h"
#include "worker/engine/store/layer_queries.h"
#include "worker/engine/store/result_queries.h"

namespace tilescope::worker {
namespace {

struct StoreState {
  AssetStore assets{recording_folders()};
  std::map<std::string, std::unique_ptr<Store>> own;  // by folder; a person has one
  SourceHash built_in{""};

  Store& of(const std::string& folder) {
    if (folder.empty()) return assets;
    const auto [found, is_new] = own.try_emplace(folder);
    if (is_new) found->second = open_store(folder, recording_folders());
    return *found->second;
  }
};

calls::Recorded::Answer found_recording(const std::optional<Recording>& recording) {
  if (!recording) return {};
  return {.result = recording->result,
          .arch = recording->arch,
          .revision = recording->revision,
          .counters = recording->counters};
}

// Whether the kernel has changed since is for who asks: `revision` is that of its PTX for `arch`
// then, to be compared with what "compile" says now.
calls::Recorded::Answer find_recorded(StoreState& state, const calls::Recorded::Request& asked,
                                      const Running& running) {
  Store& store = state.of(asked.store);
  const auto find = [&] {
    if (&store == &state.assets) {
      // A card whose name begins alike ("H200", "H200 NVL") is another card.
      return find_recording(store, asked.request, asked.name, asked.whole_name);
    }
    PresentSources sources(state.built_in, running.kernel_dir);
    return own_result(store, asked.name, asked.request, sources);
  };
  calls::Recorded::Answer answer = found_recording(find());
  answer.remark = store.take_notice();
  return answer;
}

calls::Results::Answer list_results(StoreState& state, const calls::Results::Request& asked,
                                    const Running& running) {
  ResultsQuery query;
  query.of.problem = asked.problem;
  query.of.card = asked.name;
  query.of.recorded = asked.recordings;
  query.sms = asked.sms;
  PresentSources sources(state.built_in, running.kernel_dir);
  Store& store = state.of(asked.store);
  calls::Results::Answer answer{known_results(store, query, sources)};
  answer.remark = store.take_notice();
  return answer;
}

/// First the card that most is recorded of, which the window shows where there is no card; of
/// equals the model's default. Own ones stand last.
calls::Recordings::Answer list_recordings(StoreState& state,
                                          const calls::Recordings::Request& asked, const Running&) {
  Store& store = state.of(asked.store);
  std::vector<StoredCard> cards = store.cards();
  const std::string usual = model::device_table().front().name;
  const auto recorded_end =
      std::ranges::find_if(cards, [](const StoredCard& card) { return card.own; });
  std::stable_sort(cards.begin(), recorded_end, [&](const StoredCard& a, const StoredCard& b) {
    if (a.count != b.count) return a.count > b.count;
    return a.name == usual && b.name != usual;
  });
  calls::Recordings::Answer answer;
  for (const StoredCard& card : cards) {
    answer.recordings.push_back({card.name, card.date, static_cast<int>(card.count), card.own});
  }
  answer.remark = store.take_notice();
  return answer;
}

calls::KeepLayer::Answer keep_run(StoreState& state, const calls::KeepLayer::Request& asked,
                                  const Running& running) {
  return {keep_layer(state.of(asked.store), asked.layer, running.kernel_dir)};
}

calls::KeptLayers::Answer list_layers(StoreState& state, const calls::KeptLayers::Request& asked,
                                      const Running& running) {
  return {kept_layers(state.of(asked.store), asked.card, running.kernel_dir)};
}

calls::CheckStore::Answer check_store(StoreState& state, const calls::CheckStore::Request& asked,
                                      const Running&) {
  Store& store = state.of(asked.store);
  const StoreHealth health = store.health(asked.repair);
  return {health.file, health.there, health.damage,
          health.remark.empty() ? store.take_notice() : health.remark};
}

calls::Proofs::Answer list_proofs(StoreState& state, const calls::Nothing&, const Running&) {
  return {state.of("").proofs()};
}

}  // namespace

MethodTable store_methods() {
  const auto state = std::make_shared<StoreState>();
  MethodTable table;
  const auto add = [&]<class C>(C, auto method) {
    serve<C>(table, [state, method](const typename C::Request& asked, const Running& running) {
      return method(*state, asked, running);
    });
  };
  add(calls::Recorded(), find_recorded);
  add(calls::Results(), list_results);
  add(calls::Recordings(), list_recordings);
  add(calls::KeepLayer(), keep_run);
  add(calls::KeptLayers(), list_layers);
  add(calls::CheckStore(), check_store);
  add(calls::Proofs(), list_proofs);
  return table;
}

}  // namespace tilescope::worker

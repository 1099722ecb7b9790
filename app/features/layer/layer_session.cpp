#include "app/features/layer/layer_session.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_view.h"
#include "app/state/json_take.h"

namespace tilescope {
namespace layer_session_part {
namespace {

void save(const AppState& state, nlohmann::json& session) {
  nlohmann::json out = chosen_layer(state);
  out["step"] = state.of<LayerView>().step;
  session["layer"] = std::move(out);
}

void load(AppState& state, const nlohmann::json& session) {
  const auto at = session.find("layer");
  if (at == session.end() || !at->is_object()) return;
  const nlohmann::json& in = *at;
  workload::Layer& l = state.edit.beside.of<ChosenLayer>().layer;
  std::string kind = name_of(l.kind);
  take(in, "kind", kind);
  l.kind = workload::kind_named(kind).value_or(l.kind);
  take(in, "tokens", l.tokens), take(in, "in", l.in), take(in, "out", l.out);
  take(in, "ranks", l.ranks), take(in, "chunks", l.chunks);
  take(in, "gather", l.gather), take(in, "overlap", l.overlap);
  take(in, "step", state.of<LayerView>().step);
  state.of<LayerView>().step = std::max(0, state.of<LayerView>().step);
}

}  // namespace
}  // namespace layer_session_part

extern const SessionPart kLayerSession{layer_session_part::save, layer_session_part::load};

}  // namespace tilescope

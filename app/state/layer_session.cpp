#include "app/state/layer_session.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/state/json_take.h"

namespace tilescope {

nlohmann::json layer_json(const AppState& state) {
  nlohmann::json out = state.edit.layer;
  out["step"] = state.layer.step;
  return out;
}

void layer_from(const nlohmann::json& in, AppState& state) {
  workload::Layer& l = state.edit.layer;
  std::string kind = name_of(l.kind);
  take(in, "kind", kind);
  l.kind = workload::kind_named(kind).value_or(l.kind);
  take(in, "tokens", l.tokens), take(in, "in", l.in), take(in, "out", l.out);
  take(in, "ranks", l.ranks), take(in, "chunks", l.chunks);
  take(in, "gather", l.gather), take(in, "overlap", l.overlap);
  take(in, "step", state.layer.step);
  state.layer.step = std::max(0, state.layer.step);
}

}  // namespace tilescope

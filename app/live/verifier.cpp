#include "app/live/verifier.h"

#include <nlohmann/json.hpp>

#include "app/state/verifying.h"
#include "worker/messages/messages_json.h"

namespace tilescope {

using nlohmann::json;

void Verifier::update(AppState& state, const Surroundings& others) {
  if (!others.verify_beside || !others.all_rest(state, this) || !verification_due(state)) {
    return calls_.drop();
  }
  if (!calls_.idle()) return;
  std::vector<int> groups = next_groups(state);
  if (groups.empty()) return;
  json asked = call_params(state, state.edit);
  asked["ptx"] = state.results.compile->ptx;
  asked["groups"] = groups;
  calls_.ask("emulator", "verifyPart", std::move(asked),
             {.done =
                  [groups](AppState& s, const json& result) {
                    take_part(s, groups, result.get<worker::VerifiedPart>());
                  },
              .failed =
                  [this](AppState& s, const worker::RpcError& error) {
                    stop_verifying(s);
                    s.results.verifying.why_stopped = error.message;
                    if (error.data.is_object() && error.data.contains("fault")) failed_(s, error);
                  }});
}

void Verifier::without_worker(AppState&, const std::string&) {}

Busy Verifier::busy(const AppState& state) const {
  return !calls_.idle() || verification_due(state) ? Busy::beside : Busy::no;
}

void Verifier::drop(AppState& state, Lost what) {
  calls_.drop();
  if (what == Lost::stopped) stop_verifying(state);
}

}  // namespace tilescope

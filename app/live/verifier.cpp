#include "app/live/verifier.h"

#include "app/state/verifying.h"
#include "worker/messages/messages_json.h"

namespace tilescope {

using nlohmann::json;

void Verifier::update(AppState& state, bool free, const std::function<json()>& params) {
  if (!free || !verification_due(state)) return drop();
  if (busy()) return;
  std::vector<int> groups = next_groups(state);
  if (groups.empty()) return;
  json asked = params();
  asked["ptx"] = state.results.compile->ptx;
  asked["groups"] = groups;
  calls_.ask("emulator", "verifyPart", std::move(asked),
             {.done =
                  [this, groups](const json& result) {
                    take_part(*state_, groups, result.get<worker::VerifiedPart>());
                  },
              .failed =
                  [this](const worker::RpcError& error) {
                    stop_verifying(*state_);
                    state_->results.verifying.why_stopped = error.message;
                    // A fault is the kernel's own, in CTAs that had not run before.
                    if (error.data.is_object() && error.data.contains("fault")) failure_ = error;
                  },
              .progress = {},
              .binary = {}});
}

}  // namespace tilescope

#include "app/cli/recorded_checks.h"

#include "app/cli/error.h"
#include "app/cli/worker_session.h"
#include "core/instructions/fragment_export.h"
#include "worker/messages/messages_proof.h"

namespace tilescope::cli {

std::map<std::string, std::string> recorded_checks() {
  std::map<std::string, std::string> checks;
  try {
    const nlohmann::json answer =
        WorkerSession("").call("store", "proofs", nlohmann::json::object());
    for (const auto& [atom, found] : answer.at("proofs").items()) {
      const auto proof = found.get<worker::Proof>();
      if (proof.ok) checks[atom] = model::how_proven(proof.device, proof.driver, proof.date);
    }
  } catch (const CliError&) {
    checks.clear();  // exports do without: the tests' account stands for each
  }
  return checks;
}

}  // namespace tilescope::cli

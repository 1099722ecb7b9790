#include "app/cli/recorded_checks.h"

#include "app/cli/cli_error.h"
#include "app/cli/worker_session.h"
#include "core/instructions/fragment_export.h"

namespace tilescope::cli {

std::map<std::string, std::string> recorded_checks() {
  std::map<std::string, std::string> checks;
  try {
    for (const auto& [atom, proof] : WorkerSession("").call<worker::calls::Proofs>({}).proofs) {
      if (proof.ok) checks[atom] = model::how_proven(proof.device, proof.driver, proof.date);
    }
  } catch (const CliError&) {
    checks.clear();  // exports do without: the tests' account stands for each
  }
  return checks;
}

}  // namespace tilescope::cli

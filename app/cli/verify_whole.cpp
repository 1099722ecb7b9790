#include "app/cli/verify_whole.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/output.h"
#include "core/model/verification_order.h"

namespace tilescope::cli {

worker::Verification verify_whole(const Request& request, worker::calls::VerifyPart::Request asked,
                                  WorkerSession& worker,
                                  std::vector<worker::CodeFinding>& findings) {
  model::VerificationOrder order(request.plan(), request.problem);
  worker::VerifiedPart all;
  worker::Verification verified;
  const bool tell = isatty(STDERR_FILENO) != 0;
  for (std::vector<int> groups; !(groups = order.next({})).empty();) {
    asked.groups = groups;
    asked.explain = findings.empty();
    const worker::VerifiedPart part = worker.call<worker::calls::VerifyPart>(asked).part;
    order.done(groups);
    all.sums.add(part.sums);
    findings.insert(findings.end(), part.findings.begin(), part.findings.end());
    verified = verdict(all.sums, part.tolerance, part.usual_square);
    verified.of = static_cast<uint64_t>(operand_elements(request.problem, Operand::c));
    verified.ctas = order.ctas(), verified.of_ctas = order.of_ctas();
    if (tell && !order.whole()) {
      message(fmt::format("tilescope-cli: {}", verified.ok ? worker::right_words(verified)
                                                           : worker::error_words(verified)));
    }
  }
  return verified;
}

}  // namespace tilescope::cli

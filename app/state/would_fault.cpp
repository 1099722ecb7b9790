#include "app/state/would_fault.h"

#include <algorithm>

#include "worker/messages/findings.h"

namespace tilescope {

bool would_fault(const Results& results) {
  return std::ranges::any_of(results.findings, [](const worker::CodeFinding& f) {
    return !f.remark && worker::ends_a_launch(f.kind);
  });
}

}  // namespace tilescope

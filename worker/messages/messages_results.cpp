#include "worker/messages/messages_results.h"

#include "worker/messages/json_fields.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {

TILESCOPE_JSON(RecordedCard, NEED(name, date, count) SPARSE(own))

// A sweep has hundreds of them: what is not so is left out.
TILESCOPE_JSON(KnownResult,
               NEED(request, measured, date, tflops, time_us) MAY(arch, revision)
                   SPARSE(older, spread, library, library_tflops),
               self.judged = self.measured)

}  // namespace tilescope::worker

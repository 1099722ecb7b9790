#include "worker/messages/messages_proof.h"

#include "worker/messages/json_fields.h"

namespace tilescope::worker {

TILESCOPE_JSON(Proof, NEED(atom, device, date, ok, compared) MAY(driver, wrong, milliseconds)
                          NULLED(first_wrong, unsupported, failed))

}  // namespace tilescope::worker

#include "worker/messages/messages_stores.h"

#include "worker/messages/json_fields.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_origin.h"

namespace tilescope::worker {

TILESCOPE_JSON_HERE(CtaStores, NEED(cta, elements, boxes))
TILESCOPE_JSON(StoresResult, NEED(rows, cols, ctas, of_ctas, box, threads, truncated))

}  // namespace tilescope::worker

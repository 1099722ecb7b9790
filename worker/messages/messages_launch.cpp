#include "worker/messages/messages_launch.h"

#include "worker/messages/json_fields.h"
#include "worker/messages/messages_sheet.h"

using nlohmann::json;

namespace tilescope::worker {

TILESCOPE_JSON_HERE(LaunchBuffer, NEED(name, bytes, read_only, given))

static void to_json(json& j, const LaunchRequest::Extent& e) { j = {e.x, e.y, e.z}; }
static void from_json(const json& j, LaunchRequest::Extent& e) {
  e = {worker::whole_number<uint32_t>(j.at(0), "number 1 of a list"),
       worker::whole_number<uint32_t>(j.at(1), "number 2 of a list"),
       worker::whole_number<uint32_t>(j.at(2), "number 3 of a list")};
}

TILESCOPE_JSON(LaunchRequest, NEED(ptx, entry, grid, block, shared_bytes, parameters, buffers,
                                   contents) SPARSE(sheet, names, seed, source, sums_of, cluster))

}  // namespace tilescope::worker

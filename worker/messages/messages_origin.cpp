#include "worker/messages/messages_origin.h"

#include "worker/messages/json_fields.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {

using nlohmann::json;

TILESCOPE_JSON(OriginQuestion, MAY(cta, what, warp, step, times, ptx_line, operand, index, k, name,
                                   lane, half, offset, bytes, element) SPARSE(buffer))

void to_json(json& j, const TouchedBox& b) { j = {b.matrix, b.row, b.col, b.rows, b.cols}; }
void from_json(const json& j, TouchedBox& b) {
  b = {whole_number<int>(j.at(0), "number 1 of a list"),
       whole_number<int>(j.at(1), "number 2 of a list"),
       whole_number<int>(j.at(2), "number 3 of a list"),
       whole_number<int>(j.at(3), "number 4 of a list"),
       whole_number<int>(j.at(4), "number 5 of a list")};
}
TILESCOPE_JSON_HERE(OriginResult::Step, NEED(ptx_line, line, opcode))
TILESCOPE_JSON_HERE(OriginResult::Way, NEED(of, steps))
TILESCOPE_JSON(OriginResult, NEED(of, kind, text, terms, boxes, ways)
                                 MAY(wrong_line, wrong_ptx_line) NULLED(wrong, followed_k))

}  // namespace tilescope::worker

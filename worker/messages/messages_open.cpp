#include "worker/messages/messages_open.h"

#include "worker/messages/json_fields.h"
#include "worker/messages/messages_sheet.h"

using nlohmann::json;

namespace tilescope::worker {

TILESCOPE_JSON(OpenRequest, NEED(file) SPARSE(source, only, arch, include_folders, defines, entry,
                                              seconds, with_cubin))
TILESCOPE_JSON_HERE(InTheWay, NEED(ptx_line, message) SPARSE(line, opcode))
TILESCOPE_JSON_HERE(OpenedKernel,
                    NEED(signature, guess) SPARSE(line, in_the_way, source, registers, spill_bytes))
TILESCOPE_JSON(OpenAnswer,
               NEED(kind, ptx, kernels) SPARSE(source, arch, compiler, compile_ms, revision, log,
                                               launches, templates, files, errors, cubin))

}  // namespace tilescope::worker

#include "worker/messages/messages_sheet.h"

#include "worker/messages/json_fields.h"

using nlohmann::json;

namespace tilescope::sheet {

static void to_json(json& j, const Extent& e) { j = {e.x, e.y, e.z}; }
static void from_json(const json& j, Extent& e) {
  e = {worker::whole_number<uint32_t>(j.at(0), "number 1 of a list"),
       worker::whole_number<uint32_t>(j.at(1), "number 2 of a list"),
       worker::whole_number<uint32_t>(j.at(2), "number 3 of a list")};
}

TILESCOPE_JSON_HERE(GemmSheet, NEED(a, b, c, m, n, k, layout) SPARSE(column_c, alpha, beta))
TILESCOPE_JSON_HERE(OtherKernel, NEED(file, entry, shared) SPARSE(grid, block, args, cluster))
TILESCOPE_JSON_HERE(Expectation::File, NEED(argument, file))
TILESCOPE_JSON_HERE(Expectation, NEED(files) SPARSE(kernel, tolerance))
TILESCOPE_JSON(LaunchSheet,
               NEED(entry, shared, args) SPARSE(grid, block, gemm, expect, guesses, cluster))
TILESCOPE_JSON_HERE(Parameter, NEED(name, ptx, offset, bytes) SPARSE(cpp, is_const, is_restrict))
TILESCOPE_JSON(Signature, NEED(entry, demangled, parameters, parameter_bytes)
                              SPARSE(required_block, most_block, static_shared, dynamic_shared,
                                     required_cluster, most_cluster, explicit_cluster))
TILESCOPE_JSON(FoundLaunch, NEED(kernel, line, grid, block, shared, arguments) SPARSE(values))

}  // namespace tilescope::sheet

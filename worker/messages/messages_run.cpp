#include "worker/messages/messages_run.h"

#include <algorithm>

#include "worker/messages/json_fields.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_origin.h"
#include "worker/messages/named_values.h"

using nlohmann::json;

namespace tilescope::worker {

using ProvenanceForm = RunRequest::Provenance;

static constexpr NamedValue<ProvenanceForm> kProvenance[] = {
    {ProvenanceForm::none, "none"}, {ProvenanceForm::json, "json"}, {ProvenanceForm::text, "text"}};

static void to_json(json& j, ProvenanceForm form) { j = find_name(kProvenance, form); }
static void from_json(const json& j, ProvenanceForm& form) {
  form = find_value(kProvenance, j.get<std::string>(), "a form of provenance");
}

TILESCOPE_JSON(RunRequest,
               NEED(launch, threads, max_lane_instructions, check, provenance, argument_of, asks,
                    dumps, dumped) SPARSE(ctas, by_line, other, other_args))
TILESCOPE_JSON(GemmVerdict, NEED(verified, right, found, expected) SPARSE(layout))
TILESCOPE_JSON(BufferVerdict, NEED(argument, name, against, ok, elements, wrong, row, col, found,
                                   expected, worst, tolerance))
TILESCOPE_JSON(RunAnswer, NEED(counted, seconds, answers) SPARSE(dumped, gemm, fault, arithmetic)
                              MAY(findings, expected))

bool RunAnswer::right() const {
  return (!gemm || gemm->verified.ok) && std::ranges::all_of(expected, &BufferVerdict::ok);
}

}  // namespace tilescope::worker

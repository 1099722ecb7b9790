#include "worker/messages/messages_run.h"

#include "worker/messages/messages_json.h"
#include "worker/messages/messages_origin.h"

using nlohmann::json;

namespace tilescope::worker {
namespace {

constexpr std::pair<RunRequest::Provenance, const char*> kProvenance[] = {
    {RunRequest::Provenance::none, "none"},
    {RunRequest::Provenance::json, "json"},
    {RunRequest::Provenance::text, "text"},
};

const char* name_of(RunRequest::Provenance kind) {
  for (const auto& [known, name] : kProvenance) {
    if (known == kind) return name;
  }
  return "none";
}
RunRequest::Provenance provenance_of(const std::string& name) {
  for (const auto& [kind, known] : kProvenance) {
    if (name == known) return kind;
  }
  throw std::invalid_argument("\"" + name +
                              "\" is no form of provenance; known are none, json, text.");
}

}  // namespace

void to_json(json& j, const RunRequest& r) {
  j = {{"launch", r.launch},
       {"threads", r.threads},
       {"max_lane_instructions", r.max_lane_instructions},
       {"check", r.check},
       {"provenance", name_of(r.provenance)},
       {"argument_of", r.argument_of},
       {"asks", r.asks},
       {"dumps", r.dumps},
       {"dumped", r.dumped}};
  if (r.ctas) j["ctas"] = *r.ctas;
}

void from_json(const json& j, RunRequest& r) {
  r = {};
  j.at("launch").get_to(r.launch);
  j.at("threads").get_to(r.threads);
  j.at("max_lane_instructions").get_to(r.max_lane_instructions);
  j.at("check").get_to(r.check);
  r.provenance = provenance_of(j.at("provenance").get<std::string>());
  j.at("argument_of").get_to(r.argument_of);
  j.at("asks").get_to(r.asks);
  j.at("dumps").get_to(r.dumps);
  j.at("dumped").get_to(r.dumped);
  if (const auto ctas = j.find("ctas"); ctas != j.end()) {
    r.ctas = {ctas->at(0).get<uint64_t>(), ctas->at(1).get<uint64_t>()};
  }
}

void to_json(json& j, const RunAnswer& a) {
  j = {{"counted", a.counted}, {"seconds", a.seconds}, {"answers", a.answers}};
}

void from_json(const json& j, RunAnswer& a) {
  a = {};
  j.at("counted").get_to(a.counted);
  j.at("seconds").get_to(a.seconds);
  j.at("answers").get_to(a.answers);
}

}  // namespace tilescope::worker

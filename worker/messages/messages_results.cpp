#include "worker/messages/messages_results.h"

#include "worker/messages/messages_json.h"

using nlohmann::json;

namespace tilescope::worker {

void to_json(json& j, const KnownResult& r) {
  j = {{"request", r.request},  {"measured", r.measured}, {"date", r.date},
       {"tflops", r.tflops},    {"time_us", r.time_us},   {"arch", r.arch},
       {"revision", r.revision}};
  // A sweep has hundreds of them: what is not so is left out.
  if (r.older) j["older"] = true;
  if (r.spread) j["spread"] = *r.spread;
  if (!r.library.empty()) j["library"] = r.library;
  if (r.library_tflops) j["library_tflops"] = *r.library_tflops;
}

void from_json(const json& j, KnownResult& r) {
  r = {};
  j.at("request").get_to(r.request);
  j.at("measured").get_to(r.measured);
  j.at("date").get_to(r.date);
  j.at("tflops").get_to(r.tflops);
  j.at("time_us").get_to(r.time_us);
  r.older = j.value("older", false);
  r.judged = r.measured;
  if (const auto at = j.find("spread"); at != j.end()) r.spread = at->get<double>();
  r.library = j.value("library", "");
  if (const auto at = j.find("library_tflops"); at != j.end()) r.library_tflops = at->get<double>();
  r.arch = j.value("arch", ""), r.revision = j.value("revision", "");
}

}  // namespace tilescope::worker

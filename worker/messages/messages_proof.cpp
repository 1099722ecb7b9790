#include "worker/messages/messages_proof.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

json sentence(const std::string& text) { return text.empty() ? json() : json(text); }
std::string sentence_of(const json& j, const char* name) {
  const auto it = j.find(name);
  return it != j.end() && it->is_string() ? it->get<std::string>() : std::string();
}

}  // namespace

void to_json(json& j, const Proof& p) {
  j = {{"atom", p.atom},
       {"device", p.device},
       {"driver", p.driver},
       {"date", p.date},
       {"ok", p.ok},
       {"compared", p.compared},
       {"wrong", p.wrong},
       {"first_wrong", sentence(p.first_wrong)},
       {"milliseconds", p.milliseconds},
       {"unsupported", sentence(p.unsupported)},
       {"failed", sentence(p.failed)}};
}

void from_json(const json& j, Proof& p) {
  p.atom = j.at("atom").get<std::string>();
  p.device = j.at("device").get<std::string>();
  p.driver = sentence_of(j, "driver");
  p.date = j.at("date").get<std::string>();
  p.ok = j.at("ok").get<bool>();
  p.compared = j.at("compared").get<uint64_t>();
  p.wrong = j.value("wrong", uint64_t{0});
  p.first_wrong = sentence_of(j, "first_wrong");
  p.milliseconds = j.value("milliseconds", 0.0);
  p.unsupported = sentence_of(j, "unsupported");
  p.failed = sentence_of(j, "failed");
}

}  // namespace tilescope::worker

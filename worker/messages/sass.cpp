#include "worker/messages/sass.h"

#include <nlohmann/json.hpp>

namespace tilescope::worker {

using nlohmann::json;

void to_json(json& j, const SassListing& s) {
  json rows = json::array();  // an array each: there are thousands
  for (const SassLine& l : s.lines) rows.push_back({l.text, l.line, l.ptx_line, l.spill});
  j = {{"arch", s.arch},
       {"tool", s.tool},
       {"registers", s.registers},
       {"spill_bytes", s.spill_bytes},
       {"instructions", s.instructions},
       {"columns", {"text", "line", "ptx_line", "spill"}},
       {"rows", std::move(rows)}};
}

void from_json(const json& j, SassListing& s) {
  j.at("arch").get_to(s.arch);
  j.at("tool").get_to(s.tool);
  j.at("registers").get_to(s.registers);
  j.at("spill_bytes").get_to(s.spill_bytes);
  j.at("instructions").get_to(s.instructions);
  s.lines.clear();
  for (const json& row : j.at("rows")) {
    s.lines.push_back({row.at(0).get<std::string>(), row.at(1).get<int>(), row.at(2).get<int>(),
                       row.at(3).get<bool>()});
  }
}

}  // namespace tilescope::worker

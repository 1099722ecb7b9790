#include "worker/messages/sass.h"

#include <nlohmann/json.hpp>

#include "worker/messages/json_fields.h"

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
  take_field(j.at("arch"), "arch", s.arch);
  take_field(j.at("tool"), "tool", s.tool);
  take_field(j.at("registers"), "registers", s.registers);
  take_field(j.at("spill_bytes"), "spill_bytes", s.spill_bytes);
  take_field(j.at("instructions"), "instructions", s.instructions);
  s.lines.clear();
  for (const json& row : j.at("rows")) {
    s.lines.push_back({row.at(0).get<std::string>(), whole_number<int>(row.at(1), "line"),
                       whole_number<int>(row.at(2), "ptx_line"), row.at(3).get<bool>()});
  }
}

}  // namespace tilescope::worker

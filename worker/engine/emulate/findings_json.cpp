#include "worker/engine/emulate/findings_json.h"

namespace tilescope::worker {
using Json = nlohmann::ordered_json;

Json fault_json(const emulator::Fault& f) {
  return {{"kind", emulator::kind_name(f.kind)},
          {"cta", {f.cta.x, f.cta.y, f.cta.z}},
          {"warp", f.warp},
          {"lane", f.lane},
          {"address", f.address},
          {"ptx_line", f.ptx_line},
          {"source", f.source.file},
          {"line", f.source.line}};
}

Json finding_json(const emulator::Finding& finding) {
  Json j = fault_json(finding.fault);
  j["remark"] = finding.remark;
  j["count"] = finding.count;
  j["message"] = finding.fault.message;
  if (finding.ptx_lines.size() > 1) j["ptx_lines"] = finding.ptx_lines;
  if (finding.other_ptx_line) {
    j["other"] = {{"ptx_line", finding.other_ptx_line},
                  {"source", finding.other_source.file},
                  {"line", finding.other_source.line}};
  }
  return j;
}

Json findings_json(std::span<const emulator::Finding> findings) {
  Json all = Json::array();
  for (const emulator::Finding& f : findings) all.push_back(finding_json(f));
  return all;
}

}  // namespace tilescope::worker

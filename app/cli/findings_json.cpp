#include "app/cli/findings_json.h"

namespace tilescope::cli {
Json finding_json(const emulator::Finding& finding) {
  const emulator::Fault& f = finding.fault;
  Json j = {
      {"kind", emulator::kind_name(f.kind)},
      {"remark", finding.remark},
      {"count", finding.count},
      {"cta", {f.cta.x, f.cta.y, f.cta.z}},
      {"warp", f.warp},
      {"lane", f.lane},
      {"address", f.address},
      {"ptx_line", f.ptx_line},
      {"source", f.source.file},
      {"line", f.source.line},
      {"message", f.message},
  };
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

}  // namespace tilescope::cli

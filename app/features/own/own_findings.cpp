#include "app/features/own/own_findings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

worker::CodeFinding own_finding(const nlohmann::json& of, const std::string& source) {
  worker::CodeFinding f;
  f.kind = of.value("kind", "");
  f.remark = of.value("remark", false);
  f.count = of.value("count", uint64_t{1});
  f.ptx_line = of.value("ptx_line", 0);
  if (of.value("source", "") == source) f.line = of.value("line", 0);
  f.message = of.value("message", "");
  f.warp = of.value("warp", 0u), f.lane = of.value("lane", 0u);
  if (const auto cta = of.find("cta"); cta != of.end()) cta->get_to(f.cta);
  return f;
}

}  // namespace

std::vector<worker::CodeFinding> own_findings(const std::string& document,
                                              const std::string& source) {
  const nlohmann::json all = nlohmann::json::parse(document, nullptr, false);
  std::vector<worker::CodeFinding> findings;
  if (!all.is_object()) return findings;
  if (const auto list = all.find("findings"); list != all.end()) {
    for (const nlohmann::json& one : *list) findings.push_back(own_finding(one, source));
  }
  const auto fault = all.find("fault");
  const bool told = std::ranges::any_of(findings, [](const auto& f) { return !f.remark; });
  if (fault != all.end() && !told) {
    worker::CodeFinding f = own_finding(*fault, source);
    f.message = all.value("message", "");
    findings.insert(findings.begin(), std::move(f));
  }
  return findings;
}

}  // namespace tilescope

#include "app/cli/counted_json.h"

#include "worker/messages/recorded_result.h"

namespace tilescope::cli {

Json counted_levels_json(const worker::CountedTraffic& c) {
  const auto& load = c.shared_load;
  const auto& store = c.shared_store;
  return {
      {"registers", nullptr},
      {"shared",
       {{"read", load.bytes + c.shared_product.bytes},
        {"write", store.bytes + c.shared_copy.bytes},
        {"wavefronts", load.wavefronts + store.wavefronts},
        {"load_wavefronts", load.wavefronts},
        {"store_wavefronts", store.wavefronts},
        {"conflicts", load.wavefronts - load.ideal + store.wavefronts - store.ideal}}},
      {"l1",
       {{"read", c.global_load.bytes},
        {"write", c.global_store.bytes},
        {"sectors", c.global_load.sectors + c.global_store.sectors}}},
      {"l2", nullptr},
      {"dram", nullptr},
      {"exact", c.exact},
  };
}

Json verified_json(const std::optional<worker::Verification>& verified) {
  return worker::recorded_verification(verified);
}

Json checks_json(const worker::CheckResult& checks) {
  Json findings = Json::array();
  for (const worker::CodeFinding& f : checks.findings) {
    findings.push_back({{"kind", f.kind},
                        {"cta", f.cta},
                        {"warp", f.warp},
                        {"lane", f.lane},
                        {"ptx_line", f.ptx_line},
                        {"line", f.line},
                        {"sentence", f.message}});
  }
  return {{"ctas", checks.ctas}, {"k", checks.k}, {"findings", std::move(findings)}};
}

}  // namespace tilescope::cli

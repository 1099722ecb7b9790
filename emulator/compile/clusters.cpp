#include "emulator/compile/clusters.h"

#include <algorithm>

#include "emulator/compile/lower.h"

namespace tilescope::emulator {
namespace {

std::string at(int line) { return "PTX line " + std::to_string(line) + ": "; }

/// A register that tells of clusters, among the operands; empty if there is none.
std::string_view cluster_register(const std::vector<Operand>& operands) {
  for (const Operand& o : operands) {
    const bool tells = o.kind == Operand::Kind::special &&
                       (o.text.find("cluster") != o.text.npos || o.text == "%aggr_smem_size");
    if (tells) return o.text;
    if (const auto inside = cluster_register(o.elements); !inside.empty()) return inside;
  }
  return {};
}

}  // namespace

std::string refused_clusters(const Function& entry) {
  const ClusterDirectives& c = entry.clusters;
  const Dim3& r = c.required;
  const bool is_given = r.x != 0 || r.y != 0 || r.z != 0;
  if (is_given && (r.x != 1 || r.y != 1 || r.z != 1)) {
    return at(c.line) + quoted(entry.name) + " asks for clusters of " + std::to_string(r.x) +
           " x " + std::to_string(r.y) + " x " + std::to_string(r.z) +
           " CTAs (.reqnctapercluster); the emulator runs clusters of one CTA only, so ask for 1, "
           "1, 1 if that will do.";
  }
  if (c.is_explicit && !is_given) {
    return at(c.line) + quoted(entry.name) +
           " must be launched in clusters whose size the launch gives (.explicitcluster), and a "
           "launch in the emulator gives none; say .reqnctapercluster 1, 1, 1 if that will do.";
  }
  return {};
}

std::string refused_cluster_register(const Function& entry, const Statement& s) {
  const ClusterDirectives& c = entry.clusters;
  if (c.line == 0) return {};
  const std::string_view name = cluster_register(s.operands);
  if (name.empty()) return {};
  // In a cluster of one all is as without clusters, but for this one.
  if (c.max_rank <= 1 && name != "%is_explicit_cluster") return {};
  return at(s.line) + std::string(name) + " is read in " + quoted(entry.name) + ", which " +
         (c.max_rank > 1 ? "is made for clusters of up to " + std::to_string(c.max_rank) +
                               " CTAs (.maxclusterrank)"
                         : "says how it is launched in clusters") +
         "; the emulator does not know clusters, so what the register holds on a card is not "
         "known: run the kernel without that directive to have clusters of one CTA.";
}

}  // namespace tilescope::emulator

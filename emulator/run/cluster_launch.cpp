// Which clusters a launch runs in: its own word, else the kernel's.
#include "emulator/run/cluster.h"

namespace tilescope::emulator {
namespace {

std::string shape_words(const Dim3& d) {
  return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}
bool is_given(const Dim3& d) { return d.x != 0 || d.y != 0 || d.z != 0; }
uint32_t rounded_up(uint32_t count, uint32_t step) { return (count + step - 1) / step * step; }

}  // namespace

std::string set_up_clusters(RunState& state) {
  const Dim3 &asked = state.launch->cluster, &grid = state.launch->grid;
  const EntryInfo& info = state.entry->info;
  const Dim3& required = info.required_cluster;
  const bool requires_one = is_given(required), asks = is_given(asked);
  if (requires_one && asks &&
      (asked.x != required.x || asked.y != required.y || asked.z != required.z)) {
    return "it gives clusters of " + shape_words(asked) +
           " CTAs, but the kernel says .reqnctapercluster " + shape_words(required) +
           ": launch it with exactly that, or without a size";
  }
  if (info.explicit_cluster && !requires_one && !asks) {
    return "the kernel says .explicitcluster, so a launch must give the size of its clusters, and "
           "this one does not: give it one (cluster X,Y,Z)";
  }
  state.is_explicit_cluster = requires_one || asks;
  const Dim3 c = asks ? asked : requires_one ? required : Dim3{1, 1, 1};
  if (c.x == 0 || c.y == 0 || c.z == 0) {
    return "the cluster of " + shape_words(c) + " CTAs is empty: each extent must be at least 1";
  }
  const bool too_wide = c.x > 16 || c.y > 16 || c.z > 16;
  const uint32_t ctas = too_wide ? ~0u : ctas_of(c);
  if (ctas > kMostCtasOfCluster) {
    return "the cluster of " + shape_words(c) + " CTAs has more than " +
           std::to_string(kMostCtasOfCluster) +
           ", which is what all cards take (up to 16 is the non-portable size, which is not "
           "supported here): make it smaller";
  }
  if (info.most_cluster != 0 && ctas > info.most_cluster) {
    return "the cluster of " + shape_words(c) + " CTAs exceeds the kernel's .maxclusterrank of " +
           std::to_string(info.most_cluster);
  }
  if (info.blocks_are_clusters && ctas > 1) {
    return "the kernel says .blocksareclusters, so that its grid would count clusters, which is "
           "not supported: compile it without, and give the grid in CTAs";
  }
  if (grid.x % c.x != 0 || grid.y % c.y != 0 || grid.z % c.z != 0) {
    const Dim3 next{rounded_up(grid.x, c.x), rounded_up(grid.y, c.y), rounded_up(grid.z, c.z)};
    return "the grid of " + shape_words(grid) + " CTAs is no multiple of the cluster of " +
           shape_words(c) + ": make it " + shape_words(next) + ", say";
  }
  state.cluster = c;
  return {};
}

}  // namespace tilescope::emulator

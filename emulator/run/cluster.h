// A cluster of CTAs that run together: who of them is still there, and where all its threads meet.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "emulator/machine/cluster_address.h"
#include "emulator/machine/run_state.h"
#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {

class CtaRunner;
struct ClusterChecks;

class Cluster {
 public:
  explicit Cluster(uint32_t ctas);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();
  uint32_t ctas() const { return static_cast<uint32_t>(peers_.size()); }
  void join(uint32_t rank, CtaRunner& runner, Peer& peer);
  /// The CTA has ended; what it was may serve another.
  void leave(uint32_t rank);
  Peer* const* peers() const { return peers_.data(); }
  /// Null of a CTA that has ended.
  CtaRunner* member(uint32_t rank) const { return members_[rank]; }
  bool is_empty() const;

  ClusterTrackers& trackers() { return trackers_; }
  /// Made when it is first asked for.
  ClusterChecks& checks(const RunState& state);
  /// Lets those go on that wait at the cluster's barrier, once all that are left have come to it.
  void meet();

 private:
  Peer gone_;
  std::vector<Peer*> peers_;
  std::vector<CtaRunner*> members_;
  std::unique_ptr<ClusterChecks> checks_;
  ClusterTrackers trackers_;
};

/// Fills in the clusters of a launch; returns what is wrong with them, or an empty sentence.
std::string set_up_clusters(RunState& state);

}  // namespace tilescope::emulator

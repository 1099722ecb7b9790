// The recordings and proofs of assets/recordings, read alone: where nothing can be written, or
// nobody has said where to.
#pragma once
#include <string>
#include <vector>

#include "worker/engine/store/left_out.h"
#include "worker/engine/store/memory_store.h"

namespace tilescope::worker {

class AssetStore final : public Store {
 public:
  /// Files are read at the first question about them, and again only once they have changed. Files
  /// and lines that cannot be read are left out, and take_notice() says how many.
  explicit AssetStore(std::vector<std::string> folders) : folders_(std::move(folders)) {}

  std::vector<StoredResult> results(const ResultsOf& of) override {
    return read(recordings_, false).results(of);
  }
  std::optional<Recording> whole(const StoredResult& r) override {
    return recordings_.store.whole(r);
  }
  std::vector<StoredCard> cards() override { return read(recordings_, false).cards(); }
  std::vector<StoredLayer> layers(const std::string&) override { return {}; }
  std::map<std::string, Proof> proofs() override { return read(proofs_, true).proofs(); }
  std::string keep(const std::string& line) override;
  std::string keep_layer(const StoredLayer& layer) override;
  std::string take_notice() override { return notices_.take(); }

 private:
  /// Recordings, or proofs: who asks for the one does not wait for the other.
  struct Part {
    std::string fingerprint = "unread";
    MemoryStore store;
  };
  MemoryStore& read(Part& part, bool proofs);

  std::vector<std::string> folders_;
  Part recordings_, proofs_;
  Notices notices_;
};

}  // namespace tilescope::worker

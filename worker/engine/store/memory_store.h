// A store that lasts as long as its process: for tests, and what the files of assets/recordings are
// read into.
#pragma once
#include <string>
#include <tuple>
#include <vector>

#include "worker/engine/store/store.h"

namespace tilescope::worker {

class MemoryStore : public Store {
 public:
  std::vector<StoredResult> results(const ResultsOf& of) override;
  std::optional<Recording> whole(const StoredResult& result) override;
  std::vector<StoredCard> cards() override;
  std::vector<StoredLayer> layers(const std::string& card) override;
  std::map<std::string, Proof> proofs() override { return proofs_; }
  std::string keep(const std::string& line) override;
  std::string keep_layer(const StoredLayer& layer) override;

  /// Recorded ones; `place` never decreases.
  void add_recorded(Recording recording, int place);
  void add_proof(Proof proof) { put_proof(proofs_, std::move(proof)); }

 private:
  struct Entry {
    Recording recording;
    bool own = false;
    int place = 0;
  };
  using Size = std::tuple<int, int, int>;
  void add(Entry entry);

  std::vector<Entry> entries_;
  std::map<Size, std::vector<size_t>> by_size_;
  std::vector<std::string> layers_;  // as lines: what is read is checked as in any other store
  std::map<std::string, Proof> proofs_;
};

}  // namespace tilescope::worker

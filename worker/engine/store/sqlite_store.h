// A user's store: own results, layers, recordings and proofs in one file of SQLite (WAL), which any
// number of processes may have open. What is kept is there once keep() has returned, whatever ends
// the process. docs/recordings.md.
#pragma once
#include <sys/stat.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/engine/store/asset_store.h"
#include "worker/engine/store/sqlite_tables.h"

namespace tilescope::worker {

/// FOLDER/store.sqlite.
std::string store_file(const std::string& folder);

class SqliteStore final : public Store {
 public:
  /// `folder`: of own results, made when it is needed. `recordings`: folders of recordings, which
  /// are read in once for each version of a file; none for a process that only keeps.
  SqliteStore(std::string folder, std::vector<std::string> recordings);

  /// A store that cannot be opened answers with the recordings alone, and says so (take_notice).
  std::vector<StoredResult> results(const ResultsOf& of) override;
  std::optional<Recording> whole(const StoredResult& result) override;
  std::vector<StoredCard> cards() override;
  std::vector<StoredLayer> layers(const std::string& card) override;
  std::map<std::string, Proof> proofs() override;
  std::string keep(const std::string& line) override;
  std::string keep_layer(const StoredLayer& layer) override;
  std::string take_notice() override;
  StoreHealth health(bool repair) override;

  /// How SQLite would go about results(), a step a line: for tests, which want its indexes used.
  std::vector<std::string> plan_of(const ResultsOf& of);

 private:
  Database& open();
  bool is_current() const;
  void read_assets(Database& database);
  void set_aside(const std::string& words);
  std::string written(const std::function<void(Database&)>& write);
  template <class Ask>
  void with_database(const Ask& ask);
  template <class Answer>
  Answer asked(const std::function<Answer(Database&)>& ask, const std::function<Answer()>& instead);
  std::string select(const ResultsOf& of) const;
  void tell_of_rows(const LeftOut& left_out);

  std::string folder_, file_;
  std::vector<std::string> recordings_;
  std::unique_ptr<Database> database_;
  struct stat opened_ {};  // the file that it is, lest another has taken its place
  std::string fingerprint_ = "unread";
  std::map<int64_t, PresentFile> present_;
  std::string rescue_from_;  // a damaged file that was set aside
  AssetStore assets_;        // what is left where the file cannot be opened
  Notices notices_;
  bool told_of_rows_ = false;
};

}  // namespace tilescope::worker

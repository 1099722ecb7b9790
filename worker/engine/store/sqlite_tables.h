// The tables of a store in SQLite, and how rows come into them.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "worker/engine/store/asset_files.h"
#include "worker/engine/store/sqlite.h"
#include "worker/engine/store/store.h"

namespace tilescope::worker {

/// The file was written by a later version, whose tables are not known.
class NewerSchema : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes the tables of a new file. Throws NewerSchema.
void make_tables(Database& database);

/// A result: of a file of recordings, else (0) one of this machine's own.
void put_result(Database& database, const Recording& recording, std::string_view line,
                int64_t file);
void put_layer(Database& database, const StoredLayer& layer, std::string_view line);

/// Where a file of recordings stands among those that are there now.
struct PresentFile {
  int place = 0;  // of its folder
  int order = 0;  // of the file, over all folders
};
/// Reads those files in whose content is not there yet; all of them by their number in the table.
/// Contents that nobody has named for a season are dropped.
std::map<int64_t, PresentFile> take_assets(Database& database, const std::vector<AssetFile>& files);

/// What versions before SQLite have kept in `folder` and goes on being appended by them: a line a
/// result, a line a layer. Each line is taken once.
void take_older_files(Database& database, const std::string& folder);

/// Own results and layers of a damaged file, as far as they can be read and are not there already.
/// How many.
int rescue(Database& database, const std::string& damaged);

}  // namespace tilescope::worker

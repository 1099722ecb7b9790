// The tables of a store in SQLite, and how rows come into them.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "worker/engine/store/asset_files.h"
#include "worker/engine/store/left_out.h"
#include "worker/engine/store/sqlite.h"
#include "worker/engine/store/store.h"

namespace tilescope::worker {

/// A result: of a file of recordings, else (0) one of this machine's own.
void put_result(Database& database, const Recording& recording, std::string_view line,
                int64_t file);
/// A request but for its kernel, size and factors, which have columns of their own: in words, since
/// to read hundreds of them as JSON takes longer than to find them.
std::string packed_request(const KernelRequest& request);
/// Throws std::invalid_argument, a sentence without its end, where the words are not understood or
/// a number is beyond its limits (those of read_recorded_request()). Whether there is a plan of it
/// is not asked.
void unpack_request(std::string_view words, KernelRequest& request);

void put_layer(Database& database, const StoredLayer& layer, std::string_view line);

/// Where a file of recordings stands among those that are there now.
struct PresentFile {
  int place = 0;  // of its folder
  int order = 0;  // of the file, over all folders
};
/// Reads those files in whose content is not there yet; all of them by their number in the table.
/// Contents that nobody has named for a season are dropped. What is left out of a content when it
/// is read in is told then.
std::map<int64_t, PresentFile> take_assets(Database& database, const std::vector<AssetFile>& files,
                                           Notices& notices);

/// What versions before SQLite have kept in `folder` and goes on being appended by them: a line a
/// result, a line a layer. Each line is taken once, or told once.
void take_older_files(Database& database, const std::string& folder, Notices& notices);

/// Own results and layers of a damaged file, as far as they can be read and are not there already.
/// How many.
int rescue(Database& database, const std::string& damaged);

}  // namespace tilescope::worker

#include "worker/engine/store/asset_store.h"

#include "core/files/whole_file.h"
#include "worker/engine/store/asset_files.h"

namespace tilescope::worker {
namespace {

constexpr const char* kReadAlone =
    "The result is not kept: the recordings that come with the program are read alone; name a "
    "folder for own results.";

}  // namespace

MemoryStore& AssetStore::read(Part& part, bool proofs) {
  std::vector<AssetFile> files = asset_files(folders_);
  std::erase_if(files, [&](const AssetFile& file) { return file.proofs != proofs; });
  std::string present = fingerprint(files);
  if (present == part.fingerprint) return part.store;
  part = {std::move(present), {}};
  int place = -1;  // of proofs: the first folder that has any
  for (const AssetFile& file : files) {
    const auto text = files::read_file(file.path);
    if (!text || (proofs && place >= 0 && place != file.place)) continue;
    for (const std::string_view line : files::lines_of(*text)) {
      if (proofs) {
        auto proof = read_proof(line);
        if (!proof) continue;
        part.store.add_proof(std::move(*proof));
        place = file.place;
      } else if (auto recording = parse_recording(line)) {
        part.store.add_recorded(std::move(*recording), file.place);
      }
    }
  }
  return part.store;
}

std::string AssetStore::keep(const std::string&) { return kReadAlone; }
std::string AssetStore::keep_layer(const StoredLayer&) { return kReadAlone; }

}  // namespace tilescope::worker

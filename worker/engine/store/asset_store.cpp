#include "worker/engine/store/asset_store.h"

#include "kernels/registry.h"
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
    if (proofs && place >= 0 && place != file.place) break;
    std::string unread;
    const auto text = text_of_lines(file.path, &unread);
    if (!text) notices_.add(unread);
    if (!text) continue;
    LeftOut left_out;
    const TakeLine take_proof = [&](std::string_view line) {
      std::string why;
      if (auto proof = read_proof(line, &why)) {
        part.store.add_proof(std::move(*proof));
        place = file.place;
      }
      return why;
    };
    const TakeLine take_recording = [&](std::string_view line) {
      std::string why;
      auto recording = read_recording(line, &why);
      if (recording && find_kernel(recording->request.kernel.c_str())) {
        part.store.add_recorded(std::move(*recording), file.place);
      }
      return why;
    };
    each_line(*text, kMostLineBytes, proofs ? take_proof : take_recording, left_out);
    notices_.add(left_out.sentence(file.path));
  }
  return part.store;
}

std::string AssetStore::keep(const std::string&) { return kReadAlone; }
std::string AssetStore::keep_layer(const StoredLayer&) { return kReadAlone; }

}  // namespace tilescope::worker

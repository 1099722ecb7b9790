// Files of recordings and proofs, a line of JSON each (docs/recordings.md): where they lie and what
// is in them.
#pragma once
#include <string>
#include <vector>

namespace tilescope::worker {

/// Where recordings may lie: $TILESCOPE_RECORDINGS, beside the installed program, in the checkout
/// that it was built in.
std::vector<std::string> recording_folders();

struct AssetFile {
  std::string path;
  int place = 0;        // of its folder among those that are looked through
  bool proofs = false;  // of lane maps, and no measurements
};
/// The files of these folders, folder by folder in the order of their names; those of a folder that
/// is named twice stand once. "*.jsonl", and "*.json" as older versions wrote them; a link to one
/// is one, a pipe or a device is none.
std::vector<AssetFile> asset_files(const std::vector<std::string>& folders);

/// Changes when a file is added, removed or written: names, sizes and times.
std::string fingerprint(const std::vector<AssetFile>& files);

}  // namespace tilescope::worker

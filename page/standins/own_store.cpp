// A page keeps no results: nothing is measured in it.
#include "worker/engine/store/asset_store.h"

namespace tilescope::worker {

std::unique_ptr<Store> open_store(const std::string&, std::vector<std::string> recordings) {
  return std::make_unique<AssetStore>(std::move(recordings));
}

}  // namespace tilescope::worker

#include <algorithm>
#include <iterator>

#include "data_target.h"

namespace tilescope::fuzz {

std::vector<DataTarget> data_targets() {
  std::vector<DataTarget> all;
  for (const auto& part : {protocol_targets, file_targets, store_targets, state_targets}) {
    std::ranges::copy(part(), std::back_inserter(all));
  }
  return all;
}

}  // namespace tilescope::fuzz

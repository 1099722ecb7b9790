// Where a kernel's PTX is packed: for who writes packs and who reads them.
#pragma once
#include <string>

#include "worker/engine/compile/hash.h"
#include "worker/engine/compile/source.h"

namespace tilescope::web {

/// Of what is no kernel of the ladder: the sums of a layer.
inline constexpr const char* kCommonPack = "packs/common.pack";
/// Of each kernel the requests that are packed, as JSON.
inline constexpr const char* kPackList = "packs/list.pack";

/// The pack of all tiles of one kernel with one block, which a slider that is dragged stays in, or
/// leaves to the next.
inline std::string pack_place(const worker::KernelRequest& request) {
  return "packs/" + request.kernel + "/" + std::to_string(request.tile.block_m) + "x" +
         std::to_string(request.tile.block_n) + ".pack";
}

/// The name of a PTX in it: what it was compiled of. Equal sources have equal keys.
inline std::string pack_key(const std::string& source) { return worker::Hash().add(source).hex(); }

}  // namespace tilescope::web

// Where a kernel's PTX is packed: for who writes packs and who reads them.
#pragma once
#include <string>

#include "worker/engine/compile/hash.h"
#include "worker/engine/compile/revision.h"
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

/// A PTX with its revision before it, which takes the longest of all that a page asks of it.
inline std::string packed_ptx(const std::string& ptx) {
  return worker::ptx_revision(ptx) + "\n" + ptx;
}
struct PackedPtx {
  std::string revision, ptx;
};
inline PackedPtx ptx_of(const std::string& packed) {
  const size_t end = packed.find('\n');
  return {packed.substr(0, end), packed.substr(end == packed.npos ? packed.size() : end + 1)};
}

}  // namespace tilescope::web

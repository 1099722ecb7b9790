// What the engine's tests share: a compiler with its own cache, requests, random legal tiles.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "worker/engine/compile/compiler.h"

namespace tilescope::worker {

/// One for all tests, caching in the build folder.
Compiler& test_compiler();

/// A kernel's default tile and layout on m × n × k.
KernelRequest default_request(const std::string& kernel, int m, int n, int k);

/// Tiles that validate() admits, drawn from the sliders' values; deterministic by seed. Skips tiles
/// whose CTA computes more than `max_tile` elements of C, so that small problems stay quick.
std::vector<TileConfig> random_legal_tiles(const KernelEntry& kernel, const Problem& problem,
                                           int count, unsigned seed, int max_tile = 1 << 30);

/// "mma_multistage 17x33x5 block_m=128,…" for failures.
std::string describe(const KernelRequest& request);

std::string file_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

/// A fresh folder under the system's temporary one, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tilescope::worker

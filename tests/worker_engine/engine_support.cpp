#include "engine_support.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/random_tile.h"

namespace tilescope::worker {

Compiler& test_compiler() {
  static Compiler compiler({TILESCOPE_TEST_CACHE, 512ull << 20, 256});
  return compiler;
}

KernelRequest default_request(const std::string& kernel, int m, int n, int k) {
  const KernelEntry* entry = find_kernel(kernel.c_str());
  if (!entry) throw std::runtime_error("no kernel " + kernel);
  KernelRequest request{kernel, entry->sliders.defaults(), default_problem(entry->info)};
  request.problem.m = m, request.problem.n = n, request.problem.k = k;
  return request;
}

std::vector<TileConfig> random_legal_tiles(const KernelEntry& kernel, const Problem& problem,
                                           int count, unsigned seed, int max_tile) {
  std::mt19937 random(seed);
  std::vector<TileConfig> tiles;
  for (int attempt = 0; attempt < 100000 && static_cast<int>(tiles.size()) < count; ++attempt) {
    const TileConfig tile = random_tile(kernel, random);
    if (tile.block_m * tile.block_n > max_tile) continue;
    if (kernel.validate(tile, problem, DeviceLimits{}).legal()) tiles.push_back(tile);
  }
  return tiles;
}

std::string describe(const KernelRequest& request) {
  const Problem& p = request.problem;
  std::string text = request.kernel + " " + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
                     std::to_string(p.k) + " --tile ";
  for (const TileField& field : kTileFields) {
    const int value = get(request.tile, field.id);
    if (value != 0) text += std::string(field.name) + "=" + std::to_string(value) + ",";
  }
  return text;
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tilescope-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  path_ = name;
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tilescope::worker

#include "worker/engine/emulate/stores.h"

#include <algorithm>
#include <span>

#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/emulate/launch_matrices.h"
#include "worker/engine/emulate/store_watch.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

/// Rectangles of an answer, over all CTAs.
constexpr size_t kMostBoxesTold = 100'000;
/// What a grid is run for at least, whatever its CTAs cost.
constexpr uint64_t kLeastCtas = 64;

struct Watched {
  EmulatedLaunch launch;
  LaunchMatrix matrix;
};

Watched watched(const calls::Stores::Request& asked) {
  Watched w{prepare_launch(asked.launch), {}};
  const int buffer = buffer_of_argument(w.launch, asked.argument);
  if (buffer < 0) {
    fail(kUsage, "Argument " + std::to_string(asked.argument) +
                     " is no buffer of this launch; name one that the kernel writes.");
  }
  w.matrix = launch_matrices(asked.launch, w.launch).at(static_cast<size_t>(buffer));
  return w;
}

/// `ctas`: empty = the whole grid.
emulator::RunResult run_watched(Watched& w, const calls::Stores::Request& asked,
                                std::vector<emulator::Dim3> ctas, StoreWatch& watch,
                                const std::atomic<bool>* cancelled) {
  emulator::RunOptions options;
  options.ctas = std::move(ctas);
  options.cancel = cancelled;
  options.max_warp_instructions = warp_instructions_of(asked.bounds.max_lane_instructions);
  options.accesses = &watch;
  emulator::RunResult ran = w.launch.run(std::move(options));
  if (ran.fault) fail_with(*ran.fault, *w.launch.program, source_name(asked.launch));
  return ran;
}

TouchedBox box_round(const std::vector<TouchedBox>& boxes) {
  if (boxes.empty()) return {0, 0, 0, 0, 0};
  int row = boxes[0].row, col = boxes[0].col, end_row = row, end_col = col;
  for (const TouchedBox& b : boxes) {
    row = std::min(row, b.row), col = std::min(col, b.col);
    end_row = std::max(end_row, b.row + b.rows), end_col = std::max(end_col, b.col + b.cols);
  }
  return {0, row, col, end_row - row, end_col - col};
}

void check_chosen(const BlockIndex& cta, const emulator::Dim3& g) {
  const bool inside = cta.x >= 0 && cta.y >= 0 && cta.z >= 0 &&
                      static_cast<uint32_t>(cta.x) < g.x && static_cast<uint32_t>(cta.y) < g.y &&
                      static_cast<uint32_t>(cta.z) < g.z;
  if (inside) return;
  fail(kUsage, "The grid has no CTA (" + std::to_string(cta.x) + ", " + std::to_string(cta.y) +
                   ", " + std::to_string(cta.z) + "); it has " + std::to_string(g.x) + " × " +
                   std::to_string(g.y) + " × " + std::to_string(g.z) + ".");
}

/// The chosen CTA by itself, with its threads. Returns the lane instructions that it took.
uint64_t tell_chosen(const calls::Stores::Request& asked, const std::atomic<bool>* cancelled,
                     StoresResult& result, CtaStores& own) {
  Watched chosen = watched(asked);
  const emulator::Dim3 g = chosen.launch.launch.grid;
  check_chosen(asked.cta, g);
  result.rows = chosen.matrix.rows, result.cols = chosen.matrix.cols;
  result.of_ctas = uint64_t{g.x} * g.y * g.z;
  StoreWatch watch(chosen.matrix, asked.cta);
  const emulator::RunResult ran = run_watched(chosen, asked, {dim3(asked.cta)}, watch, cancelled);
  own = watch.stores_of(asked.cta);
  result.box = box_round(own.boxes);
  const uint64_t told =
      static_cast<uint64_t>(result.box.rows) * static_cast<uint64_t>(result.box.cols);
  result.truncated =
      own.boxes.size() >= kMostStoreBoxes || told > kMostThreadsTold || watch.threads_cut();
  if (told > 0 && told <= kMostThreadsTold) {
    result.threads.reserve(static_cast<size_t>(told));
    for (int row = 0; row < result.box.rows; ++row) {
      for (int col = 0; col < result.box.cols; ++col) {
        result.threads.push_back(watch.thread_at({result.box.row + row, result.box.col + col}));
      }
    }
  }
  return ran.counts.lane_instructions;
}

/// The first CTAs in the order of the launch: as many as may be asked for and take no longer than
/// is allowed.
void tell_grid(const calls::Stores::Request& asked, uint64_t most,
               const std::atomic<bool>* cancelled, StoresResult& result) {
  Watched grid = watched(asked);
  const emulator::Dim3 g = grid.launch.launch.grid;
  const auto at = [&](uint64_t i) {
    return emulator::Dim3{static_cast<uint32_t>(i % g.x), static_cast<uint32_t>(i / g.x % g.y),
                          static_cast<uint32_t>(i / g.x / g.y)};
  };
  std::vector<emulator::Dim3> ctas;
  // All of a grid run side by side, as many as the card would hold, and may wait for each other.
  for (uint64_t i = 0; most < result.of_ctas && i < most; ++i) ctas.push_back(at(i));
  StoreWatch watch(grid.matrix, std::nullopt);
  run_watched(grid, asked, std::move(ctas), watch, cancelled);
  size_t boxes = 0;
  for (uint64_t i = 0; i < most && boxes < kMostBoxesTold; ++i) {
    const emulator::Dim3 cta = at(i);
    CtaStores stores = watch.stores_of(
        {static_cast<int>(cta.x), static_cast<int>(cta.y), static_cast<int>(cta.z)});
    result.truncated = result.truncated || stores.boxes.size() >= kMostStoreBoxes;
    boxes += stores.boxes.size();
    result.ctas.push_back(std::move(stores));
  }
}

}  // namespace

StoresResult stores_of(const calls::Stores::Request& asked, const std::atomic<bool>* cancelled) {
  if (!asked.launch.sheet) {
    fail(kUsage, "A launch without a sheet has no buffers of known types; give it a sheet.");
  }
  StoresResult result;
  CtaStores own;
  const uint64_t cost = std::max<uint64_t>(1, tell_chosen(asked, cancelled, result, own));
  const uint64_t affordable = std::max(kLeastCtas, asked.grid_lane_instructions / cost);
  const uint64_t most = std::min({result.of_ctas, asked.most_ctas, affordable});
  if (most > 0) tell_grid(asked, most, cancelled, result);
  const bool has_chosen =
      std::ranges::any_of(result.ctas, [&](const CtaStores& cta) { return cta.cta == asked.cta; });
  if (!has_chosen) result.ctas.push_back(std::move(own));
  return result;
}

}  // namespace tilescope::worker

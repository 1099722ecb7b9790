#include "core/workload/link.h"

#include <algorithm>
#include <iterator>

namespace tilescope::workload {
namespace {

// All-reduce of f32 alone over two H200 with 18 NVLinks between them, NCCL 2.28.9, without
// multicast, one process per card, 2026-11-23: bench/gpu_layers.sh, alone_us of its link_* layers
// and chunks.
struct Point {
  double bytes, us;
};
constexpr Point kMeasured[] = {{16.4e3, 20},   {262e3, 28},    {1.05e6, 28},   {3.15e6, 48},
                               {8.39e6, 57},   {16.8e6, 83},   {33.6e6, 147},  {67.1e6, 262},
                               {121.6e6, 436}, {134.2e6, 490}, {243.3e6, 822}, {268.4e6, 921},
                               {536.9e6, 1730}};
constexpr double kHopUs = 4;  // of a ring, each rank beyond the second

constexpr Link kLinks[] = {
    {"NVLink 4", 1, true}, {"NVLink 3", 600.0 / 900}, {"PCIe 4.0 x16", 0.07}};

/// Of an all-reduce over two, in which each rank sends as many bytes as the matrix has.
double measured_us(double bytes) {
  const Point* last = std::end(kMeasured) - 1;
  if (bytes >= last->bytes) return last->us * bytes / last->bytes;
  const Point* above =
      std::ranges::find_if(kMeasured, [&](const Point& p) { return p.bytes > bytes; });
  if (above == std::begin(kMeasured)) return above->us;
  const Point& below = above[-1];
  const double share = (bytes - below.bytes) / (above->bytes - below.bytes);
  return below.us + share * (above->us - below.us);
}

}  // namespace

const Link& link_of(std::string_view card) {
  const auto has = [card](std::string_view word) { return card.find(word) != card.npos; };
  return kLinks[has("H100") || has("H200") ? 0 : has("A100") ? 1 : 2];
}

double collective_us(const Link& link, StepKind kind, double bytes, int ranks,
                     double dram_gb_per_second) {
  if (ranks < 2) return 0;
  const double sent = bytes * (ranks - 1) / ranks * (kind == StepKind::all_reduce ? 2 : 1);
  // What is slower than the measured link moves as if there were more bytes.
  const double placed = kind == StepKind::all_gather ? 2 * bytes / dram_gb_per_second * 1e-3 : 0;
  return measured_us(sent / link.speed) + kHopUs * (ranks - 2) + placed;
}

}  // namespace tilescope::workload

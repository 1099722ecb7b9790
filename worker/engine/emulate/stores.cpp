#include "worker/engine/emulate/stores.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "core/sheet/argument_spec.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/emulate/launch_matrices.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

/// Of a CTA; a kernel that scatters has more and is told in part.
constexpr size_t kMostStoreBoxes = 256;
/// Elements of the box round a CTA's stores whose threads are told.
constexpr uint64_t kMostThreadsTold = 256 * 256;
/// Loops of a kernel whose insides the first run of a CTA leaves out.
constexpr size_t kLoopsLeftOut = 64;

struct Watched {
  EmulatedLaunch launch;
  LaunchMatrix matrix;
  std::vector<std::byte> before;  // the buffer, as the CTAs until now have left it

  std::span<std::byte> now() { return launch.memory.bytes(matrix.address); }
};

/// An element that nobody can be told from an unwritten one: bits that no arithmetic makes.
void fill_canary(std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{0xff}); }

Watched watched(const calls::Stores::Request& asked) {
  Watched w{prepare_launch(asked.launch), {}, {}};
  const int buffer = buffer_of_argument(w.launch, asked.argument);
  if (buffer < 0) {
    fail(kUsage, "Argument " + std::to_string(asked.argument) +
                     " is no buffer of this launch; name one that the kernel writes.");
  }
  w.matrix = launch_matrices(asked.launch, w.launch).at(static_cast<size_t>(buffer));
  const auto spec =
      sheet::parse_spec(asked.launch.sheet.value().args.at(static_cast<size_t>(asked.argument)));
  // What the kernel reads first must stay as it is.
  if (std::get<sheet::BufferSpec>(spec).direction == sheet::Direction::out) fill_canary(w.now());
  w.before.assign(w.now().begin(), w.now().end());
  return w;
}

emulator::RunResult run_one(Watched& w, const calls::Stores::Request& asked, emulator::Dim3 cta,
                            bool record, bool in_loops, const std::atomic<bool>* cancelled) {
  emulator::RunOptions options;
  options.ctas = {cta};
  options.cancel = cancelled;
  options.max_warp_instructions = warp_instructions_of(asked.bounds.max_lane_instructions);
  if (record) {
    emulator::TraceOptions& trace = options.trace.emplace();
    trace.cta = cta;
    emulator::TraceRanges& ranges = trace.ranges.emplace();
    if (in_loops) {
      ranges.kept = {{0, 0xffffffffu}};
    } else {
      ranges.iterations.emplace(kLoopsLeftOut);
    }
  }
  emulator::RunResult ran = w.launch.run(std::move(options));
  if (ran.fault) fail_with(*ran.fault, *w.launch.program, source_name(asked.launch));
  return ran;
}

/// Columns [first, end) of a row in which something has another value.
using Runs = std::vector<std::pair<int, int>>;

/// The elements that have another value than before, as disjoint boxes: rows with the same runs
/// become one.
CtaStores changed_boxes(Watched& w) {
  CtaStores stores;
  const LaunchMatrix& m = w.matrix;
  const std::span<const std::byte> now = w.now();
  const uint64_t lines = m.by_rows ? m.rows : m.cols, length = m.by_rows ? m.cols : m.rows;
  struct Open {
    Runs runs;
    uint64_t first = 0;
  } open;
  const auto close = [&](uint64_t end) {
    const auto first = static_cast<int>(open.first), lines_of = static_cast<int>(end - open.first);
    for (const auto& [begin, stop] : open.runs) {
      const int along = stop - begin;
      stores.elements += static_cast<uint64_t>(along) * static_cast<uint64_t>(lines_of);
      if (stores.boxes.size() >= kMostStoreBoxes) continue;
      stores.boxes.push_back(m.by_rows ? TouchedBox{0, first, begin, lines_of, along}
                                       : TouchedBox{0, begin, first, along, lines_of});
    }
  };
  for (uint64_t line = 0; line < lines; ++line) {
    const uint64_t at = line * length * m.bytes, bytes = length * m.bytes;
    Runs runs;
    if (at + bytes <= now.size() && std::memcmp(&now[at], &w.before[at], bytes) != 0) {
      for (uint64_t i = 0; i < length; ++i) {
        const uint64_t element = at + i * m.bytes;
        if (std::memcmp(&now[element], &w.before[element], m.bytes) == 0) continue;
        const auto col = static_cast<int>(i);
        if (!runs.empty() && runs.back().second == col) {
          ++runs.back().second;
        } else {
          runs.emplace_back(col, col + 1);
        }
      }
      std::memcpy(&w.before[at], &now[at], bytes);
    }
    if (runs == open.runs) continue;
    close(line);
    open = {std::move(runs), line};
  }
  close(lines);
  return stores;
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

/// Puts into `threads` who stored each element of the box; false: no store was recorded.
bool tell_threads(const Watched& w, const emulator::Trace& trace, const TouchedBox& box,
                  std::vector<int>& threads) {
  bool any = false;
  const int buffer = w.launch.memory.locate(w.matrix.address).buffer;
  for (const emulator::Event& e : trace.events) {
    if (e.kind != emulator::EventKind::store_global || e.address_slot < 0) continue;
    const auto& address = trace.addresses[static_cast<size_t>(e.address_slot)];
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((e.active >> lane & 1) == 0) continue;
      const auto at = w.launch.memory.locate(address[lane]);
      if (at.buffer != buffer) continue;
      any = true;
      for (uint64_t byte = 0; byte < std::max<uint64_t>(e.bytes, 1); byte += w.matrix.bytes) {
        const Coord element = w.matrix.at(at.offset + byte);
        const int row = element.row - box.row, col = element.col - box.col;
        if (row < 0 || col < 0 || row >= box.rows || col >= box.cols) continue;
        threads[static_cast<size_t>(row) * static_cast<size_t>(box.cols) +
                static_cast<size_t>(col)] = static_cast<int>(32u * e.warp + lane);
      }
    }
  }
  return any;
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

/// The chosen CTA, on buffers that no other has written, with its threads.
CtaStores tell_chosen(const calls::Stores::Request& asked, const std::atomic<bool>* cancelled,
                      StoresResult& result) {
  Watched chosen = watched(asked);
  const emulator::Dim3 g = chosen.launch.launch.grid;
  check_chosen(asked.cta, g);
  result.rows = chosen.matrix.rows, result.cols = chosen.matrix.cols;
  result.of_ctas = uint64_t{g.x} * g.y * g.z;
  emulator::RunResult ran = run_one(chosen, asked, dim3(asked.cta), true, false, cancelled);
  CtaStores own = changed_boxes(chosen);
  own.cta = asked.cta;
  result.box = box_round(own.boxes);
  const uint64_t told =
      static_cast<uint64_t>(result.box.rows) * static_cast<uint64_t>(result.box.cols);
  result.truncated = own.boxes.size() >= kMostStoreBoxes || told > kMostThreadsTold;
  if (told == 0 || told > kMostThreadsTold) return own;
  result.threads.assign(static_cast<size_t>(told), -1);
  if (ran.trace && tell_threads(chosen, *ran.trace, result.box, result.threads)) return own;
  // It stores inside of a loop: all of the CTA is recorded.
  chosen = watched(asked);
  ran = run_one(chosen, asked, dim3(asked.cta), true, true, cancelled);
  if (ran.trace) tell_threads(chosen, *ran.trace, result.box, result.threads);
  return own;
}

}  // namespace

StoresResult stores_of(const calls::Stores::Request& asked, const std::atomic<bool>* cancelled) {
  if (!asked.launch.sheet) {
    fail(kUsage, "A launch without a sheet has no buffers of known types; give it a sheet.");
  }
  StoresResult result;
  CtaStores own = tell_chosen(asked, cancelled, result);
  const uint64_t most = std::min(result.of_ctas, asked.most_ctas);
  bool has_chosen = false;
  if (most > 0) {
    Watched grid = watched(asked);
    const emulator::Dim3 g = grid.launch.launch.grid;
    for (uint64_t i = 0; i < most; ++i) {
      const emulator::Dim3 at{static_cast<uint32_t>(i % g.x), static_cast<uint32_t>(i / g.x % g.y),
                              static_cast<uint32_t>(i / g.x / g.y)};
      run_one(grid, asked, at, false, false, cancelled);
      CtaStores stores = changed_boxes(grid);
      stores.cta = {static_cast<int>(at.x), static_cast<int>(at.y), static_cast<int>(at.z)};
      has_chosen = has_chosen || stores.cta == asked.cta;
      result.truncated = result.truncated || stores.boxes.size() >= kMostStoreBoxes;
      result.ctas.push_back(std::move(stores));
    }
  }
  if (!has_chosen) result.ctas.push_back(std::move(own));
  return result;
}

}  // namespace tilescope::worker

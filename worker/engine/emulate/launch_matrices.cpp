#include "worker/engine/emulate/launch_matrices.h"

#include <limits>

#include "core/sheet/argument_spec.h"
#include "core/sheet/check_sheet.h"

namespace tilescope::worker {

Coord LaunchMatrix::at(uint64_t offset) const {
  const uint64_t element = offset / bytes;
  const uint64_t line = by_rows ? cols : rows;
  if (line == 0 || element >= rows * cols) return {-1, -1};
  const auto whole = static_cast<int>(element / line), rest = static_cast<int>(element % line);
  return by_rows ? Coord{whole, rest} : Coord{rest, whole};
}

uint64_t LaunchMatrix::offset_of(Coord at) const {
  const auto row = static_cast<uint64_t>(at.row), col = static_cast<uint64_t>(at.col);
  return (by_rows ? row * cols + col : col * rows + row) * bytes;
}

int buffer_of_argument(const EmulatedLaunch& launch, int argument) {
  const auto i = static_cast<size_t>(argument);
  if (argument < 0 || i >= launch.arguments.size() || launch.arguments[i] == 0) return -1;
  return launch.memory.locate(launch.arguments[i]).buffer;
}

std::vector<LaunchMatrix> launch_matrices(const LaunchRequest& request,
                                          const EmulatedLaunch& launch) {
  std::vector<LaunchMatrix> all;
  for (const uint64_t address : launch.buffers) {
    LaunchMatrix m;
    m.name = launch.memory.name(launch.memory.locate(address).buffer);
    m.address = address;
    m.cols = launch.memory.bytes(address).size();
    all.push_back(std::move(m));
  }
  if (!request.sheet) return all;
  const sheet::LaunchSheet& s = *request.sheet;
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int>::max());
  for (size_t i = 0; i < s.args.size(); ++i) {
    const int buffer = buffer_of_argument(launch, static_cast<int>(i));
    if (buffer < 0) continue;
    const auto spec = std::get<sheet::BufferSpec>(sheet::parse_spec(s.args[i]));
    LaunchMatrix& m = all.at(static_cast<size_t>(buffer));
    if (!spec.type || spec.rows > kMost || spec.cols > kMost) continue;
    m.rows = spec.rows, m.cols = spec.cols, m.bytes = spec.type->bytes;
    if (!s.gemm) continue;
    const int arguments[] = {s.gemm->a, s.gemm->b, s.gemm->c};
    for (int matrix = 0; matrix < 3; ++matrix) {
      if (arguments[matrix] != static_cast<int>(i)) continue;
      const sheet::MatrixShape shape = sheet::matrix_shape(*s.gemm, matrix);
      m.rows = static_cast<uint64_t>(shape.rows), m.cols = static_cast<uint64_t>(shape.cols);
      m.by_rows = shape.by_rows;
    }
  }
  return all;
}

Matrices matrices_of(const LaunchRequest& request, const EmulatedLaunch& launch,
                     const std::vector<LaunchMatrix>& all) {
  Matrices m{.program = *launch.program, .names = {}, .element = {}};
  for (const LaunchMatrix& one : all) m.names.push_back(one.name);
  m.element = [&all](emulator::Origin origin) -> Element {
    if (origin.buffer < 0 || static_cast<size_t>(origin.buffer) >= all.size()) return {};
    const Coord at = all[static_cast<size_t>(origin.buffer)].at(origin.offset);
    if (at.row < 0) return {};
    return {origin.buffer, at};
  };
  if (request.sheet && request.sheet->gemm) {
    m.a = buffer_of_argument(launch, request.sheet->gemm->a);
    m.b = buffer_of_argument(launch, request.sheet->gemm->b);
    m.k = request.sheet->gemm->k;
  }
  return m;
}

}  // namespace tilescope::worker

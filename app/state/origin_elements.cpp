#include "app/state/origin_elements.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/present_launch.h"
#include "core/language/language.h"
#include "core/sheet/argument_spec.h"
#include "core/sheet/sheet_error.h"

namespace tilescope {
namespace {

std::string range_words(int first, int count) {
  return count > 1 ? fmt::format("{}…{}", first, first + count - 1) : fmt::format("{}", first);
}

/// The argument that a buffer of a launch is, in the order of those that have one; and its spec.
struct BufferOfLaunch {
  int argument = -1;
  sheet::BufferSpec spec;
};
std::vector<BufferOfLaunch> buffers_of(const worker::LaunchRequest& launch) {
  std::vector<BufferOfLaunch> all;
  if (!launch.sheet) return all;
  try {
    for (size_t i = 0; i < launch.sheet->args.size(); ++i) {
      const sheet::ArgumentSpec spec = sheet::parse_spec(launch.sheet->args[i]);
      if (const auto* buffer = std::get_if<sheet::BufferSpec>(&spec)) {
        all.push_back({static_cast<int>(i), *buffer});
      }
    }
  } catch (const sheet::SheetError&) {
    all.clear();  // a sheet that was confirmed has none
  }
  return all;
}

/// "A", "B", "C" of a GEMM's arguments; empty: another one.
std::string matrix_name(const worker::LaunchRequest& launch, int argument) {
  if (!launch.sheet || !launch.sheet->gemm) return {};
  const sheet::GemmSheet& gemm = *launch.sheet->gemm;
  return argument == gemm.a ? "A" : argument == gemm.b ? "B" : argument == gemm.c ? "C" : "";
}

OriginElements of_buffer(const worker::LaunchRequest& launch, const BufferOfLaunch& buffer,
                         const worker::TouchedBox& box, const std::string& range) {
  const auto argument = static_cast<size_t>(buffer.argument);
  std::string name = argument < launch.names.size() ? launch.names[argument] : "";
  if (name.empty()) name = wording("argument {}", argument);
  const uint64_t bytes = buffer.spec.type ? buffer.spec.type->bytes : 1;
  const uint64_t element = static_cast<uint64_t>(box.row) * std::max<uint64_t>(1, buffer.spec.cols);
  const uint64_t offset = (element + static_cast<uint64_t>(box.col)) * bytes;
  return {name + range, fmt::format("read:{}+{}:{}", box.matrix, offset, bytes)};
}

}  // namespace

std::vector<OriginElements> origin_elements(const AppState& state,
                                            const worker::OriginResult& origin) {
  constexpr size_t kMost = 6;
  std::vector<OriginElements> all;
  const std::vector<BufferOfLaunch> buffers =
      state.own_launch ? buffers_of(*state.own_launch) : std::vector<BufferOfLaunch>();
  for (const worker::TouchedBox& box : origin.boxes) {
    if (all.size() >= kMost || box.matrix < 0) break;
    const auto number = static_cast<size_t>(box.matrix);
    std::string name;
    if (!state.own_launch) {
      if (number < 3) name = std::string(1, "ABC"[number]);
    } else if (number < buffers.size()) {
      name = matrix_name(*state.own_launch, buffers[number].argument);
    }
    const std::string range =
        fmt::format("[{}, {}]", range_words(box.row, box.rows), range_words(box.col, box.cols));
    if (!name.empty()) {
      all.push_back({name + range, fmt::format("read:{}[{},{}]", name, box.row, box.col)});
    } else if (number < buffers.size()) {
      all.push_back(of_buffer(*state.own_launch, buffers[number], box, range));
    }
  }
  return all;
}

}  // namespace tilescope

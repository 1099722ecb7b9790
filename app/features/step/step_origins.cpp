// Where the values of a stepped run came from, of a rung and of a kernel of one's own.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/features/step/step_words.h"
#include "app/state/present_launch.h"
#include "core/sheet/argument_spec.h"
#include "core/sheet/sheet_error.h"

namespace tilescope {
namespace {

/// A question is of one CTA that ran alone: in a whole grid others may have written what it read.
const emulator::StepState* askable(const AppState& state) {
  const worker::StepAnswer* answer = step_answer(state);
  const bool known = state.derived.kernel || state.own_launch;
  if (!answer || !known || state.of<StepView>().whole_grid) return nullptr;
  return &answer->state;
}

worker::OriginQuestion question_at(const emulator::StepState& s, int warp, uint64_t step) {
  worker::OriginQuestion q;
  q.cta = {static_cast<int>(s.cta.x), static_cast<int>(s.cta.y), static_cast<int>(s.cta.z)};
  q.warp = warp, q.step = step;
  return q;
}

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

OriginElements of_buffer(const worker::StepAnswer& answer, const BufferOfLaunch& buffer,
                         const worker::TouchedBox& box, const std::string& range) {
  const auto number = static_cast<size_t>(box.matrix);
  std::string name = number < answer.buffers.size() ? answer.buffers[number].name : "";
  if (name.empty()) name = fmt::format("buffer {}", number);
  const uint64_t bytes = buffer.spec.type ? buffer.spec.type->bytes : 1;
  const uint64_t element = static_cast<uint64_t>(box.row) * std::max<uint64_t>(1, buffer.spec.cols);
  const uint64_t offset = (element + static_cast<uint64_t>(box.col)) * bytes;
  return {name + range, fmt::format("read:{}+{}:{}", number, offset, bytes)};
}

}  // namespace

std::optional<worker::OriginQuestion> origin_of_register(const AppState& state, int warp,
                                                         const std::string& name, int lane) {
  const emulator::StepState* s = askable(state);
  if (!s || warp < 0 || static_cast<size_t>(warp) >= s->warps.size()) return std::nullopt;
  const emulator::StepWarp& ran = s->warps[static_cast<size_t>(warp)];
  if (ran.ran_step == 0) return std::nullopt;  // step 0 would mean the end of the run
  worker::OriginQuestion q = question_at(*s, warp, ran.ran_step);
  q.what = "register";
  q.name = name, q.lane = lane;
  return q;
}

std::optional<worker::OriginQuestion> origin_of_shared(const AppState& state, int byte) {
  const emulator::StepState* s = askable(state);
  if (!s || byte < 0) return std::nullopt;
  const auto by = s->writers.at(static_cast<uint64_t>(byte));
  if (!by || by->step == 0) return std::nullopt;
  worker::OriginQuestion q = question_at(*s, static_cast<int>(by->warp), by->step);
  q.what = "shared";
  const NumberForm chosen = static_cast<NumberForm>(state.of<StepView>().memory_form);
  q.bytes = shared_form(state, chosen).bytes;
  q.offset = static_cast<uint64_t>(byte);
  return q;
}

std::vector<OriginElements> elements_of(const AppState& state, const worker::OriginResult& origin) {
  constexpr size_t kMost = 6;
  std::vector<OriginElements> all;
  const worker::StepAnswer* answer = step_answer(state);
  if (!answer) return all;
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
      all.push_back(of_buffer(*answer, buffers[number], box, range));
    }
  }
  return all;
}

}  // namespace tilescope

#include "worker/engine/emulate/expected.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>

#include "core/layout/types.h"
#include "core/model/names.h"
#include "core/sheet/argument_spec.h"
#include "core/sheet/sheet_error.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/half.h"
#include "worker/engine/emulate/sheet_buffers.h"
#include "worker/engine/emulate/sheet_launch.h"
#include "worker/engine/emulate/verify.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

using sheet::BufferSpec;

BufferSpec buffer_spec_of(const LaunchRequest& request, int argument) {
  return std::get<BufferSpec>(
      sheet::parse_spec(request.sheet->args.at(static_cast<size_t>(argument))));
}

/// A real number of any type that SPECs have.
double real_at(const sheet::ValueType& type, const std::byte* from, uint64_t index) {
  if (type.bytes == 8) {
    double value;
    std::memcpy(&value, from + index * 8, 8);
    return value;
  }
  return static_cast<double>(
      load_element(model::element_type_named(type.name).value(), from, index));
}

int64_t whole_at(const sheet::ValueType& type, const std::byte* from, uint64_t index) {
  int64_t value = 0;
  std::memcpy(&value, from + index * type.bytes, type.bytes);
  const unsigned unused = 64 - 8 * type.bytes;
  // The sign of a narrower one.
  if (type.kind == sheet::ValueType::Kind::signed_integer && unused > 0) {
    value = static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
  }
  return value;
}

/// Notes the first element that is wrong.
void count_wrong(BufferVerdict& v, uint64_t index, uint64_t cols, double found, double expected) {
  if (v.wrong++ > 0) return;
  v.row = index / std::max<uint64_t>(cols, 1), v.col = index % std::max<uint64_t>(cols, 1);
  v.found = found, v.expected = expected;
}

void compare_reals(const sheet::ValueType& type, const std::byte* found, const std::byte* expected,
                   uint64_t cols, BufferVerdict& v) {
  double square = 0;
  uint64_t numbers = 0;
  for (uint64_t i = 0; i < v.elements; ++i) {
    const double e = real_at(type, expected, i);
    if (std::isfinite(e)) square += e * e, ++numbers;
  }
  const double usual = numbers > 0 ? std::sqrt(square / static_cast<double>(numbers)) : 0;
  for (uint64_t i = 0; i < v.elements; ++i) {
    const double f = real_at(type, found, i), e = real_at(type, expected, i);
    if (f == e || (std::isnan(f) && std::isnan(e))) continue;
    const double size = std::abs(e) + usual;
    const double part = size > 0 ? std::abs(f - e) / size : std::numeric_limits<double>::infinity();
    if (std::isfinite(part)) v.worst = std::max(v.worst, part);
    if (!(part <= v.tolerance)) count_wrong(v, i, cols, f, e);
  }
}

void compare_whole(const BufferSpec& spec, const std::byte* found, const std::byte* expected,
                   uint64_t cols, BufferVerdict& v) {
  static const sheet::ValueType& byte = *sheet::value_type_named("u8");
  const sheet::ValueType& type = spec.type ? *spec.type : byte;
  for (uint64_t i = 0; i < v.elements; ++i) {
    const int64_t f = whole_at(type, found, i), e = whole_at(type, expected, i);
    if (f == e) continue;
    v.worst = std::max(v.worst, std::abs(static_cast<double>(f) - static_cast<double>(e)));
    count_wrong(v, i, cols, static_cast<double>(f), static_cast<double>(e));
  }
}

std::span<const std::byte> bytes_of(EmulatedLaunch& launch, int argument) {
  return launch.memory.bytes(launch.arguments.at(static_cast<size_t>(argument)));
}

}  // namespace

BufferVerdict compare_buffer(const LaunchRequest& request, int argument,
                             std::span<const std::byte> found, std::span<const std::byte> expected,
                             const std::string& against) {
  const BufferSpec spec = buffer_spec_of(request, argument);
  const auto i = static_cast<size_t>(argument);
  BufferVerdict v;
  v.argument = argument;
  v.name = argument_name(request, i);
  v.against = against;
  const uint64_t size = spec.type ? spec.type->bytes : 1;
  v.elements = std::min(found.size(), expected.size()) / size;
  const uint64_t cols = spec.cols > 0 ? spec.cols : v.elements;
  v.tolerance = request.sheet->expect->tolerance.value_or(sheet::usual_tolerance(spec.type));
  if (spec.type && spec.type->is_real()) {
    compare_reals(*spec.type, found.data(), expected.data(), cols, v);
  } else {
    v.tolerance = 0;
    compare_whole(spec, found.data(), expected.data(), cols, v);
  }
  v.ok = v.wrong == 0;
  return v;
}

std::vector<std::byte> read_expected(const LaunchRequest& request, uint64_t bytes,
                                     const sheet::Expectation::File& file) {
  BufferSpec spec = buffer_spec_of(request, file.argument);
  spec.fill = sheet::Fill::file;
  spec.file = file.file;
  if (!spec.type) spec.cols = bytes;
  const SheetBuffer opened =
      open_buffer(spec, "What argument " + std::to_string(file.argument) + " is to be");
  if (opened.bytes != bytes) {
    throw sheet::SheetError("What argument " + std::to_string(file.argument) +
                            " is to be: " + file.file + " holds " + std::to_string(opened.bytes) +
                            " bytes, and the buffer " + std::to_string(bytes) + ".");
  }
  std::vector<std::byte> expected(bytes);
  fill_buffer(spec, opened, static_cast<size_t>(file.argument), request.seed, expected);
  return expected;
}

int compared_with(const LaunchRequest& request, const std::vector<int>& other_args, size_t its) {
  const int argument = other_args.at(its);
  const auto spec = sheet::parse_spec(request.sheet->args.at(static_cast<size_t>(argument)));
  const auto* buffer = std::get_if<BufferSpec>(&spec);
  return buffer && buffer->direction != sheet::Direction::in ? argument : -1;
}

void need_other(const LaunchRequest& request, const std::optional<LaunchRequest>& other) {
  if (other || !request.sheet->expect->kernel) return;
  fail(kUsage, "The sheet expects what " + request.sheet->expect->kernel->entry +
                   " writes, and that kernel was not opened; give its file.");
}

std::string file_name(const sheet::Expectation::File& file) {
  return std::filesystem::path(file.file).filename().string();
}

std::string kernel_name(const LaunchRequest& other) {
  return sheet::demangled(other.sheet->entry).name;
}

ExpectedBuffers::ExpectedBuffers(const RunRequest& request, EmulatedLaunch& launch) {
  const sheet::Expectation& expect = request.launch.sheet->expect.value();
  // Before the run, which may take long: a file that does not fit is said at once.
  for (const auto& file : expect.files) {
    read_expected(request.launch, bytes_of(launch, file.argument).size(), file);
  }
  need_other(request.launch, request.other);
  if (!expect.kernel) return;
  other_.emplace(prepare_launch(*request.other));
  for (size_t i = 0; i < request.other_args.size() && i < other_->arguments.size(); ++i) {
    const uint64_t mine = launch.arguments.at(static_cast<size_t>(request.other_args[i]));
    const uint64_t its = other_->arguments[i];
    if (mine == 0 || its == 0) continue;
    const auto from = launch.memory.bytes(mine);
    const auto to = other_->memory.bytes(its);
    if (from.size() == to.size()) std::memcpy(to.data(), from.data(), to.size());
  }
}

std::vector<BufferVerdict> ExpectedBuffers::verdicts(const RunRequest& request,
                                                     EmulatedLaunch& launch,
                                                     const std::atomic<bool>* cancelled) {
  const sheet::Expectation& expect = request.launch.sheet->expect.value();
  std::vector<BufferVerdict> all;
  for (const auto& file : expect.files) {
    const std::span<const std::byte> found = bytes_of(launch, file.argument);
    all.push_back(compare_buffer(request.launch, file.argument, found,
                                 read_expected(request.launch, found.size(), file),
                                 file_name(file)));
  }
  if (!other_) return all;
  emulator::RunOptions options;
  options.threads = request.threads;
  options.max_warp_instructions = warp_instructions_of(request.max_lane_instructions);
  options.cancel = cancelled;
  const emulator::RunResult ran = other_->run(std::move(options));
  const std::string name = kernel_name(*request.other);
  if (ran.fault) {
    if (ran.fault->kind == emulator::Fault::Kind::cancelled) fail_cancelled();
    fail(kFailed, "The kernel that is to be right, " + name + ", fails: " + ran.fault->message);
  }
  for (size_t i = 0; i < request.other_args.size() && i < other_->arguments.size(); ++i) {
    const int argument = compared_with(request.launch, request.other_args, i);
    const uint64_t its = other_->arguments[i];
    if (argument < 0 || its == 0) continue;
    all.push_back(compare_buffer(request.launch, argument, bytes_of(launch, argument),
                                 other_->memory.bytes(its), name));
  }
  return all;
}

}  // namespace tilescope::worker

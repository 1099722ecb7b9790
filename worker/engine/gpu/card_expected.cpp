#include "worker/engine/gpu/card_expected.h"

#include <variant>

#include "worker/engine/emulate/expected.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

void compare_with_kernel(const Gpu& gpu, const LaunchRequest& launch, const SheetKernel& kernel,
                         const OtherLaunch& other, std::vector<BufferVerdict>& all) {
  const auto program = read_program(other.launch->ptx);
  SheetKernel right(gpu, *other.launch, *program, Code{});
  for (size_t i = 0; i < other.args.size(); ++i) {
    const int mine = other.args[i], its = static_cast<int>(i);
    if (!kernel.is_buffer(mine) || !right.is_buffer(its)) continue;
    const std::vector<std::byte> first = kernel.first(mine);
    if (first.size() == right.first(its).size()) right.write(its, first);
  }
  right.enqueue();
  gpu.synchronize("the kernel that is to be right, " + right.name());
  for (size_t i = 0; i < other.args.size(); ++i) {
    const int argument = compared_with(launch, other.args, i);
    if (argument < 0 || !right.is_buffer(static_cast<int>(i))) continue;
    all.push_back(compare_buffer(launch, argument, kernel.read(argument),
                                 right.read(static_cast<int>(i)), right.name()));
  }
}

}  // namespace

std::vector<BufferVerdict> expected_on_card(const Gpu& gpu, const LaunchRequest& launch,
                                            const SheetKernel& kernel, const OtherLaunch& other) {
  std::vector<BufferVerdict> all;
  if (!launch.sheet->expect) return all;
  need_other(launch, other.launch);
  for (const auto& file : launch.sheet->expect->files) {
    const std::vector<std::byte> found = kernel.read(file.argument);
    all.push_back(compare_buffer(launch, file.argument, found,
                                 read_expected(launch, found.size(), file), file_name(file)));
  }
  if (launch.sheet->expect->kernel) compare_with_kernel(gpu, launch, kernel, other, all);
  return all;
}

std::shared_ptr<const emulator::Program> read_program(const std::string& ptx) {
  auto read = emulator::Program::read(ptx);
  if (auto* program = std::get_if<0>(&read)) return *program;
  const auto& errors = std::get<1>(read);
  fail(kFailed, errors.empty() ? "The PTX could not be read." : errors.front().message);
}

}  // namespace tilescope::worker

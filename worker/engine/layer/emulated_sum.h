// Sums of columns in the emulator, by the kernel's own PTX.
#pragma once
#include <span>
#include <string>

#include "core/layout/column_sum.h"
#include "worker/engine/emulate/emulated_launch.h"

namespace tilescope::worker {

struct EmulateSumOptions {
  std::string arch, kernel_dir;
  int sms = 1, threads = 1;
  const std::atomic<bool>* cancelled = nullptr;
};

/// `from` [rows, cols] dense, of f16 or f32; `to`: floats [cols]. Fails as emulate() does.
void emulate_column_sum(ElementType type, int rows, int cols, std::span<const std::byte> from,
                        std::span<std::byte> to, const EmulateSumOptions& options);

}  // namespace tilescope::worker

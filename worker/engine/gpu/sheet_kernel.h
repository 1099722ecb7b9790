// A kernel of somebody's own on a card, with the buffers that its launch sheet says, filled bit for
// bit as in the emulator.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/emulator.h"
#include "worker/engine/compile/kernel_code.h"
#include "worker/engine/emulate/sheet_launch.h"
#include "worker/engine/gpu/gpu.h"

namespace tilescope::worker {

class SheetKernel {
 public:
  /// `program`: of the request's PTX. Fails with exit code 2 for a sheet that does not fit the
  /// entry or the card, 3 if the buffers do not fit into its memory, 4 for code that it does not
  /// load.
  SheetKernel(const Gpu& gpu, const LaunchRequest& request, const emulator::Program& program,
              const Code& code);
  SheetKernel(const SheetKernel&) = delete;
  SheetKernel& operator=(const SheetKernel&) = delete;

  /// Enqueues that all buffers that the kernel may write hold what they held at first.
  void restore() const;
  void enqueue();

  /// As people call it: "sgemm<128, 8>".
  const std::string& name() const { return name_; }
  int registers() const { return module_.attribute(function_, cuda::kRegisters); }
  int local_bytes() const { return module_.attribute(function_, cuda::kLocalBytes); }
  /// Of an argument that is a buffer.
  cuda::DevicePointer address(int argument) const;
  bool is_buffer(int argument) const;
  /// Puts other bytes, of the buffer's size, into one before a launch.
  void write(int argument, const std::vector<std::byte>& bytes);
  /// What it holds now; nothing may be under way.
  std::vector<std::byte> read(int argument) const;
  /// What it held at first.
  std::vector<std::byte> first(int argument) const;
  /// Whether it may write a buffer other than this argument's (−1: any).
  bool writes_beside(int argument) const;

 private:
  struct Buffer {
    GpuBuffer now;
    GpuBuffer before;      // a copy of what it held at first, if the kernel may write it
    uint64_t bytes = 0;    // without what fills up the last word
    bool written = false;  // the kernel may write it
    uint32_t word = 0;     // where there is no copy: what it was filled with
  };
  void check_limits() const;
  void make_buffers();
  void make(size_t argument);

  const Gpu& gpu_;
  const LaunchRequest& request_;
  const emulator::EntryInfo& entry_;
  SheetArguments arguments_;
  std::string name_;
  GpuModule module_;
  cuda::Function function_;
  GpuLaunch shape_;
  std::vector<Buffer> buffers_;  // by argument
  std::vector<std::byte> block_;
  std::vector<void*> parameters_;  // into `block_`
};

}  // namespace tilescope::worker

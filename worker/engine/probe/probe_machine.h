// What a probe runs on: a GPU or the emulator.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilescope::worker {

class Gpu;

/// Every probe is an entry of five pointers: the table of runs, three inputs, the output. Block r
/// is run r; it takes image runs[r][i] of input i and writes `output_bytes` from r · output_bytes
/// on.
struct ProbeKernel {
  std::string ptx;
  const char* entry = "probe";
  int min_sm = 75;            // compute capability × 10
  bool only_this_sm = false;  // wgmma: sm_90a runs on nothing else
  uint32_t threads = 32;
  size_t output_bytes = 0;  // of a run
};

/// Images of one input, all of the same size.
struct ProbeImages {
  size_t bytes = 0;
  std::vector<std::byte> data;
};
using ProbeInputs = std::array<ProbeImages, 3>;
using ProbeRun = std::array<uint32_t, 3>;

/// A kernel with its inputs, ready to run. Used by one thread.
class ProbeJob {
 public:
  virtual ~ProbeJob() = default;
  /// The outputs, in the order of the runs; bytes that no run wrote are 0xff. Throws RpcError.
  virtual void run(std::span<const ProbeRun> runs, std::vector<std::byte>& output) = 0;
};

/// Thrown where the device has no such instruction: one sentence.
struct Unsupported {
  std::string sentence;
};

/// Used by several threads at once.
class ProbeMachine {
 public:
  virtual ~ProbeMachine() = default;
  virtual std::string device() const = 0;
  virtual std::string driver() const = 0;
  /// How many jobs may run side by side.
  virtual int threads() const = 0;
  /// Throws Unsupported if the kernel's target alone says that it will not run.
  virtual void require(const ProbeKernel& kernel) const = 0;
  /// Throws Unsupported, or RpcError.
  virtual std::unique_ptr<ProbeJob> load(const ProbeKernel& kernel, const ProbeInputs& inputs) = 0;
};

std::unique_ptr<ProbeMachine> emulator_probe_machine();
/// `gpu` must outlive it.
std::unique_ptr<ProbeMachine> gpu_probe_machine(const Gpu& gpu);

/// Runs that may share one launch, so that their output stays small.
constexpr size_t kProbeChunkBytes = size_t{32} << 20;

}  // namespace tilescope::worker

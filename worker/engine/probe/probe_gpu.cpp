// Probes on a GPU: the driver compiles the PTX. Everything goes through the legacy stream, which
// orders copies and kernels without a word; what runs side by side are the driver's compilations.
#include <chrono>
#include <thread>

#include "worker/engine/error.h"
#include "worker/engine/gpu/gpu.h"
#include "worker/engine/parallel.h"
#include "worker/engine/probe/probe_machine.h"

namespace tilescope::worker {
namespace {

// A probe takes microseconds; one that does not end would keep the child from ever answering.
constexpr auto kLongest = std::chrono::seconds(20);
const char* const kProbe = "the probe";

/// A module from PTX; the driver's log says why it refuses one.
class Module {
 public:
  Module(const Gpu& gpu, const std::string& ptx) : gpu_(gpu) {
    constexpr size_t kLog = 4096;
    std::vector<char> log(kLog, '\0');
    int options[] = {cuda::kJitErrorLog, cuda::kJitErrorLogBytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(kLog)};
    const cuda::Result result =
        gpu.driver().call().module_load_with(&module_, ptx.c_str(), 2, options, values);
    if (result == cuda::kSuccess) return;
    log.back() = '\0';
    std::string text = log.data();
    text = text.substr(0, text.find('\n'));
    if (cuda::is_sticky(result) || result == cuda::kOutOfMemory) {
      gpu.driver().check(result, "to load the probe", kProbe);
    }
    throw Unsupported{"The driver, which supports CUDA " + gpu.driver().version() +
                      ", does not compile it for " + gpu.name() + ": " +
                      gpu.driver().name_of(result) + (text.empty() ? "" : " (" + text + ")") +
                      (result == cuda::kUnsupportedPtxVersion ? "; update the driver." : ".")};
  }
  ~Module() {
    if (module_) gpu_.driver().call().module_unload(module_);
  }
  Module(const Module&) = delete;
  cuda::Function function(const char* entry) const {
    cuda::Function function = nullptr;
    gpu_.driver().check(gpu_.driver().call().module_function(&function, module_, entry),
                        "to find the probe's entry");
    return function;
  }

 private:
  const Gpu& gpu_;
  cuda::Module module_ = nullptr;
};

class GpuJob : public ProbeJob {
 public:
  GpuJob(const Gpu& gpu, const ProbeKernel& kernel, const ProbeInputs& inputs)
      : gpu_(gpu),
        module_(gpu, kernel.ptx),
        function_(module_.function(kernel.entry)),
        threads_(kernel.threads),
        output_bytes_(kernel.output_bytes) {
    gpu.driver().check(gpu.driver().call().event_create(&done_, 0), "to make an event");
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<std::byte>& data = inputs[i].data;
      inputs_[i] = GpuBuffer(gpu, std::max<size_t>(data.size(), 16));
      if (!data.empty()) write(inputs_[i], data.data(), data.size());
    }
  }

  ~GpuJob() override {
    if (done_) gpu_.driver().call().event_destroy(done_);
  }

  void run(std::span<const ProbeRun> runs, std::vector<std::byte>& output) override {
    const CudaDriver& driver = gpu_.driver();
    output.resize(runs.size() * output_bytes_);
    if (runs.size() > room_) {
      room_ = runs.size();
      runs_ = GpuBuffer(gpu_, room_ * sizeof(ProbeRun));
      output_ = GpuBuffer(gpu_, room_ * output_bytes_);
    }
    write(runs_, runs.data(), runs.size_bytes());
    driver.check(driver.call().set_words(output_.address(), ~0u, output.size() / 4, nullptr),
                 "to clear memory");
    std::array<cuda::DevicePointer, 5> pointers{runs_.address(), inputs_[0].address(),
                                                inputs_[1].address(), inputs_[2].address(),
                                                output_.address()};
    void* parameters[5];
    for (size_t i = 0; i < pointers.size(); ++i) parameters[i] = &pointers[i];
    driver.check(driver.call().launch(function_, static_cast<unsigned>(runs.size()), 1, 1, threads_,
                                      1, 1, 0, nullptr, parameters, nullptr),
                 "to launch the probe", kProbe);
    wait();
    output_.read(output.data(), output.size());
  }

 private:
  void write(const GpuBuffer& to, const void* from, size_t bytes) const {
    gpu_.driver().check(gpu_.driver().call().copy_to_device(to.address(), from, bytes),
                        "to copy to the GPU");
  }
  void wait() const {
    const CudaDriver& driver = gpu_.driver();
    driver.check(driver.call().event_record(done_, nullptr), "to record an event", kProbe);
    const auto until = std::chrono::steady_clock::now() + kLongest;
    for (cuda::Result result; (result = driver.call().event_query(done_)) != cuda::kSuccess;) {
      if (result != cuda::kNotReady) driver.check(result, "to wait for the GPU", kProbe);
      if (std::chrono::steady_clock::now() > until) {
        fail(kFailed, "The probe did not end within 20 s; it was given up.", {{"fatal", true}});
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  const Gpu& gpu_;
  Module module_;
  cuda::Function function_;
  uint32_t threads_;
  size_t output_bytes_;
  std::array<GpuBuffer, 3> inputs_;
  GpuBuffer runs_, output_;
  cuda::Event done_ = nullptr;
  size_t room_ = 0;
};

class GpuMachine : public ProbeMachine {
 public:
  explicit GpuMachine(const Gpu& gpu) : gpu_(gpu) {}
  std::string device() const override { return gpu_.name(); }
  std::string driver() const override { return gpu_.driver().version(); }
  int threads() const override { return std::min(host_threads(), 16); }
  void require(const ProbeKernel& kernel) const override {
    const int sm = gpu_.limits().sm;
    const auto dotted = [](int n) { return std::to_string(n / 10) + "." + std::to_string(n % 10); };
    if (sm < kernel.min_sm || (kernel.only_this_sm && sm != kernel.min_sm)) {
      throw Unsupported{std::string(kernel.only_this_sm ? "wgmma" : "It") +
                        " needs a GPU of compute capability " + dotted(kernel.min_sm) +
                        (kernel.only_this_sm ? "" : " or later") + "; " + gpu_.name() + " has " +
                        dotted(sm) + "."};
    }
  }
  std::unique_ptr<ProbeJob> load(const ProbeKernel& kernel, const ProbeInputs& inputs) override {
    require(kernel);
    gpu_.use();
    return std::make_unique<GpuJob>(gpu_, kernel, inputs);
  }

 private:
  const Gpu& gpu_;
};

}  // namespace

std::unique_ptr<ProbeMachine> gpu_probe_machine(const Gpu& gpu) {
  return std::make_unique<GpuMachine>(gpu);
}

}  // namespace tilescope::worker

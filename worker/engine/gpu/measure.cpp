#include "worker/engine/gpu/measure.h"

#include <chrono>
#include <ctime>

#include "kernels/common/args.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/verify.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/statistics.h"

namespace tilescope::worker {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

/// The kernel, loaded and ready to be launched on the problem.
class Kernel {
 public:
  Kernel(const Gpu& gpu, const GpuProblem& problem, const KernelRequest& request,
         const KernelEntry& kernel, const Code& code)
      : gpu_(gpu),
        name_(request.kernel),
        module_(gpu, code.cubin, code.ptx, "NVRTC for " + code.compiled.arch),
        function_(module_.function(kEntryName)) {
    const Problem& p = request.problem;
    const KernelPlan plan = plan_of(request, kernel);
    const Launch launch = launch_of(plan);
    shape_ = {.grid_x = static_cast<unsigned>(launch.grid_x),
              .grid_y = static_cast<unsigned>(launch.grid_y),
              .grid_z = static_cast<unsigned>(launch.grid_z),
              .threads = static_cast<unsigned>(launch.threads),
              .shared_bytes = static_cast<unsigned>(launch.shared_bytes)};
    constexpr int kWithoutAsking = 48 << 10;  // more dynamic shared memory must be asked for
    if (launch.shared_bytes > kWithoutAsking) {
      gpu.driver().check(
          gpu.driver().call().set_function_attribute(function_, cuda::kMaxDynamicSharedBytes,
                                                     launch.shared_bytes),
          "to reserve " + std::to_string(launch.shared_bytes) + " B of shared memory", name_);
    }
    if (launch.workspace_bytes > 0) {
      const auto bytes = static_cast<size_t>(launch.workspace_bytes);
      const auto free = static_cast<double>(gpu.free_bytes());
      if (static_cast<double>(bytes) > free) {
        fail(kMissing, memory_sentence(gpu.name(), static_cast<double>(bytes), free));
      }
      workspace_ = GpuBuffer(gpu, bytes);
      // Kernels leave its counters at zero.
      gpu.driver().check(
          gpu.driver().call().set_words(workspace_.address(), 0, bytes / 4, gpu.stream()),
          "to clear the workspace", name_);
    }
    args_ = make_args(
        p,
        {.a = problem.a(), .b = problem.b(), .c = problem.c(), .workspace = workspace_.address()});
    if (kernel.more_args) more_ = kernel.more_args(plan, p);
  }
  void enqueue() {
    void* parameters[] = {&args_, more_.data};  // as many as the kernel has are read
    launch(gpu_, function_, shape_, parameters, name_);
  }
  int registers() const { return module_.attribute(function_, cuda::kRegisters); }
  int local_bytes() const { return module_.attribute(function_, cuda::kLocalBytes); }
  const std::string& name() const { return name_; }

 private:
  const Gpu& gpu_;
  std::string name_;
  GpuModule module_;
  cuda::Function function_;
  GpuLaunch shape_;
  GpuBuffer workspace_;
  GemmArgs args_{};
  MoreArgs more_;
};

/// Takes samples of one thing; hot if several launches are needed for one.
class Sampler {
 public:
  Sampler(const Gpu& gpu, const GpuProblem& problem, std::string name,
          std::function<void()> enqueue)
      : gpu_(gpu),
        problem_(problem),
        name_(std::move(name)),
        enqueue_(std::move(enqueue)),
        start_(gpu),
        end_(gpu) {
    enqueue_();  // the first launch loads code; not counted
    take(1, false);
    launches_ = launches_per_sample(take(1, false));
  }
  bool cold() const { return launches_ == 1; }
  int launches() const { return launches_; }
  double sample() { return take(launches_, cold()); }

 private:
  double take(int launches, bool flush) {
    if (flush) problem_.flush_l2();
    start_.record();
    for (int i = 0; i < launches; ++i) enqueue_();
    end_.record();
    end_.wait(name_);
    return end_.microseconds_since(start_) / launches;
  }

  const Gpu& gpu_;
  const GpuProblem& problem_;
  std::string name_;
  std::function<void()> enqueue_;
  GpuEvent start_, end_;
  int launches_ = 1;
};

void check_cancelled(const MeasureOptions& options) {
  if (options.cancelled && options.cancelled->load()) fail_cancelled();
}

/// A, B, A, B …: drift of the clock meets both alike.
void take_samples(GpuSession& session, const Problem& p, Sampler& ours, Sampler* library,
                  const MeasureOptions& options, MeasureResult& result) {
  using Clock = std::chrono::steady_clock;
  const StoppingRule rule(options.seconds);
  const Clock::time_point begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::vector<Sample> samples, library_samples;
  std::vector<double> clocks, powers;
  unsigned long long throttle = 0;
  double told = 0;
  result.cold = ours.cold();

  const auto update = [&] {
    const std::vector<double> times = usable_times(samples);
    const double time = median(times);
    if (time > 0) {
      result.time_us = time;
      result.tflops = flops(p) / time * 1e-6;
      result.spread = spread(times);
    }
    const double library_time = median(usable_times(library_samples));
    if (library_time > 0) result.library_tflops = flops(p) / library_time * 1e-6;
    result.samples = static_cast<int>(times.size());
    result.samples_planned = rule.planned(times);
    if (!clocks.empty()) result.clock_mhz = median(clocks);
    if (!powers.empty()) result.power_w = median(powers);
    result.throttle = throttle_text(throttle);
    return times;
  };

  for (;;) {
    check_cancelled(options);
    Sample sample;
    sample.us = ours.sample();
    if (const Nvml* nvml = session.nvml()) {
      sample.clock_mhz = nvml->sm_clock_mhz().value_or(0);
      if (sample.clock_mhz > 0) clocks.push_back(sample.clock_mhz);
      if (const auto power = nvml->power_w()) powers.push_back(*power);
      throttle |= nvml->throttle_reasons();
    }
    samples.push_back(sample);
    if (library) library_samples.push_back({library->sample(), sample.clock_mhz});
    const std::vector<double> times = update();
    const double now = seconds();
    const bool enough =
        rule.enough(times, now) || static_cast<int>(samples.size()) >= StoppingRule::kMost;
    // Early: a first figure after ten samples, then about ten a second.
    if (options.progress && !enough &&
        (samples.size() == StoppingRule::kFewest || now - told > 0.1) &&
        samples.size() >= StoppingRule::kFewest) {
      told = now;
      options.progress(result);
    }
    if (enough) return;
  }
}

}  // namespace

MeasureResult measure(GpuSession& session, const KernelRequest& asked, const KernelEntry& kernel,
                      const Code& code, const MeasureOptions& options) {
  const Gpu& gpu = session.gpu();
  KernelRequest request = asked;
  request.sms = gpu.limits().sm_count;  // whatever card it was made for
  MeasureResult result;
  result.device = "cuda:" + std::to_string(options.ordinal);
  result.device_name = gpu.name();
  result.driver = session.nvml() && !session.nvml()->driver_version().empty()
                      ? session.nvml()->driver_version()
                      : "CUDA " + gpu.driver().version();
  result.date = today();
  result.standing = "measured";
  result.compile_ms = code.compiled.compile_ms;

  session.set_time_limit(0);  // our own kernels end
  GpuProblem& problem = session.problem(request.problem);
  session.set_time_limit(options.time_limit);
  check_cancelled(options);
  Kernel ours(gpu, problem, request, kernel, code);
  result.registers = ours.registers();
  result.spill_bytes = ours.local_bytes();

  problem.reset_c();
  ours.enqueue();
  gpu.synchronize(ours.name());
  const bool tensor_cores = plan_of(request, kernel).math() == Math::mma;
  result.verified = problem.verify(tolerance_of(request.problem, tensor_cores));
  if (!result.verified->ok || options.only_verify) {
    result.final = true;
    return result;
  }

  const CublasLt* library = options.library ? session.library() : nullptr;
  if (options.library && !library && options.remark) {
    options.remark("Not compared with a library: " + session.why_no_library());
  }
  if (!session.nvml() && options.remark) {
    options.remark(
        "Clock and power are unknown: NVML, which comes with NVIDIA's driver, does not answer for "
        "this card.");
  }
  check_cancelled(options);
  Sampler our_sampler(gpu, problem, ours.name(), [&] { ours.enqueue(); });
  std::optional<Sampler> library_sampler;
  if (library) {
    result.library = library->name();
    library_sampler.emplace(gpu, problem, "cuBLASLt", [&] {
      library->run(session.library_candidate(), problem.a(), problem.b(), problem.c(),
                   problem.workspace(), gpu.stream());
    });
  }
  take_samples(session, request.problem, our_sampler, library_sampler ? &*library_sampler : nullptr,
               options, result);
  result.final = true;
  return result;
}

}  // namespace tilescope::worker

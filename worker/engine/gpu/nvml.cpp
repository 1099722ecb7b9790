#include "worker/engine/gpu/nvml.h"

#if TILESCOPE_HAVE_NVML_H
#include <nvml.h>
static_assert(sizeof(nvmlReturn_t) == sizeof(int) && sizeof(nvmlDevice_t) == sizeof(void*));
static_assert(NVML_CLOCK_SM == 1);
static_assert(nvmlClocksThrottleReasonSwPowerCap == 0x4 &&
              nvmlClocksThrottleReasonHwSlowdown == 0x8);
#endif

namespace tilescope::worker {

std::unique_ptr<Nvml> Nvml::open(const std::string& pci_bus_id) {
  auto nvml = std::make_unique<Nvml>();
  nvml->library_ = SharedLibrary::open({"libnvidia-ml.so.1", "libnvidia-ml.so"});
  if (!nvml->library_) return nullptr;
  Functions& f = nvml->functions_;
  const SharedLibrary& from = *nvml->library_;
  const bool loaded = from.load(f.init, "nvmlInit_v2") &&
                      from.load(f.handle_by_pci, "nvmlDeviceGetHandleByPciBusId_v2") &&
                      from.load(f.driver_version, "nvmlSystemGetDriverVersion") &&
                      from.load(f.clock, "nvmlDeviceGetClockInfo") &&
                      from.load(f.power, "nvmlDeviceGetPowerUsage") &&
                      from.load(f.throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (!loaded || f.init() != 0 || f.handle_by_pci(pci_bus_id.c_str(), &nvml->device_) != 0) {
    return nullptr;
  }
  char text[96] = {};
  if (f.driver_version(text, sizeof text - 1) == 0) nvml->driver_version_ = text;
  return nvml;
}

std::optional<double> Nvml::sm_clock_mhz() const {
  constexpr int kSmClock = 1;
  unsigned mhz = 0;
  if (functions_.clock(device_, kSmClock, &mhz) != 0 || mhz == 0) return std::nullopt;
  return mhz;
}

std::optional<double> Nvml::power_w() const {
  unsigned milliwatts = 0;
  if (functions_.power(device_, &milliwatts) != 0) return std::nullopt;
  return milliwatts / 1000.0;
}

unsigned long long Nvml::throttle_reasons() const {
  unsigned long long reasons = 0;
  return functions_.throttle(device_, &reasons) == 0 ? reasons : 0;
}

std::string throttle_text(unsigned long long reasons) {
  constexpr struct {
    unsigned long long bit;
    const char* text;
  } kReasons[] = {{0x4, "power cap"}, {0x8, "hardware slowdown"}, {0x10, "sync boost"},
                  {0x20, "thermal"},  {0x40, "thermal"},          {0x80, "power brake"}};
  std::string text;
  for (const auto& reason : kReasons) {
    if ((reasons & reason.bit) == 0 || text.find(reason.text) != text.npos) continue;
    text += (text.empty() ? "" : ", ") + std::string(reason.text);
  }
  return text;
}

}  // namespace tilescope::worker

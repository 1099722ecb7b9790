// Clock, power and throttling beside the samples, from NVML opened at run time. Reads only.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "worker/engine/shared_library.h"

namespace tilescope::worker {

class Nvml {
 public:
  /// Null if the library or the card cannot be asked: figures then stay unknown.
  static std::unique_ptr<Nvml> open(const std::string& pci_bus_id);

  std::optional<double> sm_clock_mhz() const;
  std::optional<double> power_w() const;
  unsigned long long throttle_reasons() const;  // 0 if none or unknown
  const std::string& driver_version() const { return driver_version_; }

 private:
  struct Functions {
    int (*init)();
    int (*handle_by_pci)(const char*, void**);
    int (*driver_version)(char*, unsigned);
    int (*clock)(void*, int, unsigned*);
    int (*power)(void*, unsigned*);
    int (*throttle)(void*, unsigned long long*);
  };
  std::unique_ptr<SharedLibrary> library_;
  Functions functions_{};
  void* device_ = nullptr;
  std::string driver_version_;
};

/// "power cap, thermal": what slowed the card; idle and the user's own settings do not count.
std::string throttle_text(unsigned long long reasons);

}  // namespace tilescope::worker

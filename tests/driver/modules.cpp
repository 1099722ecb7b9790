// Modules: PTX alone, since the emulator executes no machine code; functions and what they need.
#include <cstdio>
#include <cstring>

#include "tests/driver/emulated_device.h"

namespace tilescope::emulated_driver {
namespace {

/// Where a caller wants to read why its PTX was refused.
struct Log {
  char* text = nullptr;
  size_t bytes = 0;
  Log(unsigned count, const int* options, void** values) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == cuda::kJitErrorLog) text = static_cast<char*>(values[i]);
      if (options[i] == cuda::kJitErrorLogBytes) bytes = reinterpret_cast<size_t>(values[i]);
    }
  }
  void say(const std::string& words) const {
    if (text && bytes > 0) std::snprintf(text, bytes, "%s", words.c_str());
  }
};

/// What follows `word` on its line; empty if there is no such line.
std::string after(const std::string& ptx, const char* word) {
  const size_t at = ptx.find(word);
  if (at == ptx.npos) return {};
  const size_t begin = ptx.find_first_not_of(" \t", at + std::strlen(word));
  return ptx.substr(begin, ptx.find_first_of(" \t\r\n,", begin) - begin);
}

/// PTX x.y came with CUDA (x + 4).y, from x = 6 on and near enough.
bool is_known_version(const std::string& version, int driver_version) {
  int major = 0, minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2) return false;
  return (major + 4) * 1000 + minor * 10 <= driver_version;
}

/// "sm_90" runs on 9.0 and later, "sm_90a" on 9.0 alone.
bool runs_on(const std::string& target, int sm) {
  int number = 0;
  char suffix = '\0';
  const int read = std::sscanf(target.c_str(), "sm_%d%c", &number, &suffix);
  return read == 2 ? number == sm : read == 1 && number <= sm;
}

Result load(Device& device, cuda::Module* module, const char* image, const Log& log) {
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    log.say("the emulated GPU takes PTX alone");
    leave_mark("refused-cubin");
    return cuda::kNoBinaryForGpu;
  }
  auto loaded = std::make_shared<LoadedModule>();
  loaded->ptx = image;
  const std::string version = after(loaded->ptx, ".version"),
                    target = after(loaded->ptx, ".target");
  if (!is_known_version(version, driver().version)) {
    log.say("Unsupported .version " + version);
    return cuda::kUnsupportedPtxVersion;
  }
  if (!runs_on(target, device.sm)) {
    log.say("PTX for " + target + " does not run on this device");
    return cuda::kNoBinaryForGpu;
  }
  auto parsed = emulator::Program::parse(loaded->ptx);
  if (const auto* errors = std::get_if<1>(&parsed)) {
    log.say(errors->front().message);
    return cuda::kInvalidPtx;
  }
  loaded->program = std::get<0>(parsed);
  *module = static_cast<cuda::Module>(device.modules.add(std::move(loaded)));
  return cuda::kSuccess;
}

}  // namespace
}  // namespace tilescope::emulated_driver

extern "C" {

using namespace tilescope::emulated_driver;
namespace emulator = tilescope::emulator;

Result cuModuleLoadDataEx(cuda::Module* module, const void* image, unsigned count, int* options,
                          void** values) {
  return on_current(Call::load, [&](Device& device) {
    return load(device, module, static_cast<const char*>(image), Log(count, options, values));
  });
}
Result cuModuleLoadData(cuda::Module* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
Result cuModuleUnload(cuda::Module module) {
  return on_current([&](Device& device) -> Result {
    device.wait_for_all();  // as the real one does: a kernel of it may still run
    device.functions.remove_if([&](const LoadedFunction& f) { return f.module_handle == module; });
    return device.modules.remove(module) ? Result{cuda::kSuccess} : Result{kInvalidHandle};
  });
}
Result cuModuleGetFunction(cuda::Function* function, cuda::Module module, const char* name) {
  return on_current([&](Device& device) -> Result {
    const auto loaded = device.modules.find(module);
    if (!loaded) return kInvalidHandle;
    const emulator::EntryInfo* entry = loaded->program->find(name);
    if (!entry) return kNotFound;
    auto found = std::make_shared<LoadedFunction>(LoadedFunction{loaded, module, *entry});
    *function = static_cast<cuda::Function>(device.functions.add(std::move(found)));
    return cuda::kSuccess;
  });
}
Result cuFuncGetAttribute(int* value, int attribute, cuda::Function function) {
  return on_current([&](Device& device) -> Result {
    const auto found = device.functions.find(function);
    if (!found) return kInvalidHandle;
    switch (attribute) {
      case cuda::kMostThreadsOfFunction:
        *value = static_cast<int>(found->entry.max_threads ? found->entry.max_threads : 1024);
        return cuda::kSuccess;
      case cuda::kStaticSharedBytes:
        return *value = static_cast<int>(found->entry.static_shared_bytes), cuda::kSuccess;
      case cuda::kRegisters:  // PTX has as many as it likes; a thread has 255 at most
        *value = static_cast<int>(std::min(found->entry.virtual_registers, 255u));
        return cuda::kSuccess;
      case cuda::kLocalBytes:
        return *value = 0, cuda::kSuccess;
      case cuda::kMaxDynamicSharedBytes:
        return *value = static_cast<int>(found->dynamic_shared_limit), cuda::kSuccess;
      default:
        return cuda::kInvalidValue;
    }
  });
}
Result cuFuncSetAttribute(cuda::Function function, int attribute, int value) {
  return on_current([&](Device& device) -> Result {
    const auto found = device.functions.find(function);
    if (!found) return kInvalidHandle;
    const int own = static_cast<int>(found->entry.static_shared_bytes);
    if (attribute != cuda::kMaxDynamicSharedBytes || value < 0 || value > kMostSharedBytes - own) {
      return cuda::kInvalidValue;
    }
    found->dynamic_shared_limit = static_cast<uint32_t>(value);
    return cuda::kSuccess;
  });
}

}  // extern "C"

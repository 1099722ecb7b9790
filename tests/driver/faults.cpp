#include "tests/driver/faults.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

namespace tilescope::emulated_driver {
namespace {

constexpr std::pair<const char*, Result> kKernelFaults[] = {
    {"illegal_address", cuda::kIllegalAddress},
    {"misaligned_address", cuda::kMisalignedAddress},
    {"illegal_instruction", cuda::kIllegalInstruction},
    {"assert", cuda::kAssert},
    {"launch_failed", cuda::kLaunchFailed},
    {"ecc", cuda::kEccUncorrectable}};

bool is_known(const std::string& kind) {
  for (const auto& [name, result] : kKernelFaults) {
    if (kind == name) return true;
  }
  for (const char* name : {"hang", "out_of_memory", "out_of_memory_above", "lost", "no_device",
                           "init", "init_hangs"}) {
    if (kind == name) return true;
  }
  return false;
}

constexpr std::string_view kCallNames[kCalls] = {"launch", "copy", "query", "synchronize", "load"};

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// "[CALL:]N[:RESULT]"; nothing if it is none.
std::optional<Loss> read_loss(const std::string& argument) {
  Loss loss;
  std::istringstream words(argument);
  std::string word;
  std::getline(words, word, ':');
  if (const auto* named = std::ranges::find(kCallNames, word); named != std::end(kCallNames)) {
    loss.call = static_cast<Call>(named - kCallNames);
    word.clear();
    std::getline(words, word, ':');
  }
  if (!is_number(word)) return std::nullopt;
  loss.after = std::strtoull(word.c_str(), nullptr, 10);
  if (std::getline(words, word)) {
    if (!is_number(word)) return std::nullopt;
    loss.result = std::atoi(word.c_str());
  }
  return loss;
}

bool is_meant(const FaultWish& wish, int device) {
  return wish.device < 0 || wish.device == device;
}

bool names(const std::string& text, const emulator::Program& program, const std::string& ptx,
           const std::string& entry) {
  if (program.find(text)) return entry == text;
  return !text.empty() && ptx.find(text) != ptx.npos;
}

std::filesystem::path mark(const std::string& name) {
  const std::string folder = text_of_environment("TILESCOPE_EMULATED_STATE", "");
  return folder.empty() ? std::filesystem::path() : std::filesystem::path(folder) / name;
}

}  // namespace

std::string text_of_environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

uint64_t number_of_environment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? std::strtoull(value, nullptr, 10) : otherwise;
}

Faults Faults::read() {
  Faults faults;
  std::istringstream list(text_of_environment("TILESCOPE_EMULATED_FAULT", ""));
  for (std::string text; std::getline(list, text, ',');) {
    FaultWish wish;
    const size_t colon = text.find(':');
    if (colon != text.npos) wish.argument = text.substr(colon + 1);
    wish.kind = text.substr(0, colon);
    if (const size_t at = wish.kind.find('@'); at != text.npos) {
      wish.device = std::atoi(wish.kind.c_str() + at + 1);
      wish.kind.resize(at);
    }
    bool known = is_known(wish.kind);
    if (wish.kind == "lost") {
      const std::optional<Loss> loss = read_loss(wish.argument);
      known = loss.has_value();
      wish.loss = loss.value_or(Loss{});
    }
    if (!known) {
      // A test that asks for nothing must not pass for one that asked for a fault.
      std::fprintf(stderr, "TILESCOPE_EMULATED_FAULT: there is no fault \"%s\"\n", text.c_str());
      faults.understood_ = false;
    }
    faults.wishes_.push_back(wish);
  }
  return faults;
}

Result Faults::of_init() const {
  for (const FaultWish& wish : wishes_) {
    if (wish.kind == "no_device") return cuda::kNoDevice;
    if (wish.kind == "init") return std::atoi(wish.argument.c_str());
    // As a driver does that has lost its card: only the end of the process ends it.
    while (wish.kind == "init_hangs") pause();
  }
  return cuda::kSuccess;
}

bool Faults::fails_to_allocate(int device, uint64_t number, uint64_t bytes) const {
  for (const FaultWish& wish : wishes_) {
    const uint64_t limit = std::strtoull(wish.argument.c_str(), nullptr, 10);
    if (!is_meant(wish, device)) continue;
    if (wish.kind == "out_of_memory" && number == limit) return true;
    if (wish.kind == "out_of_memory_above" && bytes > limit) return true;
  }
  return false;
}

std::optional<Loss> Faults::loss_amid(int device, Call call) const {
  for (const FaultWish& wish : wishes_) {
    if (wish.kind == "lost" && wish.loss.call == call && is_meant(wish, device)) return wish.loss;
  }
  return std::nullopt;
}

bool Faults::hangs(int device, const emulator::Program& program, const std::string& ptx,
                   const std::string& entry) const {
  for (const FaultWish& wish : wishes_) {
    if (wish.kind == "hang" && is_meant(wish, device) &&
        names(wish.argument, program, ptx, entry)) {
      return true;
    }
  }
  return false;
}

Result Faults::of_kernel(int device, const emulator::Program& program, const std::string& ptx,
                         const std::string& entry) const {
  for (const FaultWish& wish : wishes_) {
    if (!is_meant(wish, device) || !names(wish.argument, program, ptx, entry)) continue;
    for (const auto& [name, result] : kKernelFaults) {
      if (wish.kind == name) return result;
    }
  }
  return cuda::kSuccess;
}

Result result_of(const emulator::RunResult& ran) {
  using Kind = emulator::Fault::Kind;
  if (!ran.fault) return cuda::kSuccess;
  switch (ran.fault->kind) {
    case Kind::out_of_bounds:
    case Kind::read_only:
      return cuda::kIllegalAddress;
    case Kind::misaligned:
      return cuda::kMisalignedAddress;
    case Kind::trap:  // an assertion prints before it traps
      return ran.output.find("Assertion `") != ran.output.npos ? cuda::kAssert
                                                               : cuda::kLaunchFailed;
    case Kind::partial_warp:
    case Kind::unsupported:
      return cuda::kIllegalInstruction;
    default:
      return cuda::kLaunchFailed;
  }
}

void leave_mark(const std::string& name, const std::string& text) {
  if (const auto file = mark(name); !file.empty()) std::ofstream(file) << text << '\n';
}

bool has_mark(const std::string& name) {
  const auto file = mark(name);
  return !file.empty() && std::filesystem::exists(file);
}

std::string text_of_mark(const std::string& name) {
  std::ifstream file(mark(name));
  std::string text;
  std::getline(file, text);
  return text;
}

}  // namespace tilescope::emulated_driver

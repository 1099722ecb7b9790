// Runs tilescope-cli and reads what it says.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilescope {

struct CliResult {
  int code = -1;
  std::string out, err;
  nlohmann::json json() const;  // of out; a discarded value if it is no document
};

CliResult run_cli(const std::vector<std::string>& arguments);

/// Names of an object's members, in order of the alphabet.
std::vector<std::string> keys(const nlohmann::json& object);

/// Without their ends.
std::vector<std::string> lines_of(const std::string& text);

/// The array of `kernels --json`: every kernel that the program has, that of tests/fixtures too.
nlohmann::json kernels_listed();

/// True where the emulator's commands can run: NVRTC is there. Asked once.
bool can_compile();
/// Stands first in a test that compiles.
#define TILESCOPE_NEED_NVRTC() \
  if (!can_compile()) GTEST_SKIP() << "needs NVRTC"

/// Sanitizers reserve terabytes, so processes are not limited under them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TILESCOPE_NEED_MEMORY_LIMIT() GTEST_SKIP() << "no process is limited under a sanitizer"
#else
#define TILESCOPE_NEED_MEMORY_LIMIT() static_cast<void>(0)
#endif

/// A folder of this process's own, removed at its end.
std::string scratch_folder();

}  // namespace tilescope

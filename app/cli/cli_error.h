// How a command fails: one sentence with the value, the limit and the way out, and an exit code.
#pragma once
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace tilescope::cli {

// Exit codes of docs/cli.md.
constexpr int kOk = 0;
constexpr int kCheckFailed = 1;  // done, and wrong
constexpr int kBadUsage = 2;     // usage, illegal tile, unreadable input
constexpr int kMissing = 3;      // device, library or display
constexpr int kFailed = 4;       // kernel, compiler or worker

class CliError : public std::runtime_error {
 public:
  /// `details`: an object whose members join "code" and "message" in --json.
  CliError(int exit_code, const std::string& message, nlohmann::ordered_json details = {})
      : std::runtime_error(message), exit_code_(exit_code), details_(std::move(details)) {}
  int exit_code() const { return exit_code_; }
  const nlohmann::ordered_json& details() const { return details_; }

 private:
  int exit_code_;
  nlohmann::ordered_json details_;
};

/// A sentence as a part of another one: the command line ends its own without a stop.
inline std::string clause(std::string sentence) {
  while (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

/// What was typed cannot be done: the sentence says why.
[[noreturn]] inline void bad(const std::string& message) { throw CliError(kBadUsage, message); }

}  // namespace tilescope::cli

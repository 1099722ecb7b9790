// What these tests share: the emulated driver for the processes that a test starts, kernels that
// are wrong on purpose, and what the command line says.
#pragma once
#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/run_cli.h"
#include "tests/worker_process/helpers.h"

namespace tilescope {

/// Names the emulated driver in the environment for as long as it lives; a test has one.
class Card {
 public:
  using Variables = std::initializer_list<std::pair<const char*, const char*>>;
  Card() : Card(Variables{}) {}
  /// `more`: TILESCOPE_EMULATED_…
  Card(Variables more);
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  /// Where the driver leaves its marks: "lost-1", "hanging-PID".
  const std::filesystem::path& state() const { return state_; }
  bool has_mark(const std::string& prefix) const;

 private:
  void set(const std::string& name, const std::string& value);
  std::vector<std::string> names_;
  std::filesystem::path state_;
};

/// A folder for --kernel-dir with one kernel in which the last `text` is replaced; the naive one.
std::string kernels_with(const std::string& file, const std::string& text,
                         const std::string& replacement);
std::string kernels_with(const std::string& text, const std::string& replacement);
/// One whose naive kernel leaves out the first product of each sum.
std::string wrong_kernels();

/// Runs `bench --json` and the arguments.
CliResult bench(const std::vector<std::string>& arguments);

/// The command line's one sentence: expects this exit code, `part` in the sentence, no other line
/// on stderr, and the same again in the document of --json.
void expect_sentence(std::vector<std::string> arguments, int code, const std::string& part);

namespace worker {

/// The real worker, in a process of its own.
class RealWorker {
 public:
  explicit RealWorker(const std::string& kernel_dir = {});
  Client& client() { return *client_; }
  Reply call(const std::string& device, const std::string& method, nlohmann::json params = {});
  Asked ask(const std::string& device, const std::string& method, nlohmann::json params = {});
  /// Pids of the children of a kind, "cuda:0".
  std::vector<int> children(const std::string& kind);
  int supervisor();

 private:
  std::unique_ptr<Client> client_;
};

/// Waits until what was asked hangs on the card; false if it came to an end before.
bool hangs(RealWorker& worker, const Card& card, const Asked& asked);

/// Params of "verify" and "measure": a kernel on a cube.
nlohmann::json request(const std::string& kernel, int size);

}  // namespace worker
}  // namespace tilescope

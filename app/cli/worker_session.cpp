#include "app/cli/worker_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/cli_error.h"
#include "app/cli/output.h"
#include "worker/service.h"

namespace tilescope::cli {
namespace {

/// One line that overwrites itself, for people who watch; nothing in files and pipes.
class ProgressLine {
 public:
  void show(const worker::Progress& progress) {
    const bool says = !progress.stage.empty() || progress.done || progress.measured;
    if (!terminal_ || (shown_ && !says)) return;  // a sign of life is no news
    std::string text = progress.stage.empty() ? "working" : progress.stage;
    if (progress.done && progress.all) {
      text += fmt::format(" {} of {}", *progress.done, *progress.all);
    } else if (progress.measured) {
      text +=
          fmt::format(" {} of {}", progress.measured->samples, progress.measured->samples_planned);
    }
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    shown_ = true;
  }
  ~ProgressLine() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
};

}  // namespace

WorkerSession::WorkerSession(std::string kernel_dir) : kernel_dir_(std::move(kernel_dir)) {}
WorkerSession::WorkerSession(const RequestOptions& options)
    : kernel_dir_(options.kernel_dir), host_(options.host) {}
WorkerSession::~WorkerSession() = default;

std::string WorkerSession::on_host() const { return host_.empty() ? "" : " on " + host_; }

worker::Client& WorkerSession::client() {
  if (!client_) {
    worker::ClientOptions options;
    // This very program, even if it was moved or renamed since.
    options.worker_program = "/proc/self/exe";
    options.arguments = {"worker"};
    options.kernel_dir = kernel_dir_;
    options.host = host_;
    if (!host_.empty()) options.kernels = worker::kernel_sources_hash();
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length > 0) options.worker_program.assign(path, static_cast<size_t>(length));
    client_ = worker::Client::start_process(options);
  }
  return *client_;
}

void WorkerSession::wait_for(const std::function<uint64_t(Ended)>& ask) {
  constexpr int kAsks = 3;  // of a call that connections break under
  ProgressLine line;
  std::optional<worker::CallError> failed;
  for (int asked = 1;; ++asked) {
    failed = worker::CallError{.exit_code = kFailed,
                               .message = "the worker ended before it answered; try again"};
    const uint64_t id = ask({.well = [&] { failed.reset(); },
                             .failed = [&](const worker::CallError& error) { failed = error; },
                             .progress = [&](const worker::Progress& p) { line.show(p); }});
    client().wait(id);
    if (!failed || !failed->lost || asked == kAsks) break;
    message("tilescope-cli: " + failed->message + " What was running is asked again.");
  }
  if (failed) {
    std::string text = failed->message;
    if (text.empty()) text = "the worker failed without saying why";
    while (!text.empty() && text.back() == '.') text.pop_back();
    if (!failed->log.empty()) std::fprintf(stderr, "%s\n", failed->log.c_str());
    nlohmann::ordered_json details;
    if (failed->needs_reset) details["needs_reset"] = true;
    throw CliError(failed->exit_code, text, details);
  }
}

std::vector<worker::DeviceInfo> WorkerSession::devices() {
  return call<worker::calls::Devices>(device_of(worker::Role::supervisor), {}).devices;
}

worker::DeviceInfo WorkerSession::device(const std::string& id) {
  std::string there;
  for (const worker::DeviceInfo& info : devices()) {
    if (info.id == id && info.available) return info;
    if (info.id == id) {
      throw CliError(kMissing,
                     fmt::format("{}{} is not available: {}", id, on_host(), info.why_not));
    }
    if (info.available) there += (there.empty() ? "" : ", ") + info.id;
  }
  throw CliError(kMissing, fmt::format("there is no device {}{}; there is {}", id, on_host(),
                                       there.empty() ? "recorded" : there + ", recorded"));
}

worker::DeviceInfo WorkerSession::card(const std::string& id, int local_rank) {
  if (id != "cuda") return device(id);
  std::vector<worker::DeviceInfo> cards;
  std::string why_not;
  for (const worker::DeviceInfo& info : devices()) {
    if (!is_cuda(info.id)) continue;
    if (info.available) cards.push_back(info);
    if (why_not.empty()) why_not = info.why_not;
  }
  if (cards.empty()) {
    throw CliError(kMissing, "there is no card" + on_host() +
                                 (why_not.empty() ? "" : ": " + clause(why_not)) +
                                 "; the emulator is there without one, as --device " +
                                 (host_.empty() ? "" : "ssh:" + host_ + "/") + "emulator");
  }
  const int count = static_cast<int>(cards.size());
  if (local_rank >= count) {
    message(
        fmt::format("tilescope-cli: {} has several ranks, which disturb each other's times; "
                    "start at most {} a machine",
                    cards[static_cast<size_t>(local_rank % count)].id + on_host(), count));
  }
  return cards[static_cast<size_t>(local_rank % count)];
}

}  // namespace tilescope::cli

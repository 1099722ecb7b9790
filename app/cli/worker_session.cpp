#include "app/cli/worker_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "app/cli/error.h"
#include "app/cli/output.h"
#include "worker/messages/messages_json.h"
#include "worker/service.h"

namespace tilescope::cli {
namespace {

using nlohmann::json;

/// One line that overwrites itself, for people who watch; nothing in files and pipes.
class ProgressLine {
 public:
  void show(const json& progress) {
    if (!terminal_ || !progress.is_object()) return;
    std::string text = progress.value("stage", progress.value("state", std::string("working")));
    if (progress.contains("done") && progress.contains("all")) {
      text += fmt::format(" {} of {}", progress["done"].dump(), progress["all"].dump());
    } else if (progress.contains("samples") && progress.contains("samples_planned")) {
      text +=
          fmt::format(" {} of {}", progress["samples"].dump(), progress["samples_planned"].dump());
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

std::optional<worker::RpcError> WorkerSession::ask(const std::string& device,
                                                   const std::string& method, json params,
                                                   const worker::Client::Callbacks& more,
                                                   json& result) {
  std::optional<worker::RpcError> failed =
      worker::RpcError{0, kFailed, "the worker ended before it answered; try again", {}};
  worker::Client::Callbacks callbacks = more;
  callbacks.done = [&](const json& answer) { result = answer, failed.reset(); };
  callbacks.failed = [&](const worker::RpcError& error) { failed = error; };
  const uint64_t id = client().request(device, method, std::move(params), std::move(callbacks));
  client().wait(id);
  return failed;
}

json WorkerSession::call(
    const std::string& device, const std::string& method, json params,
    std::function<void(std::string_view, std::span<const std::byte>)> on_binary) {
  constexpr int kAsks = 3;  // of a call that connections break under
  json result;
  ProgressLine line;
  const worker::Client::Callbacks callbacks{.done = {},
                                            .failed = {},
                                            .progress = [&](const json& p) { line.show(p); },
                                            .binary = std::move(on_binary)};
  std::optional<worker::RpcError> failed;
  for (int asked = 1;; ++asked) {
    failed = ask(device, method, params, callbacks, result);
    const bool lost = failed && failed->data.is_object() && failed->data.value("lost", false);
    if (!lost || asked == kAsks) break;
    message("tilescope-cli: " + failed->message + " What was running is asked again.");
  }
  if (failed) {
    std::string text = failed->message;
    if (text.empty()) text = "the worker failed without saying why";
    while (!text.empty() && text.back() == '.') text.pop_back();
    const auto log = failed->data.is_object() ? failed->data.find("log") : failed->data.end();
    if (failed->data.is_object() && log != failed->data.end() && log->is_string()) {
      const std::string lines = log->get<std::string>();
      if (!lines.empty()) std::fprintf(stderr, "%s\n", lines.c_str());
    }
    nlohmann::ordered_json details;
    if (failed->data.is_object() && failed->data.contains("needs_reset")) {
      details["needs_reset"] = failed->data["needs_reset"];
    }
    throw CliError(failed->exit_code, text, details);
  }
  return result;
}

std::vector<worker::DeviceInfo> WorkerSession::devices() {
  const json result = call("", "devices", json::object());
  const json& list = result.is_object() ? result.at("devices") : result;
  std::vector<worker::DeviceInfo> devices;
  for (const json& entry : list) {
    worker::DeviceInfo info;
    // A place that is kept for a device that failed names little more than the reason.
    info.id = entry.value("id", "");
    info.name = entry.value("name", "");
    info.driver = entry.value("driver", "");
    info.date = entry.value("date", "");
    info.available = entry.value("available", true);
    info.why_not = entry.value("why_not", "");
    info.clock_mhz = entry.value("clock_mhz", 0.0);
    info.dram_gb_per_second = entry.value("dram_gb_per_second", 0.0);
    info.l2_bytes = entry.value("l2_bytes", 0.0);
    if (entry.contains("limits")) info.limits = entry["limits"].get<DeviceLimits>();
    devices.push_back(info);
  }
  return devices;
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
                                 (why_not.empty() ? "" : ": " + why_not) +
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

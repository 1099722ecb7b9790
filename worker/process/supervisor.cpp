#include "worker/process/supervisor.h"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "worker/process/router.h"
#include "worker/protocol/channel.h"
#include "worker/protocol/protocol.h"
#include "worker/protocol/uv_handles.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

// More than this waiting for a slow client, and the children are not read from until it is gone.
constexpr size_t kMaxWaitingBytes = 32u << 20;
constexpr int kStopMilliseconds = 2000;

uv_pipe_t* open_pipe(uv_loop_t* loop, int fd) {
  auto* pipe = new uv_pipe_t;
  uv_pipe_init(loop, pipe, 0);
  if (const int failed = uv_pipe_open(pipe, fd)) {
    std::fprintf(stderr, "tilescope worker: descriptor %d is no pipe: %s\n", fd,
                 uv_strerror(failed));
  }
  return pipe;
}

class Supervisor {
 public:
  explicit Supervisor(const SupervisorOptions& options) : kernels_(options.kernels) {
    uv_loop_init(&loop_);
    channel_ = std::make_unique<Channel>(
        open_pipe(&loop_, options.in_fd), open_pipe(&loop_, options.out_fd), false,
        Channel::Handlers{[this](const Frame& frame) { take(frame); },
                          [this](const std::string& error) { client_gone(error); },
                          [this] { drained(); }});
    router_ = std::make_unique<Router>(
        &loop_, options,
        Router::Output{[this](const json& message) { send(message); },
                       [this](const Frame& chunk) { send_binary(chunk); }});
    timer_ = std::make_unique<Timer>(&loop_);
    silence_ = std::make_unique<Timer>(&loop_);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
      auto* watched = new uv_signal_t;
      uv_signal_init(&loop_, watched);
      watched->data = this;
      uv_signal_start(
          watched,
          [](uv_signal_t* handle, int) { static_cast<Supervisor*>(handle->data)->stop(0); },
          number);
      signals_.push_back(watched);
    }
  }

  int run() {
    channel_->send_bytes(magic_line());
    channel_->start();
    while (!over_) uv_run(&loop_, UV_RUN_ONCE);
    // Whatever is left to close is closed by the end of the process.
    return code_;
  }

 private:
  // A client on another machine may be gone without an end of the stream: its network is down.
  void heard() {
    if (silence_ms_ > 0 && !stopping_) silence_->start(silence_ms_, [this] { stop(0); });
  }

  void take(const Frame& frame) {
    heard();
    if (frame.binary) return;  // a client has none to send
    Message message;
    try {
      message = read_message(parse_message(frame.body));
    } catch (const FrameError& error) {
      return send(make_error(nullptr, {kParseError, 4, error.what(), {}}));
    } catch (const RpcError& error) {
      return send(make_error(nullptr, error));
    }
    if (message.kind == Message::Kind::notification) {
      if (message.method == "exit") stop(0);
      if (message.method == "$/cancelRequest") {
        if (const auto id = call_of(message.value)) router_->cancel(*id);
      }
      return;
    }
    if (message.kind != Message::Kind::request) return;
    const uint64_t id = *message.id;
    if (message.method == "initialize") return initialize(id, message.value);
    if (message.method == "shutdown") {
      router_->stop();
      return send(make_result(id, nullptr));
    }
    if (!initialized_) {
      return send(
          make_error(id, {kInvalidRequest, 4, "The first request must be \"initialize\".", {}}));
    }
    router_->request(id, message.method, std::move(message.value), frame.body.size());
  }

  void initialize(uint64_t id, const json& params) {
    if (const auto sentence = version_mismatch(params, "The client")) {
      return send(make_error(id, {kVersionMismatch, 4, *sentence, make_hello()}));
    }
    json hello = make_hello();
    if (!kernels_.empty()) hello["kernels"] = kernels_;
    send(make_result(id, std::move(hello)));
    if (initialized_) return;
    initialized_ = true;
    const auto silence = params.find("silence_ms");
    if (silence != params.end() && silence->is_number_integer()) {
      silence_ms_ = std::clamp(silence->get<int>(), 1, 3600 * 1000);
      heard();
    }
    const auto dir = params.find("kernel_dir");
    router_->start(dir != params.end() && dir->is_string() ? dir->get<std::string>() : "");
  }

  void send(const json& message) {
    try {
      channel_->send(message);
    } catch (const RpcError& error) {
      channel_->send(make_error(message.value("id", json()), error));
    }
    watch_waiting();
  }

  void send_binary(const Frame& chunk) {
    channel_->send_bytes(
        encode_binary_frame(chunk.id, chunk.type, chunk.offset, chunk.total, chunk.body));
    watch_waiting();
  }

  void watch_waiting() {
    if (paused_ || channel_->waiting_bytes() <= kMaxWaitingBytes) return;
    paused_ = true;
    router_->pause(true);
  }

  void drained() {
    // Not from here: what is resumed delivers at once, and would write from inside a write's end.
    if (!paused_ || stopping_) return;
    paused_ = false;
    timer_->start(0, [this] { router_->pause(paused_); });
  }

  void client_gone(const std::string& error) {
    if (!error.empty()) {
      std::fprintf(stderr, "tilescope worker: %s\n", error.c_str());
      // The client may still listen: tell it, since this is the last that it hears.
      channel_->send(make_error(nullptr, {kParseError, 4, error, {}}));
    }
    stop(error.empty() ? 0 : 4);
  }

  void stop(int code) {
    if (stopping_) return;
    stopping_ = true;
    code_ = code;
    router_->stop();
    wait_for_children(kStopMilliseconds);
  }

  void wait_for_children(int left_ms) {
    constexpr int kStep = 5;
    const bool written = channel_->waiting_bytes() == 0 || left_ms < kStopMilliseconds - 500;
    if ((router_->over() && written) || left_ms <= 0) {
      over_ = true;
      return;
    }
    timer_->start(kStep, [this, left_ms] { wait_for_children(left_ms - kStep); });
  }

  uv_loop_t loop_{};
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<Timer> timer_, silence_;
  std::vector<uv_signal_t*> signals_;
  bool initialized_ = false, paused_ = false, stopping_ = false, over_ = false;
  int code_ = 0, silence_ms_ = 0;
  const std::string kernels_;
};

}  // namespace

int run_supervisor(const SupervisorOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  // Never destroyed: its process ends now, and libuv's handles with it.
  static Supervisor* supervisor = new Supervisor(options);
  return supervisor->run();
}

}  // namespace tilescope::worker

#include "worker/process/child_loop.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "worker/protocol/frames.h"
#include "worker/protocol/protocol.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

struct QueuedCall {
  uint64_t id = 0;
  std::string method;
  json params;
  std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);
};

// Static destructors must not run while a call is inside CUDA or NVRTC: _exit.
[[noreturn]] void leave(int code) {
  std::fflush(stderr);
  _exit(code);
}

class Writer {
 public:
  explicit Writer(int fd) : fd_(fd) {}
  void write(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) leave(0);  // nobody listens any more
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }
  void send(const json& message) { write(encode_json_frame(write_message(message))); }

 private:
  int fd_;
  std::mutex mutex_;
};

class ChildLoop {
 public:
  ChildLoop(const MethodTable& methods, int in_fd, int out_fd)
      : methods_(methods), in_(in_fd), writer_(out_fd) {}

  [[noreturn]] void run() {
    writer_.write(magic_line());
    std::thread([this] { run_calls(); }).detach();
    FrameReader reader;
    std::string piece(64u << 10, '\0');
    while (true) {
      const ssize_t got = ::read(in_, piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) leave(0);
      try {
        reader.feed({piece.data(), static_cast<size_t>(got)});
        while (auto frame = reader.next()) {
          if (!frame->binary) take(read_message(parse_message(frame->body)));
        }
      } catch (const FrameError& error) {
        std::fprintf(stderr, "worker child: %s\n", error.what());
        leave(kExitProtocol);
      } catch (const RpcError& error) {
        writer_.send(make_error(nullptr, error));
      }
    }
  }

 private:
  void take(Message message) {
    if (message.kind == Message::Kind::request) {
      if (message.method == "initialize" || message.method == "shutdown") {
        return writer_.send(make_result(*message.id, make_hello()));
      }
      QueuedCall call;
      call.id = *message.id;
      call.method = std::move(message.method);
      call.params = std::move(message.value);
      const std::lock_guard lock(mutex_);
      calls_.push_back(std::move(call));
      arrived_.notify_one();
    } else if (message.kind == Message::Kind::notification) {
      if (message.method == "exit") leave(0);
      if (message.method == "$/cancelRequest") cancel(call_of(message.value));
    }
  }

  void cancel(std::optional<uint64_t> id) {
    const std::lock_guard lock(mutex_);
    for (QueuedCall& call : calls_) {  // the running one is at the front
      if (call.id == id) *call.cancelled = true;
    }
  }

  [[noreturn]] void run_calls() {
    while (true) {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !calls_.empty(); });
      QueuedCall& call = calls_.front();  // a deque's elements stay where they are
      lock.unlock();
      run_call(call);
      lock.lock();
      calls_.pop_front();
    }
  }

  void run_call(QueuedCall& call) {
    CallContext context;
    context.cancelled = call.cancelled.get();
    context.progress = [&](const json& value) { writer_.send(make_progress(call.id, value)); };
    context.binary = [&](std::string_view type, std::span<const std::byte> bytes) {
      if (bytes.size() > kMaxBinaryBytes) {
        throw RpcError{kInternalError,
                       4,
                       "A result of " + std::to_string(bytes.size()) + " bytes, the limit is " +
                           std::to_string(kMaxBinaryBytes) + ": ask for less.",
                       {}};
      }
      encode_binary_message(call.id, type, bytes,
                            [&](const std::string& frame) { writer_.write(frame); });
    };
    Outcome outcome;
    if (*call.cancelled) {
      outcome.error = cancelled_error();
    } else {
      outcome = run_method(methods_, call.method, call.params, context);
    }
    if (outcome.ok) {
      try {
        return writer_.send(make_result(call.id, std::move(outcome.result)));
      } catch (const RpcError& error) {  // too large for a frame
        outcome.error = error;
      }
    }
    const json& data = outcome.error.data;
    const bool fatal = data.is_object() && data.contains("fatal") && data["fatal"] == true;
    writer_.send(make_error(call.id, outcome.error));
    if (fatal) leave(kExitFatal);  // sticky CUDA errors: only a new process helps
  }

  const MethodTable& methods_;
  int in_;
  Writer writer_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<QueuedCall> calls_;
};

}  // namespace

void run_child(const MethodTable& methods, int in_fd, int out_fd) {
  ChildLoop(methods, in_fd, out_fd).run();
}

}  // namespace tilescope::worker

// One process with pipes: started, spoken to, killed, and reported when it is gone. Used by the
// client for the worker, and by the worker for its own children.
#pragma once
#include <uv.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "worker/protocol/channel.h"
#include "worker/protocol/text.h"
#include "worker/protocol/uv_handles.h"

namespace tilescope::worker {

/// What is open now, by a shell, a debugger or a library that does not care, is not inherited by
/// any program that this process starts: it gets the descriptors that it is given, and no others.
void keep_descriptors_here();

class Child {
 public:
  struct Handlers {
    std::function<void(Frame frame)> frame;
    /// Once: the process is reaped and its last frame delivered. `cause` completes "The compiler
    /// …".
    std::function<void(const std::string& cause)> ended;
    std::function<void()> drained;
  };
  struct Options {
    std::vector<std::string> argv;  // [0] is the file
    bool own_group = false;         // a session of its own: Ctrl-C in a terminal does not reach it
  };
  Child(uv_loop_t* loop, const Options& options, Handlers handlers);
  /// Kills the process if it runs; it is reaped by the loop.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void send(const nlohmann::json& message) { channel_->send(message); }
  size_t waiting_bytes() const { return channel_->waiting_bytes(); }
  void pause(bool paused) { channel_->pause(paused); }
  /// Ends its standard input: a well-behaved child leaves.
  void close_input() { channel_->close_output(); }
  void kill(int signal);
  bool running() const { return running_; }
  int pid() const { return pid_; }
  const BoundedLog& log() const { return log_; }

 private:
  void exited(int64_t code, int signal);
  void read_log(uv_pipe_t* pipe);
  void channel_ended(const std::string& error);
  void end_if_over();
  void drain_log();

  Handlers handlers_;
  bool own_group_;
  uv_process_t* process_ = nullptr;
  uv_pipe_t* log_pipe_ = nullptr;
  std::unique_ptr<Channel> channel_;
  Timer timer_;
  BoundedLog log_;
  std::string cause_;
  int pid_ = 0;
  bool running_ = false, channel_over_ = false, ended_ = false;
};

}  // namespace tilescope::worker

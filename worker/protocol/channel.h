// Frames over a pair of libuv streams: reads, cuts, delivers; writes in order; can be paused so
// that a flooding peer fills its own pipe and not our memory.
#pragma once
#include <uv.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "worker/protocol/frames.h"

namespace tilescope::worker {

class Channel {
 public:
  struct Handlers {
    std::function<void(Frame frame)> frame;
    /// Once, at the end of the stream; `error` is empty at a clean end. No frame comes after it.
    std::function<void(const std::string& error)> ended;
    /// All that was written has left this process.
    std::function<void()> drained;
  };
  /// Takes both pipes, initialised and open (or to be opened by uv_spawn before start()).
  Channel(uv_pipe_t* in, uv_pipe_t* out, bool expect_magic, Handlers handlers);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void start();
  /// Throws RpcError if the message is too large for a frame.
  void send(const nlohmann::json& message);
  void send_bytes(std::string bytes);
  size_t waiting_bytes() const;  // written but still here
  void pause(bool paused);
  void close_output();  // what waits to be written is dropped
  const FrameReader& reader() const { return reader_; }

 private:
  struct Write;
  void read(ssize_t got);
  void deliver();
  void end(const std::string& error);

  uv_pipe_t* in_;
  uv_pipe_t* out_;
  FrameReader reader_;
  Handlers handlers_;
  std::string piece_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool started_ = false, paused_ = false, ended_ = false, stream_over_ = false;
  bool delivering_ = false;
  std::string read_error_;
};

}  // namespace tilescope::worker

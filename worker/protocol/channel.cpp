#include "worker/protocol/channel.h"

#include <utility>

#include "worker/protocol/protocol.h"
#include "worker/protocol/uv_handles.h"

namespace tilescope::worker {

struct Channel::Write {
  uv_write_t request{};
  std::string bytes;
  std::weak_ptr<bool> alive;
  Channel* channel = nullptr;
};

Channel::Channel(uv_pipe_t* in, uv_pipe_t* out, bool expect_magic, Handlers handlers)
    : in_(in), out_(out), reader_(expect_magic), handlers_(std::move(handlers)) {
  in_->data = this;
  out_->data = this;
  piece_.resize(64u << 10);
}

Channel::~Channel() {
  *alive_ = false;
  close_handle(in_);
  close_handle(out_);
}

void Channel::start() {
  started_ = true;
  if (paused_ || ended_ || stream_over_) return;
  uv_read_start(
      reinterpret_cast<uv_stream_t*>(in_),
      [](uv_handle_t* handle, size_t, uv_buf_t* buffer) {
        auto* channel = static_cast<Channel*>(handle->data);
        *buffer = channel ? uv_buf_init(channel->piece_.data(),
                                        static_cast<unsigned>(channel->piece_.size()))
                          : uv_buf_init(nullptr, 0);
      },
      [](uv_stream_t* stream, ssize_t got, const uv_buf_t*) {
        if (auto* channel = static_cast<Channel*>(stream->data)) channel->read(got);
      });
}

void Channel::read(ssize_t got) {
  if (got == 0) return;
  if (got < 0) {
    uv_read_stop(reinterpret_cast<uv_stream_t*>(in_));
    stream_over_ = true;
    if (got != UV_EOF) read_error_ = uv_strerror(static_cast<int>(got));
  } else {
    reader_.feed({piece_.data(), static_cast<size_t>(got)});
  }
  deliver();
}

void Channel::deliver() {
  if (delivering_) return;
  const std::weak_ptr<bool> alive = alive_;
  delivering_ = true;
  try {
    while (!paused_ && !ended_) {
      auto frame = reader_.next();
      if (!frame) break;
      handlers_.frame(std::move(*frame));
      if (alive.expired()) return;  // the handler destroyed this channel
    }
  } catch (const FrameError& error) {
    delivering_ = false;
    return end(error.what());
  }
  delivering_ = false;
  if (!stream_over_ || paused_ || ended_) return;
  if (!read_error_.empty()) return end(read_error_);
  if (reader_.waits_for_magic()) return end("");  // the caller knows more: it has the exit code
  end(reader_.inside_frame() ? "the stream ended inside a frame" : "");
}

void Channel::end(const std::string& error) {
  if (ended_) return;
  ended_ = true;
  if (in_) uv_read_stop(reinterpret_cast<uv_stream_t*>(in_));
  const auto ended = handlers_.ended;  // copied: it may destroy this channel
  if (ended) ended(error);
}

void Channel::send(const nlohmann::json& message) {
  send_bytes(encode_json_frame(write_message(message)));
}

void Channel::send_bytes(std::string bytes) {
  if (!out_) return;
  auto* write = new Write;
  write->bytes = std::move(bytes);
  write->alive = alive_;
  write->channel = this;
  write->request.data = write;
  const uv_buf_t buffer =
      uv_buf_init(write->bytes.data(), static_cast<unsigned>(write->bytes.size()));
  const int failed =
      uv_write(&write->request, reinterpret_cast<uv_stream_t*>(out_), &buffer, 1,
               [](uv_write_t* request, int) {
                 const std::unique_ptr<Write> done(static_cast<Write*>(request->data));
                 if (done->alive.expired()) return;
                 Channel& channel = *done->channel;
                 if (channel.handlers_.drained && channel.waiting_bytes() == 0) {
                   channel.handlers_.drained();
                 }
               });
  // A peer that is gone is noticed by reading; here there is nothing to add.
  if (failed) delete write;
}

size_t Channel::waiting_bytes() const {
  return out_ ? uv_stream_get_write_queue_size(reinterpret_cast<const uv_stream_t*>(out_)) : 0;
}

void Channel::pause(bool paused) {
  if (paused == paused_) return;
  paused_ = paused;
  if (paused) {
    if (in_ && started_) uv_read_stop(reinterpret_cast<uv_stream_t*>(in_));
    return;
  }
  if (!started_ || ended_) return;
  start();
  deliver();
}

void Channel::close_output() { close_handle(out_); }

}  // namespace tilescope::worker

#include "worker/protocol/child.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/programs/search_path.h"

namespace tilescope::worker {
namespace {

// How long the pipes of a process that has ended may stay open: only an inherited copy holds them.
constexpr int kDrainMilliseconds = 500;

uv_pipe_t* new_pipe(uv_loop_t* loop) {
  auto* pipe = new uv_pipe_t;
  uv_pipe_init(loop, pipe, 0);
  pipe->data = nullptr;
  return pipe;
}

}  // namespace

void keep_descriptors_here() { close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); }

Child::Child(uv_loop_t* loop, const Options& options, Handlers handlers)
    : handlers_(std::move(handlers)), own_group_(options.own_group), timer_(loop) {
  uv_pipe_t* input = new_pipe(loop);
  uv_pipe_t* output = new_pipe(loop);
  log_pipe_ = new_pipe(loop);
  channel_ = std::make_unique<Channel>(
      output, input, true,
      Channel::Handlers{[this](Frame frame) { handlers_.frame(std::move(frame)); },
                        [this](const std::string& error) { channel_ended(error); },
                        [this] {
                          if (handlers_.drained) handlers_.drained();
                        }});

  uv_stdio_container_t stdio[3];
  stdio[0].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_READABLE_PIPE);
  stdio[0].data.stream = reinterpret_cast<uv_stream_t*>(input);
  stdio[1].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
  stdio[1].data.stream = reinterpret_cast<uv_stream_t*>(output);
  stdio[2].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
  stdio[2].data.stream = reinterpret_cast<uv_stream_t*>(log_pipe_);
  std::vector<char*> arguments;
  for (const std::string& argument : options.argv) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const std::string program = options.argv.empty() ? "" : program_file(options.argv[0]);
  uv_process_options_t spawn{};
  spawn.file = program.c_str();
  spawn.args = arguments.data();
  spawn.stdio = stdio;
  spawn.stdio_count = 3;
  spawn.flags = own_group_ ? UV_PROCESS_DETACHED : 0;
  spawn.exit_cb = [](uv_process_t* process, int64_t code, int signal) {
    if (auto* child = static_cast<Child*>(process->data)) return child->exited(code, signal);
    close_handle(process);  // the owner went first and left it to be reaped
  };
  keep_descriptors_here();
  process_ = new uv_process_t;
  const bool is_there = !program.empty();
  const int failed = is_there       ? uv_spawn(loop, process_, &spawn)
                     : arguments[0] ? UV_ENOENT
                                    : UV_EINVAL;
  if (failed) {
    // The handle was initialised all the same, unless there was no program to start.
    if (is_there) {
      close_handle(process_);
    } else {
      delete std::exchange(process_, nullptr);
    }
    cause_ = "could not be started: " + std::string(uv_strerror(failed)) + " (" +
             (options.argv.empty() ? "no program" : safe_text(options.argv[0], 200)) + ")";
    channel_over_ = true;
    timer_.start(0, [this] { end_if_over(); });  // never from inside the constructor
    return;
  }
  process_->data = this;
  pid_ = process_->pid;
  running_ = true;
  channel_->start();
  read_log(log_pipe_);
}

Child::~Child() {
  if (running_) {
    kill(SIGKILL);
    process_->data = nullptr;  // closed when it is reaped: a closed handle would leave a zombie
  } else {
    close_handle(process_);
  }
  close_handle(log_pipe_);
}

void Child::kill(int signal) {
  if (!running_) return;
  // A group of its own is ended whole, so that a killed worker leaves no children behind.
  if (!own_group_ || ::kill(-pid_, signal) != 0) uv_process_kill(process_, signal);
}

void Child::read_log(uv_pipe_t* pipe) {
  pipe->data = this;
  uv_read_start(
      reinterpret_cast<uv_stream_t*>(pipe),
      [](uv_handle_t*, size_t, uv_buf_t* buffer) {
        static thread_local char piece[8192];  // used up before the next read of this loop
        *buffer = uv_buf_init(piece, sizeof piece);
      },
      [](uv_stream_t* stream, ssize_t got, const uv_buf_t* buffer) {
        auto* child = static_cast<Child*>(stream->data);
        if (!child || got == 0) return;
        if (got < 0) return close_handle(child->log_pipe_);
        child->log_.append({buffer->base, static_cast<size_t>(got)});
      });
}

void Child::exited(int64_t code, int signal) {
  running_ = false;
  if (cause_.empty()) cause_ = describe_exit(code, signal);
  timer_.start(kDrainMilliseconds, [this] {
    channel_over_ = true;
    end_if_over();
  });
  end_if_over();
}

void Child::channel_ended(const std::string& error) {
  channel_over_ = true;
  if (!error.empty()) {
    cause_ = "sent what cannot be read: " + error;
    kill(SIGKILL);
  }
  // A process that closed its output but does not leave is of no use.
  if (running_) timer_.start(kDrainMilliseconds, [this] { kill(SIGKILL); });
  end_if_over();
}

void Child::end_if_over() {
  if (running_ || !channel_over_ || ended_) return;
  ended_ = true;
  timer_.stop();
  drain_log();
  const auto ended = handlers_.ended;  // copied: it may destroy this child
  const std::string cause = cause_;
  if (ended) ended(cause);
}

// Its last words are the best hint: what is still in the pipes is taken before anyone is told.
void Child::drain_log() {
  uv_os_fd_t fd = -1;
  if (log_pipe_ && uv_fileno(reinterpret_cast<uv_handle_t*>(log_pipe_), &fd) == 0) {
    char piece[8192];
    for (;;) {
      const ssize_t got = ::read(fd, piece, sizeof piece);  // does not block
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      log_.append({piece, static_cast<size_t>(got)});
    }
  }
  if (channel_->reader().waits_for_magic()) log_.append(channel_->reader().junk());
}

}  // namespace tilescope::worker

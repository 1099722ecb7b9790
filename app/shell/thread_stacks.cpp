#include "app/shell/thread_stacks.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "app/shell/signal_text.h"

namespace tilescope {
namespace {

/// A place for one thread's stack. Each has its own: one that answers when nobody waits any more
/// writes over no other's.
struct ThreadStack {
  std::atomic<int> thread = 0;  // whose it is; 0: nobody's
  std::atomic<bool> answered = false;
  bool blocked = false;  // its signals are: it was not asked
  int frames = 0;
  std::array<void*, 48> stack{};
};
constexpr size_t kMostThreads = 256;
std::array<ThreadStack, kMostThreads> stacks_of_threads;

int stack_signal() { return SIGRTMIN + 5; }

/// In the thread that is asked. backtrace() may be called here once it was called before, and the
/// names of functions are looked up by who asked: here that could wait for a lock.
void answer_with_stack(int) {
  const int before = errno;
  const int self = gettid();
  for (ThreadStack& one : stacks_of_threads) {
    if (one.thread != self) continue;
    one.frames = backtrace(one.stack.data(), static_cast<int>(one.stack.size()));
    one.answered = true;
    break;
  }
  errno = before;
}

/// /proc/self/task/THREAD/NAME
class TaskFile {
 public:
  TaskFile(int thread, std::string_view name) {
    add("/proc/self/task/");
    size_ = static_cast<size_t>(
        std::to_chars(path_.data() + size_, path_.data() + path_.size(), thread).ptr -
        path_.data());
    add("/");
    add(name);
  }
  /// What fits, without its end of a line; nothing where the thread is gone.
  std::string_view read_into(char* buffer, size_t room) const {
    const int fd = ::open(path_.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    const ssize_t got = ::read(fd, buffer, room);
    ::close(fd);
    std::string_view text(buffer, got > 0 ? static_cast<size_t>(got) : 0);
    if (text.ends_with('\n')) text.remove_suffix(1);
    return text;
  }

 private:
  void add(std::string_view text) {
    for (const char c : text) path_[size_++] = c;
  }
  std::array<char, 64> path_{};  // ends with zeros
  size_t size_ = 0;
};

bool blocks_signal(int thread, int signal) {
  char buffer[4096];
  const std::string_view status = TaskFile(thread, "status").read_into(buffer, sizeof buffer);
  constexpr std::string_view kBlocked = "\nSigBlk:\t";
  const size_t at = status.find(kBlocked);
  if (at == std::string_view::npos) return false;
  const std::string_view digits = status.substr(at + kBlocked.size());
  uint64_t mask = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), mask, 16);
  return ((mask >> (signal - 1)) & 1) != 0;
}

bool is_there(int thread) { return tgkill(getpid(), thread, 0) == 0; }

/// Calls `each` of all threads of this process. readdir() takes memory, this does not.
template <class Each>
void for_each_thread(Each each) {
  const int fd = ::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  alignas(dirent64) char buffer[4096];
  for (ssize_t got; (got = getdents64(fd, buffer, sizeof buffer)) > 0;) {
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      int thread = 0;
      std::from_chars(name.data(), name.data() + name.size(), thread);
      if (thread > 0) each(thread);
    }
  }
  ::close(fd);
}

long long now_in_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

/// Until all have answered that were asked and are still there, or `patience` is over.
void wait_for_stacks(size_t count, int patience) {
  constexpr int kBetweenLooks = 2;  // ms
  const long long until = now_in_ms() + patience;
  for (size_t i = 0; i < count;) {
    const ThreadStack& one = stacks_of_threads[i];
    if (one.answered || one.blocked || !is_there(one.thread)) {
      ++i;
    } else if (now_in_ms() >= until) {
      return;
    } else {
      ::poll(nullptr, 0, kBetweenLooks);
    }
  }
}

void write_stack(int fd, const ThreadStack& one, int patience) {
  if (!one.answered && !is_there(one.thread)) return;  // it has ended meanwhile
  put_text(fd, "\n");
  write_thread_name(fd, one.thread);
  if (one.answered) {
    put_text(fd, ":\n");
    backtrace_symbols_fd(one.stack.data(), one.frames, fd);
  } else if (one.blocked) {
    put_text(fd, ": no stack, its signals are blocked\n");
  } else {
    put_text(fd, ": no stack, it did not answer within ");
    put_number(fd, patience);
    put_text(fd, " ms\n");
  }
}

}  // namespace

void prepare_thread_stacks() {
  void* frames[1];
  backtrace(frames, 1);  // loads what it needs now
  struct sigaction action {};
  action.sa_handler = answer_with_stack;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(stack_signal(), &action, nullptr);
}

void write_thread_name(int fd, int thread) {
  char name[64];
  put_text(fd, "thread ");
  put_number(fd, thread);
  put_text(fd, " (");
  put_text(fd, TaskFile(thread, "comm").read_into(name, sizeof name));
  put_text(fd, ")");
}

void write_other_threads(int fd, int patience) {
  const int self = gettid(), signal = stack_signal();
  size_t count = 0, more = 0;
  for (ThreadStack& one : stacks_of_threads) one.thread = 0;
  for_each_thread([&](int thread) {
    if (thread == self) return;
    if (count == kMostThreads) {
      ++more;
      return;
    }
    ThreadStack& one = stacks_of_threads[count++];
    one.answered = false;
    one.blocked = blocks_signal(thread, signal);
    one.thread = thread;
    if (!one.blocked) tgkill(getpid(), thread, signal);
  });
  wait_for_stacks(count, patience);
  for (size_t i = 0; i < count; ++i) write_stack(fd, stacks_of_threads[i], patience);
  if (more == 0) return;
  put_text(fd, "\nand ");
  put_number(fd, static_cast<long long>(more));
  put_text(fd, " more threads\n");
}

}  // namespace tilescope

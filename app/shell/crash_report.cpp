#include "app/shell/crash_report.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "app/common/config_folder.h"
#include "app/shell/end_within.h"
#include "app/shell/signal_text.h"
#include "app/shell/thread_stacks.h"
#include "core/files/whole_file.h"

#ifndef TILESCOPE_VERSION
#define TILESCOPE_VERSION "unknown"
#endif

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// Two copies: a fault in the middle of a change leaves the other one whole.
class TextForReport {
 public:
  void set(std::string text) {
    const size_t next = 1 - at_;
    texts_[next] = std::move(text);
    at_ = next;
  }
  std::string_view get() const { return texts_[at_]; }

 private:
  std::array<std::string, 2> texts_;
  std::atomic<size_t> at_ = 0;
};

struct Report {
  std::string file;
  TextForReport state, log;
  std::atomic<int> writer = 0;  // the thread that writes it
};
Report& report() {
  static Report* one = new Report;  // outlives all that may fault at the end
  return *one;
}

const char* word_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "memory that is not there (SIGSEGV)";
    case SIGBUS:
      return "memory that went away (SIGBUS)";
    case SIGILL:
      return "an instruction that this processor does not know (SIGILL)";
    case SIGFPE:
      return "a division (SIGFPE)";
    default:
      return "what must never be (SIGABRT)";
  }
}

/// Functions alone that may be called in a signal handler; backtrace() may once it was called.
/// Names of functions are looked up under a lock of the loader's, which may be held for good by
/// now.
void write_report(int signal) {
  constexpr unsigned kLongest = 15;  // seconds
  int nobody = 0;
  const int self = gettid();
  if (!report().writer.compare_exchange_strong(nobody, self)) {
    // Another thread's fault, of the same cause perhaps: the first one ends the process. The same
    // thread's, while it writes, ends it here.
    if (nobody != self) {
      for (;;) pause();
    }
  } else {
    end_within(kLongest, signal);
    const int fd = open(report().file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
      put_text(fd, "Tilescope " TILESCOPE_VERSION "\nended by ");
      put_text(fd, word_of(signal));
      put_text(fd, "\n\n");
      write_thread_name(fd, self);
      put_text(fd, "\nstack:\n");
      void* frames[64];
      backtrace_symbols_fd(frames, backtrace(frames, 64), fd);
      put_text(fd, "\nsaid last:\n");
      put_text(fd, report().log.get());
      put_text(fd, "\nlooked at, as a state file:\n");
      put_text(fd, report().state.get());
      // Last: a fault in here takes nothing of what stands above.
      put_text(fd, "\n\nother threads:\n");
      write_other_threads(fd);
      close(fd);
      put_text(STDERR_FILENO, "tilescope: this is a fault of the program; a report of it is in ");
      put_text(STDERR_FILENO, report().file);
      put_text(STDERR_FILENO, "\n");
    }
  }
  // As it would have ended.
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void report_crashes(const std::string& folder) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  (void)folder, (void)write_report;
#else
  if (folder.empty()) return;
  report().file = (fs::path(folder) / (kCrashReport + std::to_string(getpid()) + ".txt")).string();
  prepare_thread_stacks();
  // A stack of its own: the fault may be that there is none left.
  static std::array<char, 1 << 16> stack;
  stack_t own{};
  own.ss_sp = stack.data(), own.ss_size = stack.size();
  sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_handler = write_report;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    sigaction(number, &action, nullptr);
  }
#endif
}

void keep_for_report(const std::string& state) { report().state.set(state); }

void log_for_report(const std::string& sentence) {
  constexpr size_t kMost = 1024;  // bytes
  std::string log = std::string(report().log.get()) + sentence + "\n";
  if (log.size() > kMost) log.erase(0, log.find('\n', log.size() - kMost) + 1);
  report().log.set(std::move(log));
}

std::string new_report(const std::string& folder) {
  std::error_code error;
  std::string newest;
  fs::file_time_type when{};
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kCrashReport) || !name.ends_with(".txt")) continue;
    const int writer = std::atoi(name.c_str() + std::strlen(kCrashReport));
    if (writer > 0 && kill(writer, 0) == 0) continue;  // it is still being written
    std::error_code unknown;
    const auto written = fs::last_write_time(at->path(), unknown);
    const std::string told = files::set_aside(at->path().string(), "told");
    if (told.empty() || (!newest.empty() && written < when)) continue;
    newest = told, when = written;
  }
  return newest;
}

}  // namespace tilescope

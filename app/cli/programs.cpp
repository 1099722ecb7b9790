#include "app/cli/programs.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/cli/error.h"

extern char** environ;

namespace tilescope::cli {
namespace {

constexpr int kServerStartMs = 30000;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Our environment with DISPLAY put in.
std::vector<std::string> environment(const std::string& display) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const bool replaced = !display.empty() && (text.rfind("DISPLAY=", 0) == 0 ||
                                               text.rfind("WAYLAND_DISPLAY=", 0) == 0);
    if (!replaced) all.push_back(text);
  }
  if (!display.empty()) all.push_back("DISPLAY=" + display);
  return all;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string program_folder() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  const std::string full(path, length > 0 ? static_cast<size_t>(length) : 0);
  const size_t slash = full.rfind('/');
  return slash == std::string::npos ? "." : full.substr(0, slash);
}

int run_program(const std::vector<std::string>& arguments, const std::string& display) {
  std::vector<std::string> args = arguments, env = environment(display);
  std::vector<char*> argv = pointers(args), envp = pointers(env);
  pid_t pid = -1;
  if (posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), envp.data()) != 0) return -1;
  return wait_for(pid);
}

PrivateDisplay::PrivateDisplay() {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw CliError(kMissing, "no pipe for a private X server");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kDisplayFd = 3;
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], kDisplayFd);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  // The server picks a free number itself and writes it to the pipe when it is ready.
  std::vector<std::string> args = {"Xvfb",         "-displayfd", "3",   "-screen", "0",
                                   "4096x2400x24", "-nolisten",  "tcp", "-noreset"};
  std::vector<char*> argv = pointers(args);
  const int failed = posix_spawnp(&server_, "Xvfb", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (failed != 0) {
    close(pipe_ends[0]);
    server_ = -1;
    throw CliError(kMissing,
                   "there is no display and no Xvfb for a private one; install xvfb and "
                   "libgl1-mesa-dri");
  }
  std::string number;
  pollfd ready{pipe_ends[0], POLLIN, 0};
  while (poll(&ready, 1, kServerStartMs) > 0) {
    char c;
    if (read(pipe_ends[0], &c, 1) != 1 || c == '\n') break;
    number += c;
  }
  close(pipe_ends[0]);
  if (number.empty()) throw CliError(kMissing, "the private X server (Xvfb) did not start");
  name_ = ":" + number;
}

PrivateDisplay::~PrivateDisplay() {
  if (server_ <= 0) return;
  kill(server_, SIGTERM);
  wait_for(server_);
}

}  // namespace tilescope::cli

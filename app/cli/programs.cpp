#include "app/cli/programs.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
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

namespace {

/// The pid of an X server that writes its number to `number_fd` once it is ready, and that the
/// system ends when this process goes, however it goes. −1: there is none. Not posix_spawn, which
/// cannot ask for that; between fork and exec only what is safe there.
pid_t start_server(int number_fd) {
  constexpr int kDisplayFd = 3;
  // The server picks a free number itself.
  std::vector<std::string> args = {"Xvfb",         "-displayfd", "3",   "-screen", "0",
                                   "4096x2400x24", "-nolisten",  "tcp", "-noreset"};
  std::vector<char*> argv = pointers(args);
  int failed[2];  // closed by exec, or one byte
  if (pipe2(failed, O_CLOEXEC) != 0) return -1;
  const pid_t owner = getpid();
  const pid_t server = fork();
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != owner) _exit(0);  // it went before we could ask
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    const int still_open = failed[1] == kDisplayFd ? dup(failed[1]) : failed[1];
    fcntl(still_open, F_SETFD, FD_CLOEXEC);
    if (number_fd == kDisplayFd) {
      fcntl(number_fd, F_SETFD, 0);
    } else {
      dup2(number_fd, kDisplayFd);
    }
    execvp(argv[0], argv.data());
    if (::write(still_open, "", 1) != 1) _exit(126);
    _exit(127);
  }
  close(failed[1]);
  char none;
  const bool started = server > 0 && read(failed[0], &none, 1) == 0;
  close(failed[0]);
  if (server > 0 && !started) wait_for(server);
  return started ? server : -1;
}

/// What comes within the time up to the end of the line; empty if nothing does.
std::string read_line(int fd, int milliseconds) {
  std::string line;
  pollfd ready{fd, POLLIN, 0};
  while (poll(&ready, 1, milliseconds) > 0) {
    char c;
    if (read(fd, &c, 1) != 1) return {};
    if (c == '\n') return line;
    line += c;
  }
  return {};
}

}  // namespace

PrivateDisplay::PrivateDisplay() {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw CliError(kMissing, "no pipe for a private X server");
  server_ = start_server(pipe_ends[1]);
  close(pipe_ends[1]);
  const std::string number = server_ > 0 ? read_line(pipe_ends[0], kServerStartMs) : "";
  close(pipe_ends[0]);
  if (server_ <= 0) {
    throw CliError(kMissing,
                   "there is no display and no Xvfb for a private one; install xvfb and "
                   "libgl1-mesa-dri");
  }
  if (number.empty()) {
    end();  // no destructor runs for what was never whole
    throw CliError(kMissing, "the private X server (Xvfb) did not start");
  }
  name_ = ":" + number;
}

PrivateDisplay::~PrivateDisplay() { end(); }

void PrivateDisplay::end() {
  if (server_ <= 0) return;
  kill(server_, name_.empty() ? SIGKILL : SIGTERM);
  wait_for(server_);
  server_ = -1;
}

}  // namespace tilescope::cli

#include "tests/worker_process/odd_facts.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace tilescope::worker {

using nlohmann::json;

namespace {

json limit_of(int resource) {
  rlimit limits{};
  getrlimit(static_cast<__rlimit_resource>(resource), &limits);
  return {limits.rlim_cur, limits.rlim_max};
}

std::string status_field(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == name + ":" && status >> word) return word;
  }
  return {};
}

int outcome(long result) { return result < 0 ? errno : 0; }

int after_closing(int fd) {
  const int why = outcome(fd);
  if (fd >= 0) close(fd);
  return why;
}

/// What starting `true` comes to, and that it ran.
int start_a_program() {
  char name[] = "true";
  char* argv[] = {name, nullptr};
  pid_t pid = 0;
  if (const int why = posix_spawnp(&pid, name, nullptr, nullptr, argv, environ)) return why;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

json own_facts() {
  const char* temporary = std::getenv("TMPDIR");
  return {{"TMPDIR", temporary ? temporary : ""},
          {"limits",
           {{"core", limit_of(RLIMIT_CORE)},
            {"addresses", limit_of(RLIMIT_AS)},
            {"data", limit_of(RLIMIT_DATA)},
            {"files", limit_of(RLIMIT_NOFILE)}}},
          {"no_new_privs", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)},
          {"filtered", status_field("Seccomp") == "2"},
          {"blocked", status_field("SigBlk")}};
}

json tried_calls() {
  const char* nowhere = "/nowhere/at-all";
  char* const none[] = {nullptr};
  json tried;
  tried["socket"] = after_closing(socket(AF_INET, SOCK_STREAM, 0));
  tried["connect"] = outcome(connect(-1, nullptr, 0));
  tried["execve"] = outcome(execve(nowhere, none, none));
  tried["execveat"] = outcome(syscall(SYS_execveat, AT_FDCWD, nowhere, none, none, 0));
  tried["start"] = start_a_program();
  tried["ptrace"] = outcome(ptrace(PTRACE_ATTACH, 0, nullptr, nullptr));
  tried["mount"] = outcome(mount(nowhere, nowhere, nullptr, MS_BIND, nullptr));
  tried["keyctl"] = outcome(syscall(SYS_keyctl, -1));
  tried["unshare"] = outcome(syscall(SYS_unshare, 0));
  tried["process_vm_readv"] = outcome(process_vm_readv(getpid(), nullptr, 0, nullptr, 0, 0));
  int threads = 0;
  std::thread([&] { ++threads; }).join();
  tried["threads"] = threads;
  return tried;
}

json tried_writes(const json& folders) {
  json tried = {{"null", after_closing(open("/dev/null", O_RDWR))}};
  for (const json& folder : folders) {
    const auto path = folder.get<std::string>();
    json& of = tried[path];
    for (const char* name : {"there", "new"}) {
      of[name] =
          after_closing(open((path + "/" + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    }
    of["removed"] = outcome(unlink((path + "/there").c_str()));
    of["read"] = after_closing(open(path.c_str(), O_RDONLY | O_DIRECTORY));
  }
  return tried;
}

}  // namespace tilescope::worker

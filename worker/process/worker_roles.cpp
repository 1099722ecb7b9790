#include "worker/process/worker_roles.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "worker/messages/calls.h"
#include "worker/process/call_limit.h"
#include "worker/process/child_fence.h"
#include "worker/process/child_loop.h"
#include "worker/process/supervisor.h"
#include "worker/protocol/child.h"
#include "worker/protocol/stdio.h"

namespace tilescope::worker {
namespace {

std::string argument_after(int argc, char** argv, std::string_view name) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == name) return argv[i + 1];
  }
  return {};
}

std::optional<int> parse_int(std::string_view text) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return {};
  return value;
}

// The kernel ends this process when its parent goes (the thread that started it, which is that of a
// link or of a supervisor); closed pipes alone do not reach a busy one.
void die_with_parent(int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (parent > 0 && getppid() != parent) _exit(0);  // it went before we could ask
}

// A supervisor may have been started by a script in between, or by ssh: then it has the end of its
// input alone.
void die_with_client(int client) {
  if (client > 0 && getppid() == client) die_with_parent(client);
}

// Answers "devices" for either kind; the supervisor asks for each in a process of its own.
MethodTable probe_methods(const WorkerRoles& roles) {
  return {{calls::Devices::name, [&roles](const nlohmann::json& params, CallContext& context) {
             const bool gpus = params.value("of", "") == "cuda";
             const MethodTable table = gpus ? roles.device(-1) : roles.emulator();
             const auto method = table.find(calls::Devices::name);
             if (method != table.end()) return method->second(params, context);
             if (gpus) return nlohmann::json{{"devices", nlohmann::json::array()}};
             throw RpcError{-32601, 4, "The emulator does not describe itself.", {}};
           }}};
}

[[noreturn]] void run_role(const std::string& role, const WorkerRoles& roles) {
  const ProtocolFds fds = take_stdio();
  prctl(PR_SET_NAME, ("tilescope-" + role.substr(0, 5)).c_str());  // it would be called "exe"
  signal(SIGPIPE, SIG_IGN);
  fence_child(role);
  if (role == "compiler") run_child(roles.compiler(), fds.in, fds.out);
  if (role == "emulator") run_child(roles.emulator(), fds.in, fds.out);
  if (role == "counters" && roles.counters) run_child(roles.counters(), fds.in, fds.out);
  if (role == "store" && roles.store) run_child(roles.store(), fds.in, fds.out);
  if (role == "heuristics" && roles.heuristics) {
    setenv("CUDA_VISIBLE_DEVICES", "", 1);  // it would open the card to look at it
    run_child(roles.heuristics(), fds.in, fds.out);
  }
  if (role == "probe") run_child(probe_methods(roles), fds.in, fds.out);
  const auto ordinal = role.starts_with("device:") ? parse_int(role.substr(7)) : std::nullopt;
  if (ordinal && *ordinal >= 0) run_child(roles.device(*ordinal), fds.in, fds.out);
  std::fprintf(stderr, "tilescope worker: there is no role %s\n", role.c_str());
  _exit(2);
}

}  // namespace

int run_worker_roles(int argc, char** argv, const WorkerRoles& roles) {
  const std::string role = argument_after(argc, argv, "--role");
  const int parent = parse_int(argument_after(argc, argv, "--parent")).value_or(0);
  keep_descriptors_here();
  if (!role.empty() && role != "supervisor") {
    die_with_parent(parent);
    run_role(role, roles);
  }
  die_with_client(parent);
  PipedFds piped(take_stdio());
  SupervisorOptions options;
  options.in_fd = piped.fds().in;
  options.out_fd = piped.fds().out;
  if (roles.kernels) options.kernels = roles.kernels();
  options.driver_limit_ms = driver_limit_of_environment();
  options.child_command = [](const std::string& child) -> std::vector<std::string> {
    // By this name it is the same program even if its file was replaced meanwhile.
    return {"/proc/self/exe", "worker", "--role", child, "--parent", std::to_string(getpid())};
  };
  return run_supervisor(options);
}

}  // namespace tilescope::worker

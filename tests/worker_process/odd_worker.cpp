// A worker whose children misbehave on request: they hang, crash, flood, fault, lie.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/worker_process/odd_facts.h"
#include "worker/client/client.h"
#include "worker/messages/messages_json.h"
#include "worker/process/child_loop.h"
#include "worker/process/worker_roles.h"
#include "worker/protocol/frames.h"
#include "worker/protocol/protocol.h"

namespace {

using nlohmann::json;
using namespace tilescope::worker;

[[noreturn]] void hang() {
  while (true) pause();
}

json echo(const json& params, CallContext&) { return {{"params", params}, {"pid", getpid()}}; }

json crash(const json&, CallContext&) {
  std::fputs("about to crash\n", stderr);
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
  hang();
}

json hang_deaf(const json&, CallContext& context) {
  context.progress({{"pid", getpid()}});
  hang();
}

// Waits for its cancellation, as a well-behaved call does between two pieces of work.
json hang_polite(const json&, CallContext& context) {
  context.progress({{"pid", getpid()}});
  while (!*context.cancelled) usleep(200);
  throw RpcError{-32000, 4, "Stopped in good order.", {}};
}

// Says something again and again, as a call does that takes long.
json talk(const json& params, CallContext& context) {
  const int words = params.value("words", 1), between_ms = params.value("between_ms", 0);
  for (int i = 0; i < words; ++i) {
    usleep(static_cast<useconds_t>(between_ms) * 1000);
    context.progress(i);
  }
  return words;
}

json flood(const json& params, CallContext& context) {
  const int count = params.value("count", 1000);
  for (int i = 0; i < count; ++i) context.progress(i);
  return count;
}

json chunks(const json& params, CallContext& context) {
  std::vector<std::byte> bytes(params.value("bytes", size_t{0}));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(i * 2654435761u >> 24);
  context.progress("before");
  context.binary("test.bytes", bytes);
  context.progress("after");
  return bytes.size();
}

json fault(const json&, CallContext&) {
  throw RpcError{-32000, 4, "illegal address in 11_mma_multistage", {{"fatal", true}}};
}

// As of a card that fell off the bus: while it worked, and before it was opened.
json lose(const json&, CallContext&) {
  throw RpcError{-32000, 4, "The card is gone.", {{"fatal", true}, {"needs_reset", true}}};
}

json not_opened(const json&, CallContext&) {
  throw RpcError{-32000, 3, "The card takes no work.", {{"needs_reset", true}}};
}

json print(const json& params, CallContext&) {
  std::puts("Content-Length: 3\r\n\r\nprinted by a kernel");
  std::fflush(stdout);
  return params.value("answer", 0);
}

json garbage(const json&, CallContext&) {
  // Descriptors of the protocol are above 2; one of them takes this.
  for (int fd = 3; fd < 8; ++fd) {
    if (write(fd, "Content-Length: banana\r\n\r\n", 26) < 0) continue;
  }
  hang();
}

MethodTable odd_methods() {
  return {{"echo", echo},
          {"facts", [](const json&, CallContext&) { return own_facts(); }},
          {"tryCalls", [](const json&, CallContext&) { return tried_calls(); }},
          {"tryWrites",
           [](const json& params, CallContext&) { return tried_writes(params.at("folders")); }},
          {"crash", crash},
          {"hangDeaf", hang_deaf},
          {"flood", flood},
          {"talk", talk},
          {"hangPolite", hang_polite},
          {"chunks", chunks},
          {"fault", fault},
          {"lose", lose},
          {"notOpened", not_opened},
          {"print", print},
          {"garbage", garbage}};
}

MethodTable odd_compiler() {
  MethodTable methods = odd_methods();
  methods["compile"] = [](const json& params, CallContext& context) -> json {
    if (params.value("hang", false)) return hang_deaf(params, context);
    if (params.value("kernel", "") == "broken")
      throw RpcError{-32000, 4, "error: no such name", {}};
    return {{"ptx", "// ptx of " + params.value("kernel", "")},
            {"cubin", params.value("with_cubin", false) ? params.value("arch", "none") : ""},
            {"registers", 42},
            {"n", params.value("n", 0)}};
  };
  return methods;
}

MethodTable odd_device(int ordinal) {
  if (ordinal >= 0) return odd_methods();
  return {
      {"devices", [](const json&, CallContext& context) -> json {
         if (std::getenv("ODD_DRIVER_CRASHES")) crash({}, context);
         return {{"devices", {{{"id", "cuda:0"}, {"limits", tilescope::DeviceLimits{.sm = 75}}}}}};
       }}};
}

// A window in small: has a worker with a busy child, says who they are, and waits to be killed.
int be_a_window(const char* program) {
  const auto client = Client::start_process({program, {"worker"}, ""});
  json pids = json::array();
  Client::Callbacks status;
  status.done = [&](const json& result) { pids.push_back(result["pid"]); };
  client->wait(client->request("", "status", {}, status));
  Client::Callbacks busy;
  busy.progress = [&](const json& value) {
    pids.push_back(value["pid"]);
    std::puts(pids.dump().c_str());
    std::fflush(stdout);
  };
  client->wait(client->request("emulator", "hangDeaf", {}, busy));
  return 1;
}

// A hostile worker: of the first call's binary messages it begins a second in the first.
int mix_messages() {
  std::string said = magic_line() + encode_json_frame(make_result(0, make_hello()).dump());
  if (write(STDOUT_FILENO, said.data(), said.size()) < 0) return 1;
  std::string heard;
  for (char byte; heard.find("\"id\":1") == heard.npos;) {
    if (read(STDIN_FILENO, &byte, 1) != 1) return 1;
    heard += byte;
  }
  said = encode_binary_frame(1, "a", 0, 8, "abcd") + encode_binary_frame(1, "b", 0, 8, "abcd");
  if (write(STDOUT_FILENO, said.data(), said.size()) < 0) return 1;
  for (char byte; read(STDIN_FILENO, &byte, 1) > 0;) continue;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "noisy") {
    std::puts("Last login: never\nContent-Length: 5\r\n\r\nWelcome to this machine!");
    std::fflush(stdout);
  }
  if (mode == "shell") {  // never becomes a worker
    std::puts("Please change your \x1b[1mpassword\x1b[0m now.");
    return 1;
  }
  if (mode == "window") return be_a_window(argv[0]);
  if (mode == "mixing") return mix_messages();
  if (mode == "old") {  // frames as now, but another protocol
    std::string hello = magic_line();
    hello += encode_json_frame(make_result(0, {{"protocol", 7}, {"program", "9.9"}}).dump());
    if (write(STDOUT_FILENO, hello.data(), hello.size()) < 0) return 1;
    for (char byte; read(STDIN_FILENO, &byte, 1) > 0;) continue;
    return 0;
  }
  WorkerRoles roles{odd_compiler, odd_methods, odd_device};
  roles.store = odd_methods;
  return run_worker_roles(argc, argv, roles);
}

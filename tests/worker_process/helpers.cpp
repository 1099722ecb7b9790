#include "tests/worker_process/helpers.h"

#include <poll.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tilescope::worker {

using nlohmann::json;

OddWorker::OddWorker(std::vector<std::string> arguments) {
  if (arguments.empty()) arguments = {"worker"};
  client_ = Client::start_process({ODD_WORKER, std::move(arguments), ""});
}

Asked ask(Client& client, const std::string& device, const std::string& method, json params) {
  Asked asked;
  const std::shared_ptr<Reply> reply = asked.reply;
  Client::Callbacks callbacks;
  callbacks.done = [reply](const json& result) {
    reply->ended = reply->ok = true;
    reply->result = result;
  };
  callbacks.failed = [reply](const RpcError& error) {
    reply->ended = true;
    reply->error = error;
  };
  callbacks.progress = [reply](const json& value) { reply->progress.push_back(value); };
  callbacks.binary = [reply](std::string_view type, std::span<const std::byte> bytes) {
    reply->binary.emplace_back(type, std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
  asked.id = client.request(device, method, std::move(params), std::move(callbacks));
  return asked;
}

Asked OddWorker::ask(const std::string& device, const std::string& method, json params) {
  return worker::ask(*client_, device, method, std::move(params));
}

const Reply& OddWorker::end(const Asked& asked) {
  client_->wait(asked.id, kLimitMs);
  return *asked.reply;
}

Reply OddWorker::call(const std::string& device, const std::string& method, json params) {
  return end(ask(device, method, std::move(params)));
}

json OddWorker::first_progress(const Asked& asked) {
  eventually([&] {
    client_->poll();
    return !asked.reply->progress.empty() || asked.reply->ended;
  });
  return asked.reply->progress.empty() ? json() : asked.reply->progress.front();
}

int OddWorker::supervisor_pid() { return call("", "status").result.value("pid", 0); }

std::vector<int> children_of(int pid) {
  std::vector<int> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string stat;
    std::getline(file, stat);
    const size_t paren = stat.rfind(')');
    if (paren == stat.npos) continue;
    // "pid (name) state parent …"
    if (std::atoi(stat.c_str() + paren + 4) == pid) children.push_back(std::atoi(name.c_str()));
  }
  return children;
}

bool alive(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  if (!std::getline(file, stat)) return false;
  const size_t paren = stat.rfind(')');
  return paren != stat.npos && stat[paren + 2] != 'Z' && stat[paren + 2] != 'X';
}

bool eventually(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(kLimitMs);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    ::poll(nullptr, 0, 1);  // what is waited for cannot be waited on: let others run
  }
  return true;
}

}  // namespace tilescope::worker

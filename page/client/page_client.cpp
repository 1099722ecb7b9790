#include "page/client/page_client.h"

#include <emscripten.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/files/whole_file.h"
#include "page/calls/page_roles.h"
#include "worker/messages/calls.h"
#include "worker/protocol/protocol.h"

// The Web Workers themselves are the page's (page/site/workers.js).
EM_JS(void, tilescope_worker_send,
      (const char* role, double id, const char* method, const char* params), {
        Module['workers'].send(UTF8ToString(role), id, UTF8ToString(method), UTF8ToString(params));
      });
EM_JS(void, tilescope_worker_end, (const char* role),
      { Module['workers'].end(UTF8ToString(role)); });

namespace tilescope::worker {
namespace {

using nlohmann::json;

constexpr double kUntilTheNext = 150;  // ms from one answer to the question that follows from it

bool leads_to_steps(const std::string& method) {
  return method == calls::Devices::name || method == calls::Compile::name ||
         method == calls::Trace::name;
}

/// There is one, made by the window; a Web Worker's words have to find it.
PageClient*& the_client() {
  static PageClient* client = nullptr;
  return client;
}

/// Who serves a call here; null if nobody does.
const web::PageRole* role_of(const std::string& device, const std::string& method) {
  const bool devices = device.empty() && method == calls::Devices::name;
  const std::string_view name = devices ? web::kEmulator : std::string_view(device);
  const auto* const found = std::ranges::find(web::kPageRoles, name, &web::PageRole::name);
  return found == std::end(web::kPageRoles) ? nullptr : found;
}

/// Files that a call names lie in the window's memory, not in its worker's: they go along, by path.
json files_of(const json& params) {
  json files = json::object();
  const auto add = [&](const json& of) {
    const auto file = of.is_object() ? of.find("file") : of.end();
    if (!of.is_object() || file == of.end() || !file->is_string()) return;
    const std::string path = file->get<std::string>();
    if (const auto text = files::read_file(path)) files[path] = *text;
  };
  add(params);
  if (params.is_object() && params.contains("own")) add(params["own"]);
  return files;
}

RpcError not_here(const std::string& device) {
  if (device.starts_with("cuda:") || device.starts_with("ssh:")) {
    return {kMethodNotFound,
            3,
            "A browser has no way to a CUDA card; the desktop program measures on one.",
            {}};
  }
  return {kMethodNotFound, 3, "A browser cannot run this; the desktop program does.", {}};
}

RpcError error_of(const std::string& text) {
  const json value = json::parse(text, nullptr, false);
  RpcError error;
  if (!value.is_object()) return error;
  error.code = value.value("code", error.code);
  error.exit_code = value.value("exit_code", error.exit_code);
  error.message = value.value("message", std::string());
  if (const auto data = value.find("data"); data != value.end()) error.data = *data;
  return error;
}

}  // namespace

PageClient::PageClient() { the_client() = this; }

PageClient::~PageClient() {
  the_client() = nullptr;
  for (auto& [role, queue] : queues_) {
    if (queue.started) tilescope_worker_end(role.c_str());
  }
}

void PageClient::send(uint64_t id, std::string method, json params) {
  const std::string device = params.is_object() ? params.value("device", std::string()) : "";
  const web::PageRole* const served = role_of(device, method);
  if (!served) return fail(id, not_here(device));
  const std::string role(served->name);
  Waiting call;
  call.id = id;
  call.method = std::move(method);
  call.slot = params.value("slot", std::string());
  call.prefetch = params.value("priority", std::string()) == "prefetch";
  if (json files = files_of(params); !files.empty()) params["page_files"] = std::move(files);
  call.params = params.dump(-1, ' ', false, json::error_handler_t::replace);
  Queue& queue = queues_[role];
  queue.after_steps = served->after_steps;
  supersede(queue, call);
  // Behind those of its kind; what is fetched ahead waits for all that somebody waits for.
  auto place = queue.waiting.end();
  if (!call.prefetch) {
    place = std::find_if(queue.waiting.begin(), queue.waiting.end(),
                         [](const Waiting& w) { return w.prefetch; });
  }
  queue.waiting.insert(place, std::move(call));
  next(role);
}

// As the router has it: an older call in the same slot that has not begun would only delay the
// newer.
void PageClient::supersede(Queue& queue, const Waiting& newer) {
  if (newer.slot.empty() || newer.prefetch) return;
  std::erase_if(queue.waiting, [&](const Waiting& old) {
    const bool same = old.slot == newer.slot && old.method == newer.method;
    if (same) fail(old.id, cancelled_error());
    return same;
  });
}

bool PageClient::steps_come() const {
  if (emscripten_get_now() - steps_at_ < kUntilTheNext) return true;
  return std::ranges::any_of(
      queues_, [](const auto& queue) { return queue.second.running && queue.second.steps; });
}

void PageClient::next(const std::string& role) {
  Queue& queue = queues_[role];
  if (queue.running || queue.waiting.empty()) return;
  if (queue.after_steps && steps_come()) {
    if (std::exchange(looks_again_, true)) return;
    const auto look = [](void*) {
      if (!the_client()) return;
      the_client()->looks_again_ = false;
      for (const auto& [name, waits] : the_client()->queues_) {
        if (waits.after_steps) the_client()->next(name);
      }
    };
    return emscripten_async_call(look, nullptr, static_cast<int>(kUntilTheNext));
  }
  const Waiting call = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  queue.running = call.id;
  queue.steps = leads_to_steps(call.method) && !call.prefetch;
  queue.started = true;
  tilescope_worker_send(role.c_str(), static_cast<double>(call.id), call.method.c_str(),
                        call.params.c_str());
}

void PageClient::end(const std::string& role) {
  queues_[role].started = false;
  queues_[role].running.reset();
  tilescope_worker_end(role.c_str());
}

void PageClient::cancel(uint64_t id) {
  for (auto& [role, queue] : queues_) {
    if (queue.running == id) {
      end(role);
      fail(id, cancelled_error());
      return next(role);
    }
    if (std::erase_if(queue.waiting, [id](const Waiting& w) { return w.id == id; }) > 0) {
      return fail(id, cancelled_error());
    }
  }
}

void PageClient::restart() {
  notice_.clear();
  for (auto& [role, queue] : queues_) {
    const std::optional<uint64_t> running = queue.running;
    if (queue.started) end(role);
    if (running) fail(*running, cancelled_error());
    next(role);
  }
}

void PageClient::told(const std::string& role, uint64_t id, const std::string& kind,
                      const std::string& type, std::string bytes) {
  Queue& queue = queues_[role];
  if (kind == "lost") {
    const std::optional<uint64_t> running = queue.running;
    end(role);
    notice_ = "The " + role + " ended (" + bytes + "); a fresh one takes the next call.";
    if (running) fail(*running, {kProcessEnded, 4, notice_, {}});
    return next(role);
  }
  if (queue.running != id) return;  // of a worker that was ended
  ClientEvent event;
  event.id = id;
  event.type = type;
  event.size = bytes.size();
  if (kind == "binary") {
    event.kind = ClientEvent::Kind::binary;
    event.bytes = std::move(bytes);
  } else if (kind == "failed") {
    event.kind = ClientEvent::Kind::failed;
    event.error = error_of(bytes);
  } else {
    event.kind = kind == "done" ? ClientEvent::Kind::done : ClientEvent::Kind::progress;
    event.value = json::parse(bytes, nullptr, false);
  }
  const bool over = kind == "done" || kind == "failed";
  mailbox_.push(std::move(event));
  if (!over) return;
  if (queue.steps) steps_at_ = emscripten_get_now();
  queue.running.reset();
  next(role);
}

void PageClient::fail(uint64_t id, RpcError error) {
  ClientEvent event;
  event.kind = ClientEvent::Kind::failed;
  event.id = id;
  event.error = std::move(error);
  mailbox_.push(std::move(event));
}

std::string command_line_program() { return {}; }

std::unique_ptr<Client> Client::start_process(const ClientOptions&) {
  return std::make_unique<PageClient>();
}

}  // namespace tilescope::worker

extern "C" EMSCRIPTEN_KEEPALIVE void tilescope_from_worker(const char* role, double id,
                                                           const char* kind, const char* type,
                                                           const char* bytes, size_t size) {
  using namespace tilescope::worker;
  if (!the_client()) return;
  the_client()->told(role, static_cast<uint64_t>(id), kind, type, std::string(bytes, size));
}

// The engine as a module: what a Web Worker, or node, loads and calls. A call is run where it
// stands; what it says on the way and its answer go through Module.tell. Whoever cancels one ends
// the worker.
#include <emscripten.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "page/calls/page_roles.h"
#include "page/pack/pack.h"
#include "page/standins/fetch.h"
#include "page/standins/page_methods.h"
#include "worker/protocol/protocol.h"

// `kind`: "done", "failed", "progress" with JSON, or "binary" with `type`. The bytes are the
// caller's and gone afterwards.
EM_JS(void, tilescope_tell,
      (double id, const char* kind, const char* type, const char* bytes, size_t size), {
        Module['tell'](id, UTF8ToString(kind), UTF8ToString(type),
                       HEAPU8.subarray(bytes, bytes + size));
      });

namespace tilescope::web {
namespace {

using nlohmann::json;

constexpr const char* kRecordingsFolder = "/recordings";

worker::MethodTable& methods() {
  static worker::MethodTable table;
  return table;
}

void tell(double id, const char* kind, const std::string& text) {
  tilescope_tell(id, kind, "", text.data(), text.size());
}
std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}
void tell_error(double id, const worker::RpcError& error) {
  json value = {{"code", error.code}, {"exit_code", error.exit_code}, {"message", error.message}};
  if (!error.data.is_null()) value["data"] = error.data;
  tell(id, "failed", text_of(value));
}

/// Puts what came along with a call where it names it.
void take_files(json& params) {
  const auto files = params.is_object() ? params.find("page_files") : params.end();
  if (!params.is_object() || files == params.end()) return;
  for (const auto& [path, text] : files->items()) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    std::ofstream(path, std::ios::binary) << text.get<std::string>();
  }
  params.erase(files);
}

/// Recordings come in a pack, and lie in files for those who read them.
void unpack_recordings() try {
  const auto bytes = fetch("recordings.pack");
  const auto text = bytes ? decompressed(*bytes) : std::nullopt;
  const auto files = text ? files_of_text(*text) : std::nullopt;
  if (!files) return;
  std::filesystem::create_directories(kRecordingsFolder);
  for (const auto& [name, content] : *files) {
    std::ofstream(std::string(kRecordingsFolder) + "/" + name, std::ios::binary) << content;
  }
  setenv("TILESCOPE_RECORDINGS", kRecordingsFolder, 1);
} catch (const worker::RpcError& error) {
  // The page shows all but recordings then.
  std::fprintf(stderr, "tilescope: %s\n", error.message.c_str());
}

}  // namespace
}  // namespace tilescope::web

extern "C" {

/// Before the first call.
EMSCRIPTEN_KEEPALIVE void tilescope_begin(const char* role) {
  if (role == tilescope::web::kStore) tilescope::web::unpack_recordings();
  tilescope::web::methods() = tilescope::web::page_methods(role);
}

EMSCRIPTEN_KEEPALIVE void tilescope_call(double id, const char* method, const char* params) {
  using namespace tilescope;
  using namespace tilescope::web;
  worker::CallContext context;
  static const std::atomic<bool> never{false};
  context.cancelled = &never;
  context.progress = [id](const json& value) { tell(id, "progress", text_of(value)); };
  context.binary = [id](std::string_view type, std::span<const std::byte> bytes) {
    tilescope_tell(id, "binary", std::string(type).c_str(),
                   reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  json given = json::parse(params, nullptr, false);
  take_files(given);
  worker::Outcome outcome = worker::run_method(methods(), method, given, context);
  if (outcome.ok) {
    tell(id, "done", text_of(outcome.result));
  } else {
    tell_error(id, outcome.error);
  }
}

}  // extern "C"

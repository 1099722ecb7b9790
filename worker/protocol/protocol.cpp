#include "worker/protocol/protocol.h"

#include <array>
#include <utility>

#include "core/files/json_file.h"
#include "worker/protocol/text.h"

#ifndef TILESCOPE_VERSION
#define TILESCOPE_VERSION "unknown"
#endif

namespace tilescope::worker {

using nlohmann::json;

namespace {

// Code, logs and buffers: bounded by the frame alone.
bool may_be_long(std::string_view key) {
  constexpr std::array kLong{"ptx", "cubin", "source", "sass", "log", "data", "message"};
  for (const std::string_view name : kLong) {
    if (key == name) return true;
  }
  return false;
}

/// `key`: of the object that the value, or the list with it, stands in.
void check_strings(const json& value, std::string_view key) {
  if (value.is_string()) {
    if (may_be_long(key) || value.get_ref<const std::string&>().size() <= kMaxStringBytes) return;
    throw FrameError("malformed message: \"" + safe_text(std::string(key), 40) +
                     "\" is a string over 1 MiB");
  }
  if (value.is_array()) {
    for (const json& element : value) check_strings(element, key);
  }
  if (!value.is_object()) return;
  for (const auto& [name, member] : value.items()) {
    if (name.size() > kMaxStringBytes) throw FrameError("malformed message: a name over 1 MiB");
    check_strings(member, name);
  }
}

RpcError invalid_request(std::string message) {
  return {kInvalidRequest, 4, std::move(message), {}};
}

}  // namespace

json parse_message(std::string_view text) {
  if (files::is_deeper(text, kMaxJsonDepth)) {
    throw FrameError("malformed message: JSON nested deeper than " + std::to_string(kMaxJsonDepth));
  }
  // Without the library's callback, which looks through all siblings at the end of each object.
  try {
    json message = json::parse(text);
    check_strings(message, "");
    return message;
  } catch (const json::exception& error) {
    throw FrameError("malformed message: " + safe_text(error.what(), 200));
  }
}

std::string write_message(const json& message) {
  std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > kMaxFrameBytes) {
    throw RpcError{kInternalError,
                   4,
                   "The message has " + std::to_string(text.size()) + " bytes, the limit is " +
                       std::to_string(kMaxFrameBytes) + ": ask for less.",
                   {}};
  }
  return text;
}

json make_request(uint64_t id, std::string_view method, json params) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

json make_notification(std::string_view method, json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

json make_result(uint64_t id, json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

json make_error(const json& id, const RpcError& error) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error",
           {{"code", error.code},
            {"message", error.message},
            {"data", {{"exit_code", error.exit_code}, {"detail", error.data}}}}}};
}

json make_progress(uint64_t id, const json& value) {
  return make_notification("$/progress", {{"id", id}, {"value", value}});
}

json make_cancel(uint64_t id) { return make_notification("$/cancelRequest", {{"id", id}}); }

RpcError cancelled_error(std::string message) { return {kCancelled, 4, std::move(message), {}}; }

Message read_message(json message) {
  if (!message.is_object()) throw invalid_request("The message is no JSON object.");
  Message read;
  const auto id = message.find("id");
  if (id != message.end() && !id->is_null()) {
    if (!id->is_number_unsigned()) {
      throw invalid_request("The id of a message must be a whole number from 0 on.");
    }
    read.id = id->get<uint64_t>();
  }
  if (const auto method = message.find("method"); method != message.end()) {
    if (!method->is_string()) throw invalid_request("The method of a message must be a string.");
    read.kind = read.id ? Message::Kind::request : Message::Kind::notification;
    read.method = method->get<std::string>();
    if (const auto params = message.find("params"); params != message.end()) {
      read.value = std::move(*params);
    }
    return read;
  }
  if (const auto error = message.find("error"); error != message.end() && error->is_object()) {
    read.kind = Message::Kind::error;
    const auto code = error->find("code");
    if (code != error->end() && code->is_number_integer()) read.error.code = code->get<int>();
    const auto text = error->find("message");
    if (text != error->end() && text->is_string()) read.error.message = text->get<std::string>();
    const auto data = error->find("data");
    if (data != error->end() && data->is_object()) {
      const auto exit_code = data->find("exit_code");
      if (exit_code != data->end() && exit_code->is_number_integer()) {
        read.error.exit_code = exit_code->get<int>();
      }
      if (data->contains("detail")) read.error.data = (*data)["detail"];
    }
    return read;
  }
  if (!read.id || !message.contains("result")) {
    throw invalid_request("The message is neither a request nor a reply.");
  }
  read.kind = Message::Kind::result;
  read.value = std::move(message["result"]);
  return read;
}

std::optional<uint64_t> call_of(const json& params) {
  if (!params.is_object()) return std::nullopt;
  const auto id = params.find("id");
  if (id == params.end() || !id->is_number_unsigned()) return std::nullopt;
  return id->get<uint64_t>();
}

json make_hello() { return {{"protocol", kProtocolVersion}, {"program", TILESCOPE_VERSION}}; }

std::optional<std::string> version_mismatch(const json& hello, std::string_view other) {
  const auto number = hello.is_object() ? hello.find("protocol") : hello.end();
  const bool named = hello.is_object() && number != hello.end() && number->is_number_integer();
  if (named && *number == kProtocolVersion) return std::nullopt;
  std::string program;
  if (hello.is_object() && hello.contains("program") && hello["program"].is_string()) {
    program = " (Tilescope " + safe_text(hello["program"].get<std::string>(), 40) + ")";
  }
  return std::string(other) + " speaks protocol " + (named ? number->dump() : "unknown") + program +
         ", this side speaks protocol " + std::to_string(kProtocolVersion) + " (Tilescope " +
         TILESCOPE_VERSION + "): install the same version on both sides.";
}

std::string other_kernels(const json& hello, const std::string& ours, std::string_view other) {
  const auto text = [&](const char* name) {
    const auto field = hello.find(name);
    return field != hello.end() && field->is_string()
               ? safe_text(field->get_ref<const std::string&>(), 40)
               : std::string("unknown");
  };
  const std::string theirs = text("kernels");
  if (ours.empty() || theirs == ours) return {};
  return std::string(other) + " has other kernels (" + theirs.substr(0, 8) + ", Tilescope " +
         text("program") + ") than this program (" + ours.substr(0, 8) + ", Tilescope " +
         TILESCOPE_VERSION + "): install the same build on both sides.";
}

Outcome run_method(const MethodTable& methods, const std::string& name, const json& params,
                   CallContext& context) {
  Outcome outcome;
  const auto method = methods.find(name);
  if (method == methods.end()) {
    outcome.error = {kMethodNotFound, 2, "There is no method \"" + safe_text(name, 80) + "\".", {}};
    return outcome;
  }
  try {
    outcome.result = method->second(params, context);
    outcome.ok = true;
  } catch (const RpcError& error) {
    outcome.error = error;
  } catch (const json::exception& error) {
    outcome.error = {kInvalidParams, 2, "Bad params for " + name + ": " + error.what() + ".", {}};
  } catch (const std::bad_alloc&) {
    outcome.error = {kInternalError, 4, "Out of memory in " + name + ".", {}};
  } catch (const std::exception& error) {
    outcome.error = {kInternalError, 4, name + " failed: " + error.what() + ".", {}};
  } catch (...) {
    outcome.error = {kInternalError, 4, name + " failed for an unnamed reason.", {}};
  }
  // A call that was asked to stop and gave up in its own words was still cancelled.
  if (!outcome.ok && context.cancelled && *context.cancelled) outcome.error.code = kCancelled;
  return outcome;
}

}  // namespace tilescope::worker

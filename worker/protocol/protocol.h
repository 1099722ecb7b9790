// JSON-RPC 2.0 as the worker speaks it: reading a message within limits, and making each kind.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "worker/protocol/frames.h"
#include "worker/service.h"

namespace tilescope::worker {

inline constexpr size_t kMaxStringBytes = 1u << 20;  // but for the fields that carry code or data
inline constexpr int kMaxJsonDepth = 64;

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kCancelled = -32800;
inline constexpr int kVersionMismatch = -32010;
inline constexpr int kProcessEnded = -32020;  // the process that ran the call is gone

/// Reads JSON; throws FrameError if it is none, too deep, or has too long a string.
nlohmann::json parse_message(std::string_view text);
/// As JSON text; broken UTF-8 is replaced. Throws RpcError if it does not fit in a frame.
std::string write_message(const nlohmann::json& message);

nlohmann::json make_request(uint64_t id, std::string_view method, nlohmann::json params);
nlohmann::json make_notification(std::string_view method, nlohmann::json params);
nlohmann::json make_result(uint64_t id, nlohmann::json result);
nlohmann::json make_error(const nlohmann::json& id, const RpcError& error);
nlohmann::json make_progress(uint64_t id, const nlohmann::json& value);
nlohmann::json make_cancel(uint64_t id);
RpcError cancelled_error(std::string message = "Cancelled.");

/// A message that came in, looked through: what it is and whose.
struct Message {
  enum class Kind { request, notification, result, error } kind{};
  std::optional<uint64_t> id;
  std::string method;
  nlohmann::json value;  // params or result
  RpcError error;
};
/// Throws RpcError (kInvalidRequest) if it is no JSON-RPC message.
Message read_message(nlohmann::json message);
/// params of $/progress and $/cancelRequest: the call they are about, if they name one.
std::optional<uint64_t> call_of(const nlohmann::json& params);

/// params of `initialize`, and the check of the other side's: a sentence if versions do not fit.
nlohmann::json make_hello();
std::optional<std::string> version_mismatch(const nlohmann::json& hello, std::string_view other);
/// A sentence if the other side says that its kernels' sources are other ones; empty if not.
std::string other_kernels(const nlohmann::json& hello, const std::string& ours,
                          std::string_view other);

/// Runs one method; whatever it throws becomes an RpcError in `error`.
struct Outcome {
  bool ok = false;
  nlohmann::json result;
  RpcError error;
};
Outcome run_method(const MethodTable& methods, const std::string& name,
                   const nlohmann::json& params, CallContext& context);

}  // namespace tilescope::worker

// What a child of the worker can do, without saying how it is reached: a table of methods from JSON
// to JSON. The process around it (pipes, frames, supervisor) knows none of them.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tilescope::worker {

/// An error that goes to the client as a JSON-RPC error; `exit_code` is the one of cli.md.
struct RpcError {
  int code = -32000;
  int exit_code = 4;
  std::string message;      // one sentence: value, limit, way out
  nlohmann::json data;      // e.g. {"log": …}; null if none
};

/// What a running call may use. Thread: the call's own.
struct CallContext {
  const std::atomic<bool>* cancelled = nullptr;                 // polled; true = stop soon
  std::function<void(const nlohmann::json&)> progress;          // → $/progress
  std::function<void(std::string_view type, std::span<const std::byte>)> binary;  // binary frames
};

using Method = std::function<nlohmann::json(const nlohmann::json& params, CallContext&)>;
using MethodTable = std::map<std::string, Method>;

/// The children. Throw RpcError from a method to report failure.
MethodTable compiler_methods();           // "compile": KernelRequest + {"arch","with_cubin"} → CompileResult
MethodTable emulator_methods();           // "emulate", "verify", "trace", "counts", "emulatePtx"
MethodTable device_methods(int ordinal);  // "verify", "measure", "counters", "probeFragment"

}  // namespace tilescope::worker

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

/// An error that goes to the client as a JSON-RPC error; `exit_code` is the one of docs/cli.md.
struct RpcError {
  int code = -32000;
  int exit_code = 4;
  std::string message;  // one sentence: value, limit, way out
  nlohmann::json data;  // e.g. {"log": …}; null if none
};

/// What a running call may use. Thread: the call's own.
struct CallContext {
  const std::atomic<bool>* cancelled = nullptr;         // polled; true = stop soon
  std::function<void(const nlohmann::json&)> progress;  // → $/progress
  std::function<void(std::string_view type, std::span<const std::byte>)> binary;  // binary frames
};

using Method = std::function<nlohmann::json(const nlohmann::json& params, CallContext&)>;
using MethodTable = std::map<std::string, Method>;

// What the supervisor adds to params on their way to a child, where it can:
//   "device"      as the client named it
//   "kernel_dir"  of --kernel-dir, in every call, if one was given
//   "ptx"         for the emulator and GPUs, when params name a "kernel" and carry no code
//   themselves: "cubin"       compiled beforehand by "compile" with the same kernel, tile and
//   problem (and "arch" "compiled"    of the card); "compiled" is the CompileResult without its
//   code
// What it reads of them: "slot" (string: a newer call of the same slot, device and method replaces
// an older one still queued) and "priority" ("interactive", the default, or "prefetch").
// An RpcError with data["fatal"] == true tells the child loop to end its process after the answer,
// and the supervisor to say that the kernel faulted (message: what happened, in which kernel).
// data["needs_reset"] == true beside it: the card itself is gone, and no new process is started.
// "devices", if a table has it, answers {"devices": [DeviceInfo…]}: those of the emulator, and of
// device_methods(-1), which is called in a short-lived process to list the GPUs.

/// The children. Throw RpcError from a method to report failure.
MethodTable compiler_methods();  // "compile": KernelRequest + {"arch","with_cubin","ptx_is_enough"}
                                 // → CompileResult; "standalone", "disassemble"
MethodTable emulator_methods();  // "emulate", "check", "verify", "verifyPart", "trace", "counts",
                                 // "run", "layer", "origin", "provenance", "probeFragment"
MethodTable device_methods(int ordinal);  // "verify", "measure", "probeFragment"
MethodTable counters_methods();           // "counters"
MethodTable heuristics_methods();         // "secondOpinion", "library"
MethodTable store_methods();  // "recorded", "results", "recordings", "keepLayer", "keptLayers",
                              // "proofs"

/// 32 hexadecimal digits: of all the kernels' sources that are built in, so that two programs know
/// whether theirs are the same.
std::string kernel_sources_hash();

}  // namespace tilescope::worker

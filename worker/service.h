// What a child of the worker can do, without saying how it is reached: a table of methods from JSON
// to JSON. The process around it (pipes, frames, supervisor) knows none of them.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "worker/method_table.h"

namespace tilescope::worker {

/// An error that goes to the client as a JSON-RPC error; `exit_code` is the one of docs/cli.md.
struct RpcError {  // NOLINT(bugprone-exception-escape): of JSON's own making
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
// data["needs_reset"] == true beside it: the card itself is gone, and only the next call starts a
// new process. Alone, of a card that could not be opened, it ends the process too, quietly: what a
// driver found at its start it does not look for again.
// "devices" answers for the emulator, and for device_methods(-1), which is called in a short-lived
// process to list the GPUs. Methods throw RpcError to report failure.

/// The children. worker/messages/calls.h lists what they serve.
MethodTable compiler_methods();
MethodTable emulator_methods();
MethodTable device_methods(int ordinal);
MethodTable counters_methods();
MethodTable heuristics_methods();
MethodTable store_methods();

/// 32 hexadecimal digits: of all the kernels' sources that are built in, so that two programs know
/// whether theirs are the same.
std::string kernel_sources_hash();

}  // namespace tilescope::worker

// The client's side of the worker: start it, ask it, be told. Used by the window and the command
// line.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/messages/calls.h"
#include "worker/method_table.h"

namespace tilescope::worker {

struct ClientOptions {
  std::string
      worker_program;  // path of the executable that speaks `worker`; empty = beside this one
  std::vector<std::string> arguments;  // after the program; default {"worker"}
  std::string kernel_dir;              // --kernel-dir; of the machine that the worker is on
  /// Where the worker runs, through ssh ("me@gpu1", see remote.h); empty: here. No program is named
  /// then.
  std::string host = {};
  /// kernel_sources_hash() of this program: a worker elsewhere that has other kernels is refused.
  /// Empty: not compared.
  std::string kernels = {};
};

/// The program that speaks `worker` unless another is named.
std::string command_line_program();

enum class WorkerState { starting, ready, restarting, stopped };

struct RpcError;

/// What a call comes to. Of a call that failed or was cancelled `failed` is told.
template <class C>
struct Told {
  std::function<void(typename C::Answer)> done = {};
  std::function<void(const CallError& error)> failed = {};
  std::function<void(const Progress& progress)> progress = {};
};

/// Not thread-safe: one thread owns it; callbacks run inside poll() or wait().
class Client {
 public:
  struct Callbacks {
    std::function<void(const nlohmann::json& result)> done;
    /// Cancelled calls end here, code -32800. data["lost"] == true: the connection to another
    /// machine broke and is being made anew, so the call may be asked again.
    std::function<void(const RpcError& error)> failed;
    std::function<void(const nlohmann::json& progress)> progress;
    std::function<void(std::string_view type, std::span<const std::byte> bytes)> binary;
  };
  static std::unique_ptr<Client> start_process(const ClientOptions& options);
  static std::unique_ptr<Client> start_in_process(MethodTable methods);
  virtual ~Client() = default;

  /// A call of the list (worker/messages/calls.h). Never blocks. `device`: "cuda:N", or as
  /// device_of() names the process. poll() and wait() throw AnswerError if what comes is no answer
  /// to it.
  template <class C>
  uint64_t call(std::string_view device, const typename C::Request& request, Told<C> told,
                const Turn& turn = {});
  /// One that a single process serves.
  template <class C>
  requires(only_device_of(C::roles) != nullptr) uint64_t
      call(const typename C::Request& request, Told<C> told, const Turn& turn = {}) {
    return call<C>(only_device_of(C::roles), request, std::move(told), turn);
  }

  /// The same as it travels, for whoever passes calls on.
  virtual uint64_t request(std::string_view device, std::string_view method, nlohmann::json params,
                           Callbacks callbacks) = 0;
  virtual void cancel(uint64_t id) = 0;
  /// Delivers what has arrived. Never blocks.
  virtual void poll() = 0;
  /// Polls until the call has ended or `timeout_ms` passed (-1 = no limit). True if it ended.
  virtual bool wait(uint64_t id, int timeout_ms = -1) = 0;
  virtual WorkerState state() const = 0;
  /// One sentence for the user about the last restart or failure; empty if none.
  virtual std::string notice() const = 0;
  /// Called when poll() has something to do, from any thread (wakes an idle window).
  virtual void on_activity(std::function<void()> wake) = 0;
  /// --kernel-dir of the calls from now on, instead of the one that it was started with.
  virtual void read_kernels_from(const std::string& /*kernel_dir*/) {}
  /// Restarts even when the restart budget is spent.
  virtual void restart() = 0;
};

}  // namespace tilescope::worker

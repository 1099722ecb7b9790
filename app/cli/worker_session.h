// The command line's side of the worker: one call after another, progress on stderr.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/request_options.h"
#include "worker/client/client.h"
#include "worker/messages/messages.h"

namespace tilescope::cli {

class WorkerSession {
 public:
  /// Starts this program again as `worker`, once the first call needs it.
  explicit WorkerSession(std::string kernel_dir);
  /// The same, or ssh to the machine that --device names.
  explicit WorkerSession(const RequestOptions& options);
  ~WorkerSession();

  /// Waits for the answer. What a lost connection to another machine cut off is asked again.
  /// Throws CliError with the worker's sentence and exit code. Progress goes to stderr if that is a
  /// terminal.
  template <class C>
  typename C::Answer call(const std::string& device, const typename C::Request& request) {
    std::optional<typename C::Answer> answer;
    wait_for([&](const Ended& ended) {
      return client().call<C>(device, request,
                              {.done =
                                   [&answer, well = ended.well](typename C::Answer came) {
                                     answer = std::move(came);
                                     well();
                                   },
                               .failed = ended.failed,
                               .progress = ended.progress});
    });
    return std::move(*answer);
  }
  /// One that a single process serves.
  template <class C>
  requires(worker::only_device_of(C::roles) != nullptr) typename C::Answer
      call(const typename C::Request& request) {
    return call<C>(worker::only_device_of(C::roles), request);
  }

  std::vector<worker::DeviceInfo> devices();
  /// Throws (exit code 3) if there is no such device or it is not available.
  worker::DeviceInfo device(const std::string& id);
  /// The same; `cuda` alone is the first card that is available or, for the rank of several on this
  /// machine, the one of its turn.
  worker::DeviceInfo card(const std::string& device, int local_rank = 0);

 private:
  /// What a call under way is told of its end and on the way there.
  struct Ended {
    std::function<void()> well;
    std::function<void(const worker::CallError&)> failed;
    std::function<void(const worker::Progress&)> progress;
  };
  worker::Client& client();
  /// `ask` makes the call, several times if connections break under it.
  void wait_for(const std::function<uint64_t(Ended)>& ask);
  /// " on gpu1", or nothing.
  std::string on_host() const;
  std::string kernel_dir_, host_;
  std::unique_ptr<worker::Client> client_;
};

}  // namespace tilescope::cli

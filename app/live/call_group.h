// Calls to the worker that belong together, such as those of one edit. Calls that are dropped are
// cancelled; if an answer to one comes all the same, it is ignored.
#pragma once
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "app/live/asker.h"

namespace tilescope {

/// What a call comes to. The state is the one that Live updates when the answer comes.
template <class C>
struct Answered {
  std::function<void(AppState&, typename C::Answer)> done = {};
  std::function<void(AppState&, const worker::CallError&)> failed = {};
  std::function<void(AppState&, const worker::Progress&)> progress = {};
};

class Calls {
 public:
  explicit Calls(WorkerLink& link) : link_(link) {}

  /// There must be a worker. The callbacks are called unless the call has been dropped before.
  template <class C>
  void ask(std::string_view device, const typename C::Request& request, Answered<C> answered,
           const worker::Turn& turn = {}) {
    const auto id = std::make_shared<uint64_t>(0);  // known once the client has taken the call
    const auto theirs = std::make_shared<Answered<C>>(std::move(answered));
    worker::Told<C> ours;
    ours.done = [this, id, theirs](typename C::Answer answer) {
      if (close(*id) && theirs->done) theirs->done(*link_.state, std::move(answer));
    };
    ours.failed = [this, id, theirs](const worker::CallError& error) {
      if (close(*id) && theirs->failed) theirs->failed(*link_.state, error);
    };
    if (theirs->progress) {
      ours.progress = [this, id, theirs](const worker::Progress& progress) {
        if (open_.contains(*id)) theirs->progress(*link_.state, progress);
      };
    }
    *id = link_.client->call<C>(device, request, std::move(ours), turn);
    open_.insert(*id);
  }
  /// One that a single process serves.
  template <class C>
  requires(worker::only_device_of(C::roles) != nullptr) void ask(const typename C::Request& request,
                                                                 Answered<C> answered,
                                                                 const worker::Turn& turn = {}) {
    ask<C>(worker::only_device_of(C::roles), request, std::move(answered), turn);
  }

  /// Cancels all that are under way.
  void drop();
  bool idle() const { return open_.empty(); }

 private:
  bool close(uint64_t id) { return open_.erase(id) > 0; }

  WorkerLink& link_;
  std::set<uint64_t> open_;
};

/// An edit as calls name it: for the device's architecture and limits.
worker::calls::Kernel kernel_of(const AppState& state, const Edit& edit);
worker::KernelRequest request_of(const Edit& edit, int sms);

}  // namespace tilescope

// The L2 of a page is simulated by a Web Worker: the window's own thread draws.
#include "app/live/l2_run.h"

#include <nlohmann/json.hpp>

#include "app/live/call_group.h"
#include "page/calls/l2_call.h"
#include "page/calls/page_roles.h"

namespace tilescope {
namespace {

class WorkersL2Run : public L2Run {
 public:
  WorkersL2Run(const L2Question& question, worker::Client& client)
      : L2Run(question), client_(client) {}

  void begin(const worker::KernelRequest& request, const std::function<void()>& wake) {
    const auto ends = [this, wake](bool right) {
      failed = !right;
      done = true;
      if (wake) wake();
    };
    worker::Client::Callbacks told;
    told.binary = [this](std::string_view, std::span<const std::byte> bytes) {
      tiles_.assign(bytes.begin(), bytes.end());
    };
    told.done = [this, ends](const nlohmann::json& answer) {
      traffic = web::read_l2_traffic(answer, tiles_);
      ends(true);
    };
    told.failed = [ends](const worker::RpcError&) { ends(false); };
    id_ = client_.request(web::kPlanner, web::L2Call::name,
                          web::write_l2_call({request, of.machine}), std::move(told));
  }
  void cancel() override {
    if (!done) client_.cancel(id_);
  }

 private:
  worker::Client& client_;
  uint64_t id_ = 0;
  std::vector<std::byte> tiles_;
};

}  // namespace

std::unique_ptr<L2Run> begin_l2(const AppState& state, const L2Question& question, WorkerLink& link,
                                std::function<void()> wake) {
  auto run = std::make_unique<WorkersL2Run>(question, *link.client);
  run->begin(request_of(state.edit, state.limits.sm_count), wake);
  return run;
}

}  // namespace tilescope

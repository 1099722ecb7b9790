// launch: a kernel once on a card, verified and not timed: what a profiler is put around.
#include <fmt/format.h>

#include <memory>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/counted_json.h"
#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"
#include "worker/messages/messages_json.h"

namespace tilescope::cli {
namespace {

int run_launch(const RequestOptions& o, double time_limit, const Globals& globals) {
  Request r = one_request(o);
  if (!is_cuda(o.device)) {
    throw CliError(kBadUsage,
                   fmt::format("launch runs on a card: --device {} is none, like cuda:0; "
                               "the emulator's command is emulate",
                               o.device));
  }
  WorkerSession worker(o);
  const worker::DeviceInfo card = worker.card(o.device);
  require_legal(r, card.limits);
  const auto verified = worker.call<worker::calls::Verify>(
      card.id, {.of = {.of = {r.message()}}, .time_limit = time_limit});
  const std::string error =
      fmt::format("{}, tolerance {:.2e}", worker::error_words(verified), verified.tolerance);
  if (globals.json) print_json(verified_json(verified));
  if (!verified.ok) {
    message(fmt::format("tilescope-cli: wrong result of {} ({})", r.kernel->info.id, error));
    return kCheckFailed;
  }
  if (!globals.json) {
    print(fmt::format("{} {} launched once on {}: right ({})", r.kernel->info.id,
                      size_text(r.problem), card.id, error));
  }
  return kOk;
}

}  // namespace

Run make_launch(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<RequestOptions>();
  o->device = "cuda:0";
  o->add_to(app);
  auto time_limit = std::make_shared<double>(MeasureFlags{}.time_limit);
  add_time_limit(app, *time_limit);
  return [o, time_limit, &globals] { return run_launch(*o, *time_limit, globals); };
}

}  // namespace tilescope::cli

// bench: every size with every tile, verified and then measured.
#include <algorithm>
#include <memory>

#include "app/cli/bench_run.h"
#include "app/cli/command.h"
#include "app/cli/error.h"

namespace tilescope::cli {
namespace {

int run(const RequestOptions& o, bool counters, const Globals& globals) {
  if (counters && o.device == "emulator") {
    throw CliError(kBadUsage,
                   "--counters are a card's own: give --device cuda:0, or recorded for those that "
                   "were recorded; the emulator's counts are there without it");
  }
  std::vector<Request> requests = all_requests(o);
  WorkerSession worker(o.kernel_dir);
  const DeviceLimits limits = device_limits(o.device, worker);
  for (Request& r : requests) require_legal(r, limits);
  Json all = Json::array();
  bool wrong = false;
  int not_counted = kOk;
  for (const Request& r : requests) {
    const BenchResult result = bench(r, o.device, worker, o.time_limit, counters);
    wrong |= !result.wrong.empty();
    all.push_back(result.json);
    if (!globals.json) print(bench_text(result.json));
    if (!result.wrong.empty())
      message("tilescope-cli: " + result.wrong + ": " + bench_text(result.json));
    if (!result.not_counted.empty()) {
      message("tilescope-cli: not counted: " + result.not_counted);
      not_counted = std::max(not_counted, result.exit_code);
    }
  }
  if (globals.json) print_json(all);
  return wrong ? kCheckFailed : not_counted;
}

}  // namespace

Run make_bench(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<RequestOptions>();
  o->add_to(app);
  o->add_time_limit(app);
  auto counters = std::make_shared<bool>(false);
  app.add_flag("--counters", *counters,
               "the card's own counters, through ncu, in a run of its own: bytes.measured");
  return [o, counters, &globals] { return run(*o, *counters, globals); };
}

}  // namespace tilescope::cli

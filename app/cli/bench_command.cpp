// bench: every size with every tile, verified and then measured.
#include <memory>

#include "app/cli/bench_run.h"
#include "app/cli/command.h"
#include "app/cli/error.h"

namespace tilescope::cli {
namespace {

int run(const RequestOptions& o, const Globals& globals) {
  std::vector<Request> requests = all_requests(o);
  WorkerSession worker(o.kernel_dir);
  const DeviceLimits limits = device_limits(o.device, worker);
  for (Request& r : requests) require_legal(r, limits);
  Json all = Json::array();
  bool wrong = false;
  for (const Request& r : requests) {
    const BenchResult result = bench(r, o.device, worker, o.time_limit);
    wrong |= !result.wrong.empty();
    all.push_back(result.json);
    if (!globals.json) print(bench_text(result.json));
    if (!result.wrong.empty())
      message("tilescope-cli: " + result.wrong + ": " + bench_text(result.json));
  }
  if (globals.json) print_json(all);
  return wrong ? kCheckFailed : kOk;
}

}  // namespace

Run make_bench(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<RequestOptions>();
  o->add_to(app);
  o->add_time_limit(app);
  return [o, &globals] { return run(*o, globals); };
}

}  // namespace tilescope::cli

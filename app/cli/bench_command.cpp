// bench: every size with every tile, verified and then measured.
#include <memory>

#include "app/cli/bench_run.h"
#include "app/cli/command.h"
#include "app/cli/error.h"
#include "app/cli/result_table.h"

namespace tilescope::cli {
namespace {

struct Options {
  RequestOptions request;
  MeasureFlags measure;
  ResultFormat format = ResultFormat::text;
};

int run(const Options& options, const Globals& globals) {
  const RequestOptions& o = options.request;
  std::vector<Request> requests = all_requests(o);
  WorkerSession worker(o.kernel_dir);
  const DeviceLimits limits = device_limits(o.device, worker);
  for (Request& r : requests) require_legal(r, limits);
  Json all = Json::array();
  bool wrong = false;
  for (const Request& r : requests) {
    const BenchResult result = bench(r, o.device, worker, options.measure);
    wrong |= !result.wrong.empty();
    all.push_back(result.json);
    if (!globals.json && options.format == ResultFormat::text) print(bench_text(result.json));
    if (!result.wrong.empty())
      message("tilescope-cli: " + result.wrong + ": " + bench_text(result.json));
  }
  print_results(all, options.format, globals);
  return wrong ? kCheckFailed : kOk;
}

}  // namespace

Run make_bench(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<Options>();
  o->request.add_to(app);
  o->measure.add_to(app);
  add_format(app, o->format);
  return [o, &globals] { return run(*o, globals); };
}

}  // namespace tilescope::cli

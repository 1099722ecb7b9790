// bench: every size with every tile, verified and then measured.
#include <algorithm>
#include <memory>

#include "app/cli/bench_own.h"
#include "app/cli/bench_run.h"
#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/result_table.h"

namespace tilescope::cli {
namespace {

struct BenchOptions {
  RequestOptions request;
  OwnFlags own;
  MeasureFlags measure;
  ResultFormat format = ResultFormat::text;
};

int run_own(const BenchOptions& options, const Globals& globals) {
  if (options.measure.counters)
    bad("--counters are of kernels of the ladder; leave them out for one of your own");
  const BenchResult result = bench_own(options.own, options.request, options.measure);
  const std::string text = bench_own_text(result.json);
  if (!globals.json) print(text);
  if (!result.wrong.empty()) message("tilescope-cli: " + result.wrong + ": " + text);
  if (globals.json) print_json(Json::array({result.json}));
  return result.wrong.empty() ? kOk : kCheckFailed;
}

int run_bench(const BenchOptions& options, const Globals& globals) {
  if (options.own.given()) return run_own(options, globals);
  options.own.refuse_without_file();
  const RequestOptions& o = options.request;
  if (options.measure.counters && o.device == "emulator") {
    throw CliError(kBadUsage,
                   "--counters are a card's own: give --device cuda:0, or recorded for those that "
                   "were recorded; the emulator's counts are there without it");
  }
  std::vector<Request> requests = all_requests(o);
  WorkerSession worker(o);
  std::string device = o.device;
  const DeviceLimits limits = device_limits(device, worker);
  for (Request& r : requests) require_legal(r, limits);
  Json all = Json::array();
  bool wrong = false;
  int not_counted = kOk;
  for (const Request& r : requests) {
    const BenchResult result = bench(r, device, worker, options.measure);
    wrong |= !result.wrong.empty();
    all.push_back(result.json);
    if (!globals.json && options.format == ResultFormat::text) print(bench_text(result.json));
    if (!result.wrong.empty())
      message("tilescope-cli: " + result.wrong + ": " + bench_text(result.json));
    if (!result.not_counted.empty()) {
      message("tilescope-cli: not counted: " + result.not_counted);
      not_counted = std::max(not_counted, result.exit_code);
    }
  }
  print_results(all, options.format, globals);
  return wrong ? kCheckFailed : not_counted;
}

}  // namespace

Run make_bench(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<BenchOptions>();
  o->request.add_to(app);
  o->own.add_to(app);
  o->measure.add_to(app);
  app.add_flag("--counters", o->measure.counters,
               "the card's own counters, through ncu, in a run of its own: bytes.measured");
  add_format(app, o->format);
  return [o, &globals] { return run_bench(*o, globals); };
}

}  // namespace tilescope::cli

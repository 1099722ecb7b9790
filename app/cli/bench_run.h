// One request, verified and then measured, as the object that bench and sweep print.
#pragma once
#include "app/cli/output.h"
#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"

namespace tilescope::cli {

struct BenchResult {        // NOLINT(bugprone-exception-escape): of JSON's own making
  Json json;                // an element of bench --json
  std::string wrong;        // what a check found: "wrong result", "racy: line 200"; empty: nothing
  std::string not_counted;  // why there are no counters; empty: there are, or none were asked for
  int exit_code = 0;        // of that
  std::optional<worker::CountedTraffic> counted = {};  // by the emulator
};

/// `device`: cuda:N, emulator, recorded or recorded:NAME. The request must be legal.
BenchResult bench(const Request& request, const std::string& device, WorkerSession& worker,
                  const MeasureFlags& flags);

/// What a saved result says is wrong with it, in the words of BenchResult.
std::string what_is_wrong(const Json& result);

/// Limits of the device to check requests against; `cuda` becomes the first card's "cuda:N".
DeviceLimits device_limits(std::string& device, WorkerSession& worker);

/// One line for people.
std::string bench_text(const Json& result);

/// What makes two results the same one: kernel, tile, problem, device.
std::string bench_key(const Json& result);
Json request_json(const Request& request, const std::string& device);

}  // namespace tilescope::cli

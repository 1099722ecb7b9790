// What a sweep does with its requests: measures each, or climbs from it, saves at once, and goes on
// where an earlier run was ended.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/bench_run.h"
#include "app/cli/command.h"
#include "app/cli/result_table.h"
#include "app/cli/sweep_files.h"
#include "core/model/device_table.h"

namespace tilescope::cli {

struct SweepOptions {
  RequestOptions request;
  MeasureFlags measure;
  ResultFormat format = ResultFormat::text;
  std::vector<std::string> axes;
  int climb = 0;  // at most so many tiles, uphill; 0: every combination of the axes
  std::string out = "sweep.jsonl";
  std::string launch;  // the launcher that started several of this; empty: none
};

class Sweep {
 public:
  /// `local_rank`: of several on this machine, for their cards. Throws CliError if the device is
  /// not there.
  Sweep(const SweepOptions& options, const Globals& globals, WorkerSession& worker, int local_rank);

  /// The card's name; empty: the sweep is on none.
  const std::string& card() const { return card_; }
  /// New results go to `file`, those that are in --out are not measured again.
  void save_in(LockedFile& file);
  /// One of the requests: measured, or climbed from.
  void run(const Request& request);
  int resumed() const { return resumed_; }
  /// Where a result stands among those of the requests; of a climb nobody knows beforehand.
  Place place_of(const std::vector<Request>& requests) const;
  /// Instead of run(), once all is in --out: gathers the results as if this process had measured
  /// them, says nothing, and returns the tiles of the requests that are left.
  std::vector<std::string> gather(const std::vector<Request>& requests);

  /// Prints what was not printed one by one; `resumed` and `remark` are for the line that says how
  /// many there are.
  int end(int resumed, const std::string& remark) const;

 private:
  struct NotThere {};  // while gathering
  std::string key_of(const Request& request) const;
  std::optional<double> measure(Request request);
  void climb(Request start);
  /// The fastest by the model.
  std::vector<TileConfig> likely_tiles(const Request& start) const;

  const SweepOptions& o_;
  const Globals& globals_;
  WorkerSession& worker_;
  std::string device_, card_;
  model::DeviceRow row_;  // for the model, which says where a climb begins
  DeviceLimits limits_;
  std::map<std::string, Json> saved_;
  LockedFile* file_ = nullptr;
  Json all_ = Json::array();
  int resumed_ = 0, illegal_ = 0;
  bool wrong_ = false, gathers_ = false;
};

}  // namespace tilescope::cli

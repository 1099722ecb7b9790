// sweep: bench over every combination of slider values, or uphill from one tile; saves each result
// at once, and goes on where it was left.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>

#include "app/cli/bench_run.h"
#include "app/cli/command.h"
#include "app/cli/error.h"
#include "app/cli/parse.h"
#include "app/cli/result_table.h"
#include "core/model/climb.h"
#include "core/model/names.h"

namespace tilescope::cli {
namespace {

struct Options {
  RequestOptions request;
  MeasureFlags measure;
  ResultFormat format = ResultFormat::text;
  std::vector<std::string> axes;
  int climb = 0;  // at most so many tiles, uphill; 0: every combination of the axes
  std::string out = "sweep.jsonl";
};

struct Axis {
  TileFieldId field;
  std::vector<int> values;
};

std::vector<Axis> read_axes(const std::vector<std::string>& texts, const KernelEntry& kernel) {
  std::vector<Axis> axes;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw CliError(kBadUsage,
                     fmt::format("--axis: '{}' is not NAME=VALUE,…, like block_m=64,128", text));
    }
    Axis axis{TileFieldId::none, {}};
    for (const std::string& value : split(text.substr(equals + 1), ',')) {
      TileConfig tile;  // for the checks of --tile
      parse_tile(text.substr(0, equals) + "=" + value, kernel.sliders, kernel.info.id, tile);
      axis.field = model::tile_field_named(text.substr(0, equals));
      axis.values.push_back(get(tile, axis.field));
    }
    for (const Axis& other : axes) {  // the later one would take the place of the first
      if (other.field != axis.field) continue;
      throw CliError(kBadUsage, fmt::format("--axis: {} is given twice; put all of its values into "
                                            "one, like {}",
                                            model::name_of(axis.field), text));
    }
    axes.push_back(axis);
  }
  return axes;
}

/// The requests with each combination of the axes' values put in; the last axis changes fastest.
std::vector<Request> combinations(const std::vector<Request>& requests,
                                  const std::vector<Axis>& axes) {
  std::vector<Request> all = requests;
  for (const Axis& axis : axes) {
    std::vector<Request> more;
    for (const Request& r : all) {
      for (int value : axis.values) {
        more.push_back(r);
        set(more.back().tile, axis.field, value);
      }
    }
    all = std::move(more);
  }
  return all;
}

/// Results that an earlier run saved, or that are recorded of this card; a line cut short by a
/// crash is passed over.
std::map<std::string, Json> read_saved(const std::string& file, const std::string& device,
                                       WorkerSession& worker) {
  std::map<std::string, Json> saved;
  std::optional<std::string> card;  // asked for where a line has no key
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    Json entry = Json::parse(line, nullptr, false);
    if (!entry.is_object()) continue;
    if (entry.contains("sweep_key")) {
      saved[entry["sweep_key"].get<std::string>()] = entry;
    } else if (is_cuda(device) && entry.contains("kernel") && entry.contains("device")) {
      if (!card) card = worker.device(device).name;
      if (entry["device"] != *card) continue;
      Json asked = entry;
      asked["device"] = device;
      saved[bench_key(asked)] = entry;
    }
  }
  return saved;
}

/// False if the last line was cut short: what is appended must not become part of it.
bool ends_with_line(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() <= 0) return true;
  in.seekg(-1, std::ios::end);
  return in.get() == '\n';
}

std::string one_line(const Json& result) {
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The results of one run, and the file where each is saved as soon as it is there.
class Sweep {
 public:
  Sweep(const Options& options, const Globals& globals, WorkerSession& worker)
      : o_(options),
        globals_(globals),
        worker_(worker),
        limits_(device_limits(o_.request.device, worker)),
        saved_(read_saved(o_.out, o_.request.device, worker)) {
    const bool whole = ends_with_line(o_.out);
    out_.open(o_.out, std::ios::app);
    if (!out_) {
      throw CliError(kBadUsage,
                     fmt::format("--out: cannot write {}: {}", o_.out, std::strerror(errno)));
    }
    if (!whole) out_ << '\n';
  }
  const DeviceLimits& limits() const { return limits_; }

  /// TFLOPS of a request, from the file if an earlier run measured it; nothing if it is illegal,
  /// wrong, or on no card.
  std::optional<double> measure(Request r) {
    r.sms = limits_.sm_count;
    const std::string key = bench_key(request_json(r, o_.request.device));
    Json result;
    if (const auto it = saved_.find(key); it != saved_.end()) {
      result = it->second;
      ++resumed_;
    } else {
      try {
        require_legal(r, limits_);
      } catch (const CliError& error) {
        message(fmt::format("skipped {}: {}", model::tile_text(r.tile, r.kernel->sliders),
                            error.what()));
        ++illegal_;
        return std::nullopt;
      }
      result = bench(r, o_.request.device, worker_, o_.measure).json;
      result["sweep_key"] = key;
      out_ << one_line(result) << '\n' << std::flush;
    }
    wrong_ |= !what_is_wrong(result).empty();
    if (!globals_.json && o_.format == ResultFormat::text) {
      print(one_line(result));
      std::fflush(stdout);
    }
    all_.push_back(result);
    if (!what_is_wrong(result).empty() || !result["tflops"].is_number()) return std::nullopt;
    return result["tflops"].get<double>();
  }

  int end() const {
    print_results(all_, o_.format, globals_);
    message(fmt::format("{} results in {} ({} from an earlier run), {} illegal tiles skipped",
                        all_.size(), o_.out, resumed_, illegal_));
    return wrong_ ? kCheckFailed : kOk;
  }

 private:
  const Options& o_;
  const Globals& globals_;
  WorkerSession& worker_;
  DeviceLimits limits_;
  std::map<std::string, Json> saved_;
  std::ofstream out_;
  Json all_ = Json::array();
  int resumed_ = 0, illegal_ = 0;
  bool wrong_ = false;
};

int run(const Options& o, const Globals& globals) {
  const std::vector<Request> base = all_requests(o.request);
  const std::vector<Request> requests = combinations(base, read_axes(o.axes, *base[0].kernel));
  require_folder_of("--out", o.out);
  WorkerSession worker(o.request.kernel_dir);
  Sweep sweep(o, globals, worker);
  for (const Request& r : requests) {
    if (o.climb == 0) {
      sweep.measure(r);
      continue;
    }
    Request start = r;
    start.sms = sweep.limits().sm_count;
    const Violation v = start.kernel->validate(start.tile, start.problem, sweep.limits());
    if (const auto legal =
            model::nearest_legal(start.kernel->validator(), start.kernel->sliders, start.tile,
                                 start.problem, sweep.limits(), v.field)) {
      start.tile = legal->tile;
    } else {
      require_legal(start, sweep.limits());
    }
    model::climb(start.kernel->validator(), start.kernel->sliders, start.tile, start.problem,
                 sweep.limits(), o.climb, [&](const TileConfig& tile) {
                   Request next = start;
                   next.tile = tile;
                   return sweep.measure(next);
                 });
  }
  return sweep.end();
}

}  // namespace

Run make_sweep(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<Options>();
  o->request.add_to(app);
  o->measure.add_to(app);
  add_format(app, o->format);
  app.add_option("--axis", o->axes, "NAME=VALUE,…; any number of times")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--climb", o->climb,
                 "looks for a fast tile: one slider after the other, at most so many tiles from "
                 "each --tile")
      ->check(CLI::Range(1, 100000));
  app.add_option("--out", o->out, "where results are saved, a line each; what is there is kept")
      ->capture_default_str();
  return [o, &globals] { return run(*o, globals); };
}

}  // namespace tilescope::cli

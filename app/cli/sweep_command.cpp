// sweep: bench over every combination of slider values; saves each result at once, and goes on
// where it was left.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>

#include "app/cli/bench_run.h"
#include "app/cli/command.h"
#include "app/cli/error.h"
#include "app/cli/parse.h"
#include "core/model/names.h"

namespace tilescope::cli {
namespace {

struct Options {
  RequestOptions request;
  std::vector<std::string> axes;
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

/// Results that an earlier run saved; a line cut short by a crash is passed over.
std::map<std::string, Json> read_saved(const std::string& file) {
  std::map<std::string, Json> saved;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    Json entry = Json::parse(line, nullptr, false);
    if (entry.is_object() && entry.contains("sweep_key")) {
      saved[entry["sweep_key"].get<std::string>()] = entry;
    }
  }
  return saved;
}

void print_line(const Json& result) {
  print(result.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::fflush(stdout);
}

int run(const Options& o, const Globals& globals) {
  const std::vector<Request> base = all_requests(o.request);
  std::vector<Request> requests = combinations(base, read_axes(o.axes, *base[0].kernel));
  require_folder_of("--out", o.out);
  WorkerSession worker(o.request.kernel_dir);
  const DeviceLimits limits = device_limits(o.request.device, worker);
  const std::map<std::string, Json> saved = read_saved(o.out);
  std::ofstream out(o.out, std::ios::app);
  if (!out) {
    throw CliError(kBadUsage,
                   fmt::format("--out: cannot write {}: {}", o.out, std::strerror(errno)));
  }
  Json all = Json::array();
  int resumed = 0, illegal = 0;
  bool wrong = false;
  for (Request& r : requests) {
    r.sms = limits.sm_count;
    const std::string key = bench_key(request_json(r, o.request.device));
    Json result;
    if (const auto it = saved.find(key); it != saved.end()) {
      result = it->second;
      ++resumed;
    } else {
      try {
        require_legal(r, limits);
      } catch (const CliError& error) {
        message(fmt::format("skipped {}: {}", model::tile_text(r.tile, r.kernel->sliders),
                            error.what()));
        ++illegal;
        continue;
      }
      const BenchResult measured = bench(r, o.request.device, worker, o.request.time_limit);
      result = measured.json;
      result["sweep_key"] = key;
      out << result.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
    }
    wrong |= !what_is_wrong(result).empty();
    if (!globals.json) print_line(result);
    all.push_back(result);
  }
  if (globals.json) print_json(all);
  message(fmt::format("{} results in {} ({} from an earlier run), {} illegal tiles skipped",
                      all.size(), o.out, resumed, illegal));
  return wrong ? kCheckFailed : kOk;
}

}  // namespace

Run make_sweep(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<Options>();
  o->request.add_to(app);
  o->request.add_time_limit(app);
  app.add_option("--axis", o->axes, "NAME=VALUE,…; any number of times")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--out", o->out, "where results are saved, a line each; what is there is kept")
      ->capture_default_str();
  return [o, &globals] { return run(*o, globals); };
}

}  // namespace tilescope::cli

// sweep: bench over every combination of slider values, or uphill from one tile; saves each result
// at once, and goes on where it was left.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/launcher.h"
#include "app/cli/parse.h"
#include "app/cli/sweep_launched.h"
#include "app/cli/sweep_run.h"
#include "core/model/names.h"

namespace tilescope::cli {
namespace {

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

int run_alone(const SweepOptions& o, const Globals& globals, const std::vector<Request>& requests) {
  WorkerSession worker(o.request);
  Sweep sweep(o, globals, worker, 0);
  LockedFile file = open_alone(o.out);
  sweep.save_in(file);
  for (const Request& r : requests) sweep.run(r);
  return sweep.end(sweep.resumed(), "");
}

int run_sweep(const SweepOptions& o, const Globals& globals) {
  const auto requests_of = [&] {
    const std::vector<Request> base = all_requests(o.request);
    const std::vector<Request> requests = combinations(base, read_axes(o.axes, *base[0].kernel));
    require_folder_of("--out", o.out);
    return requests;
  };
  if (o.launch.empty()) return run_alone(o, globals, requests_of());
  const Rank rank = rank_of(o.launch);
  std::vector<Request> requests;
  std::optional<SweepRanks> ranks;
  try {
    requests = requests_of();
    ranks.emplace(join_ranks(o, requests, rank));
  } catch (const CliError& error) {
    // What is wrong is so for all of them: one gives the exit code, and the document of --json.
    if (rank.rank == 0) throw;
    message(fmt::format("tilescope-cli: rank {} of {}: {}", rank.rank, rank.size, error.what()));
    return kOk;
  }
  return run_launched(o, globals, requests, rank, *ranks);
}

}  // namespace

Run make_sweep(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<SweepOptions>();
  o->request.add_to(app);
  o->measure.add_to(app);
  add_format(app, o->format);
  app.add_option("--axis", o->axes,
                 "a slider and the values it takes; every combination of all axes is measured")
      ->type_name("NAME=VALUE,…")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option(
         "--climb", o->climb,
         "looks for a fast tile: each --tile and the model's ten best, then one slider after "
         "the other from the fastest; at most so many tiles from each --tile")
      ->type_name("TILES")
      ->check(CLI::Range(1, 100000));
  app.add_option("--out", o->out, "where results are saved, one per line; what is there is kept")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--launch", o->launch,
                 "shares the tiles with the other processes that this launcher started: " +
                     launcher_names() + "; each takes its card of --device cuda")
      ->type_name("LAUNCHER");
  return [o, &globals] { return run_sweep(*o, globals); };
}

}  // namespace tilescope::cli

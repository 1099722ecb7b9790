#include "app/cli/sweep_run.h"

#include <fmt/format.h>

#include <memory>

#include "app/cli/cli_error.h"
#include "app/common/device_row.h"
#include "core/model/climb.h"
#include "core/model/fastest_tiles.h"
#include "core/model/names.h"
#include "core/model/prediction.h"
#include "core/model/traffic.h"

namespace tilescope::cli {
namespace {

constexpr int kLikelyTiles = 10;  // by the model; a climb measures them first

std::string tile_of(const Request& r) { return model::tile_text(r.tile, r.kernel->sliders); }

}  // namespace

Sweep::Sweep(const SweepOptions& options, const Globals& globals, WorkerSession& worker,
             int local_rank)
    : o_(options), globals_(globals), worker_(worker), device_(options.request.device) {
  if (is_cuda(device_)) {
    const worker::DeviceInfo info = worker.card(device_, local_rank);
    device_ = info.id, card_ = info.name;
    row_ = model_row(info);
  } else {
    row_ = device_row(device_);
  }
  limits_ = row_.limits;
}

void Sweep::save_in(LockedFile& file) {
  file_ = &file;
  saved_ = read_results(o_.out, card_);
}

// A card's results are known by its name: cuda:0 of another machine is another one, and cuda:1
// beside it is not.
std::string Sweep::key_of(const Request& request) const {
  Request r = request;
  r.sms = limits_.sm_count;
  return bench_key(request_json(r, card_.empty() ? device_ : card_));
}

/// TFLOPS of a request, from the file if an earlier run measured it; nothing if it is illegal,
/// wrong, or on no card.
std::optional<double> Sweep::measure(Request r) {
  const std::string key = key_of(r);
  Json result;
  if (const auto it = saved_.find(key); it != saved_.end()) {
    result = it->second;
    ++resumed_;
  } else {
    try {
      require_legal(r, limits_);
    } catch (const CliError& error) {
      if (!gathers_) message(fmt::format("skipped {}: {}", tile_of(r), error.what()));
      ++illegal_;
      return std::nullopt;
    }
    if (gathers_) throw NotThere();
    result = bench(r, device_, worker_, o_.measure).json;
    result["sweep_key"] = key;
    append_result(*file_, result);
  }
  wrong_ |= !what_is_wrong(result).empty();
  if (!globals_.json && o_.format == ResultFormat::text && !gathers_) {
    print(one_line(result));
    std::fflush(stdout);
  }
  all_.push_back(result);
  if (!what_is_wrong(result).empty() || !result["tflops"].is_number()) return std::nullopt;
  return result["tflops"].get<double>();
}

void Sweep::climb(Request start) {
  start.sms = limits_.sm_count;
  const Violation v = start.kernel->validate(start.tile, start.problem, limits_);
  if (const auto legal = model::nearest_legal(start.kernel->validator(), start.kernel->sliders,
                                              start.tile, start.problem, limits_, v.field)) {
    start.tile = legal->tile;
  } else {
    require_legal(start, limits_);
  }
  const std::vector<TileConfig> likely = likely_tiles(start);
  const auto speed = [&](const TileConfig& tile) {
    Request next = start;
    next.tile = tile;
    return measure(next);
  };
  model::climb(start.kernel->validator(), start.kernel->sliders, start.tile, start.problem, limits_,
               o_.climb, speed, likely);
}

std::vector<TileConfig> Sweep::likely_tiles(const Request& start) const {
  if (device_.starts_with("recorded")) return {};  // there is no more than somebody has measured
  const Problem& p = start.problem;
  const KernelEntry& kernel = *start.kernel;
  const auto time = [&](const TileConfig& tile) {
    const KernelPlan plan = kernel.plan(tile, p, limits_.sm_count);
    return model::predict(plan, p, launch_of(plan), model::traffic(plan, p), row_).us;
  };
  return model::fastest_tiles(kernel.validator(), kernel.sliders, p, limits_, kLikelyTiles, time);
}

void Sweep::run(const Request& request) {
  if (o_.climb == 0) {
    measure(request);
  } else {
    climb(request);
  }
}

Place Sweep::place_of(const std::vector<Request>& requests) const {
  auto places = std::make_shared<std::map<std::string, size_t>>();
  for (size_t i = 0; i < requests.size() && o_.climb == 0; ++i) {
    places->emplace(key_of(requests[i]), i);
  }
  return [places, on_card = !card_.empty()](const Json& result) -> std::optional<size_t> {
    std::string key;
    if (on_card) {
      key = bench_key(result);
    } else if (result.contains("sweep_key") && result["sweep_key"].is_string()) {
      key = result["sweep_key"].get<std::string>();
    }
    const auto found = places->find(key);
    if (found == places->end()) return std::nullopt;
    return found->second;
  };
}

std::vector<std::string> Sweep::gather(const std::vector<Request>& requests) {
  saved_ = read_results(o_.out, card_);
  all_ = Json::array();
  resumed_ = illegal_ = 0;
  wrong_ = false, gathers_ = true;
  std::vector<std::string> left;
  for (const Request& r : requests) {
    try {
      run(r);
    } catch (const NotThere&) {
      left.push_back(tile_of(r));
    }
  }
  gathers_ = false;
  return left;
}

int Sweep::end(int resumed, const std::string& remark) const {
  print_results(all_, o_.format, globals_);
  message(fmt::format("{} results in {} ({} from an earlier run){}, {} illegal tiles skipped",
                      all_.size(), o_.out, resumed, remark, illegal_));
  return wrong_ ? kCheckFailed : kOk;
}

}  // namespace tilescope::cli

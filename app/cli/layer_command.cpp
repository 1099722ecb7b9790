// layer: the GEMMs of a network's layer, split over ranks: modelled, run and verified.
#include <fmt/format.h>

#include <memory>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/help.h"
#include "app/cli/model_json.h"
#include "app/cli/output.h"
#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"
#include "app/common/device_row.h"
#include "app/common/layer_plan.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "viz/scene/layer/layer_words.h"

namespace tilescope::cli {
namespace {

using workload::Step;
using workload::StepKind;

struct LayerOptions {
  workload::Layer layer;
  std::string kind;
  RequestOptions where;  // device, host and kernels
  bool no_overlap = false, no_run = false;
  double seconds = 2, time_limit = 60;
  int spare_sms = 0;
  std::string kernel;  // of all products; empty: the best of each
  std::string card;    // that the model takes; empty: that of the device
};

workload::LayerKind kind_named(const std::string& name) {
  if (const auto kind = workload::kind_named(name)) return *kind;
  throw CliError(kBadUsage,
                 fmt::format("'{}' is no layer; choose {}", name, workload::kind_names()));
}

/// Null where nothing was measured.
Json number_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json step_json(const LayerPlan& plan, size_t i, const worker::LayerResult* result) {
  const workload::Workload& w = plan.workload;
  const Step& step = w.steps[i];
  const LayerStep& planned = plan.steps[i];
  Json j{{"name", step.name}, {"op", name_of(step.kind)}};
  j["pass"] = step.pass == workload::Pass::forward ? "forward" : "backward";
  j["size"] = nullptr, j["layout"] = nullptr, j["kernel"] = nullptr, j["tile"] = nullptr;
  if (step.kind == StepKind::gemm) {
    const Problem p = problem_of(w, step, 0);
    j["size"] = size_json(p), j["layout"] = model::layout_letters(p), j["types"] = types_json(p);
    j["bias"] = p.bias;
    if (planned.choice.kernel) {
      j["kernel"] = planned.choice.kernel->info.id;
      j["tile"] = tile_json(planned.choice.tile, planned.choice.kernel->sliders);
    } else {
      j["why_not"] = planned.why_not;
    }
  }
  j["chunks"] = step.chunks;
  j["flop"] = flop_of(w, step, 0);
  j["bytes"] = planned.traffic ? levels_json(*planned.traffic) : Json::object();
  j["bytes"]["least"] = least_bytes(w, step, 0);
  if (planned.traffic) j["bytes"]["dram"]["simulated_read"] = planned.dram_read;
  j["bytes_between_ranks"] = bytes_between_ranks(w, step);
  j["modelled_us"] = number_or_null(planned.us);
  const bool measured = result && i < result->steps.size();
  j["measured_us"] = measured ? number_or_null(result->steps[i].us) : Json(nullptr);
  j["alone_us"] = measured ? number_or_null(result->steps[i].alone_us) : Json(nullptr);
  return j;
}

Json verified_json(const worker::LayerResult& r) {
  Json matrices = Json::array();
  for (const worker::MatrixCheck& c : r.checks) {
    const worker::Verification& v = c.verified;
    matrices.push_back({{"matrix", c.name},
                        {"norm", v.norm},
                        {"tolerance", v.tolerance},
                        {"ok", v.ok},
                        {"elements", v.elements},
                        {"nan", v.none.nan},
                        {"infinite", v.none.infinite},
                        {"untouched", v.none.untouched}});
  }
  const worker::Verification* worst = worker::worst_of(r.checks);
  return {{"ok", r.ok()},
          {"norm", worst ? Json(worst->norm) : Json(nullptr)},
          {"whole", r.whole},
          {"matrices", matrices}};
}

/// What each rank did when, measured and modelled; rank null: a transfer, of all.
Json bars_json(const LayerPlan& plan, const worker::LayerResult* result) {
  const auto bar = [](int step, int chunk, int rank, double begin, double end) {
    return Json{{"step", step},
                {"chunk", chunk},
                {"rank", rank < 0 ? Json(nullptr) : Json(rank)},
                {"begin_us", begin},
                {"end_us", end}};
  };
  Json measured = Json::array(), modelled = Json::array();
  for (const workload::Bar& b : plan.schedule.bars) {
    modelled.push_back(bar(b.step, b.chunk, b.rank, b.begin_us, b.end_us));
  }
  if (result) {
    for (const worker::LayerBar& b : result->bars) {
      measured.push_back(bar(b.step, b.chunk, b.rank, b.begin_us, b.end_us));
    }
  }
  return {{"measured", measured}, {"modelled", modelled}};
}

Json result_json(const LayerPlan& plan, const char* card, const worker::LayerResult* result) {
  const workload::Layer& l = plan.workload.layer;
  Json steps = Json::array();
  for (size_t i = 0; i < plan.workload.steps.size(); ++i) {
    steps.push_back(step_json(plan, i, result));
  }
  Json holds = Json::array();
  for (int rank = 0; rank < l.ranks; ++rank) holds.push_back(held_bytes(plan.workload, rank));
  Json j{
      {"kind", name_of(l.kind)}, {"tokens", l.tokens}, {"in", l.in},         {"out", l.out},
      {"ranks", l.ranks},        {"chunks", l.chunks}, {"gather", l.gather}, {"overlap", l.overlap},
      {"held_bytes", holds},     {"steps", steps}};
  j["bars"] = bars_json(plan, result);
  j["device"] = result ? Json(result->device) : Json(nullptr);
  j["collective"] =
      result && !result->collective.empty() ? Json(result->collective) : Json(nullptr);
  j["verified"] = result ? verified_json(*result) : Json(nullptr);
  const workload::Schedule& s = plan.schedule;
  j["modelled_card"] = card;
  j["total"] = {
      {"modelled_us", number_or_null(s.total_us)},
      {"modelled_forward_us", number_or_null(s.forward_us)},
      {"measured_us", result ? number_or_null(result->total_us) : Json(nullptr)},
      {"measured_forward_us", result ? number_or_null(result->forward_us) : Json(nullptr)}};
  return j;
}

std::string ms_text(double us) { return us > 0 ? fmt::format("{:.3f}", us / 1e3) : "–"; }

void print_layer(const LayerPlan& plan, const char* card, const worker::LayerResult* result) {
  const workload::Workload& w = plan.workload;
  print(workload::split_words(w.layer.kind));
  Table table({"step", "M", "N", "K", "layout", "rung", "tile", "work", "least bytes",
               "between ranks", "modelled ms", "measured ms"},
              "lrrrlllrrrrr");
  const auto measured = [&](size_t i) {
    return result && i < result->steps.size() ? result->steps[i].us : 0;
  };
  for (size_t i = 0; i < w.steps.size(); ++i) {
    const Step& step = w.steps[i];
    const LayerStep& planned = plan.steps[i];
    std::vector<std::string> row = {step.name, "–", "–", "–", "–", name_of(step.kind), "–"};
    if (step.kind == StepKind::gemm) {
      const Problem p = problem_of(w, step, 0);
      row = {step.name, model::grouped(p.m), model::grouped(p.n), model::grouped(p.k),
             model::layout_letters(p)};
      const KernelEntry* kernel = planned.choice.kernel;
      row.push_back(kernel ? kernel->info.id : "none");
      row.push_back(kernel ? model::tile_text(planned.choice.tile, kernel->sliders)
                           : planned.why_not);
    }
    const double between = bytes_between_ranks(w, step);
    row.push_back(step.kind == StepKind::gemm ? viz::flop_text(flop_of(w, step, 0)) : "–");
    row.push_back(model::bytes_text(least_bytes(w, step, 0)));
    row.push_back(between > 0 ? model::bytes_text(between) : "–");
    row.push_back("~" + ms_text(planned.us));
    row.push_back(ms_text(measured(i)));
    table.add(row);
  }
  table.print();
  if (plan.complete()) {
    print(fmt::format("a rank holds {}; modelled for {}: ~{} ms, forward ~{} ms",
                      model::bytes_text(held_bytes(w, 0)), card, ms_text(plan.schedule.total_us),
                      ms_text(plan.schedule.forward_us)));
  }
  if (!result) return;
  if (result->total_us > 0) {
    print(fmt::format("measured {} ms, forward {} ms ({} samples, spread {:.1f} %)",
                      ms_text(result->total_us), ms_text(result->forward_us), result->samples,
                      result->spread * 100));
  }
  std::string matrices;
  for (const worker::MatrixCheck& c : result->checks) {
    matrices += (matrices.empty() ? "" : ", ") + c.name + (c.verified.ok ? "" : " WRONG");
  }
  const worker::Verification* worst = worker::worst_of(result->checks);
  print(fmt::format("{}: {} {} ({}{}){}", result->device, matrices,
                    result->ok() ? "right" : "not right",
                    result->whole ? "" : "a CTA of each kind of each product; ",
                    worst ? worker::error_words(*worst) : "nothing was compared",
                    result->collective.empty() ? "" : "; between ranks: " + result->collective));
}

/// Where the ranks run, and the card that the model takes.
struct RanksPlace {
  std::vector<std::string> devices;
  model::DeviceRow row;
};

/// `cuda`: one card per rank where there are so many, else the first for all of them.
RanksPlace place_of(const LayerOptions& o, WorkerSession& worker) {
  const std::string& device = o.where.device;
  if (!is_cuda(device)) return {{device}, device_row(device)};
  std::vector<std::string> there;
  for (const worker::DeviceInfo& info : worker.devices()) {
    if (is_cuda(info.id) && info.available) there.push_back(info.id);
  }
  RanksPlace place{{device}, {}};
  if (device == "cuda") {
    const auto ranks = static_cast<size_t>(o.layer.ranks);
    if (there.size() >= ranks && ranks > 1)
      place.devices.assign(there.begin(), there.begin() + o.layer.ranks);
  }
  const worker::DeviceInfo info = worker.card(place.devices[0]);
  place.devices[0] = info.id;
  place.row = model_row(info);
  return place;
}

/// That of --card; null without it.
const model::DeviceRow* asked_card(const LayerOptions& o) {
  if (o.card.empty()) return nullptr;
  if (is_cuda(o.where.device)) {
    throw CliError(kBadUsage,
                   fmt::format("--card {}: its rungs and tiles would run on {}, which has its own; "
                               "leave it out, or take --device emulator",
                               o.card, o.where.device));
  }
  if (const model::DeviceRow* row = model::find_device(o.card)) return row;
  throw CliError(kMissing, fmt::format("--card: nothing is known of '{}'; choose one of {}", o.card,
                                       model::device_names()));
}

int run_layer(LayerOptions& o, const Globals& globals) {
  o.layer.kind = kind_named(o.kind);
  o.layer.overlap = !o.no_overlap;
  if (const std::string why = why_not(o.layer); !why.empty()) throw CliError(kBadUsage, why);
  if (!o.kernel.empty() && !find_kernel(o.kernel.c_str())) {
    throw CliError(kBadUsage,
                   fmt::format("--kernel: there is no '{}'; `kernels` lists them", o.kernel));
  }
  const model::DeviceRow* card = asked_card(o);
  WorkerSession worker(o.where);
  const RanksPlace place = place_of(o, worker);
  const model::DeviceRow& device = card ? *card : place.row;
  const LayerPlan plan = plan_layer(o.layer, device, {}, o.kernel);
  std::optional<worker::LayerResult> result;
  const bool runs = is_cuda(o.where.device) || o.where.device == "emulator";
  if (plan.complete() && runs && !o.no_run) {
    worker::LayerRequest request = layer_request(plan, device.limits.sm_count);
    request.spare_sms = o.spare_sms;
    request.seconds = o.seconds, request.time_limit = o.time_limit;
    worker::calls::Layer::Request asked{request};
    if (place.devices.size() > 1) asked.devices = place.devices;
    result =
        worker::layer_result(o.layer, worker.call<worker::calls::Layer>(place.devices[0], asked));
  }
  const worker::LayerResult* ran = result ? &*result : nullptr;
  if (globals.json) {
    print_json(result_json(plan, device.name, ran));
  } else {
    print_layer(plan, device.name, ran);
  }
  return ran && !ran->ok() ? kCheckFailed : kOk;
}

}  // namespace

Run make_layer(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<LayerOptions>();
  app.add_option("kind", o->kind, "one of " + workload::kind_names())->required();
  app.add_option("--tokens", o->layer.tokens, "rows of X")->type_name("T")->capture_default_str();
  app.add_option("--in", o->layer.in, "features of X")->type_name("N")->capture_default_str();
  app.add_option("--out", o->layer.out, "features of Y; of an mlp those between its products")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--ranks", o->layer.ranks, "that the layer is split over")
      ->type_name("P")
      ->capture_default_str();
  app.add_option("--chunks", o->layer.chunks,
                 "that a product whose result is added over the ranks is cut into")
      ->type_name("C")
      ->capture_default_str();
  app.add_flag("--gather", o->layer.gather, "of column: Y is put together on every rank");
  app.add_flag("--no-overlap", o->no_overlap,
               "sums over ranks run by themselves, not beside products");
  app.add_flag("--no-run", o->no_run, "the model alone, nothing is run");
  app.add_option_function<std::string>(
         "--device",
         [o](const std::string& text) { read_device(text, o->where.device, o->where.host); },
         "cuda (one card per rank, if there are so many), cuda:N, emulator, ssh:HOST/…, or "
         "recorded:NAME for the model alone")
      ->type_name("DEVICE")
      ->group(kPlaceGroup)
      ->default_str("emulator");
  app.add_option("--kernel", o->kernel, "of all products (default: for each the best by the model)")
      ->type_name("ID");
  app.add_option("--card", o->card,
                 fmt::format("that the model takes for the emulator, by name (default {})",
                             model::device_table()[0].name))
      ->type_name("NAME");
  app.add_option("--spare-sms", o->spare_sms,
                 "that persistent kernels leave to transfers which run beside them")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seconds", o->seconds, "of taking samples")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--time-limit", o->time_limit,
                 "that one run of the layer may take, and a rank be silent")
      ->type_name("SECONDS")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  add_kernel_dir(app, o->where.kernel_dir);
  return [o, &globals] { return run_layer(*o, globals); };
}

}  // namespace tilescope::cli

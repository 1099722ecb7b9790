// model: what a tile costs, before anything is compiled.
#include <fmt/format.h>

#include <memory>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/model_json.h"
#include "app/cli/model_tables.h"
#include "app/cli/opinion_output.h"
#include "app/cli/parse.h"
#include "app/cli/request_options.h"
#include "app/cli/simulated_l2.h"
#include "app/cli/worker_session.h"
#include "app/common/device_row.h"
#include "core/model/format.h"
#include "core/model/l2_simulation.h"
#include "core/model/names.h"
#include "core/model/notes.h"

namespace tilescope::cli {
namespace {

struct ModelOptions {
  RequestOptions request;
  std::string table, count, registers;
  bool second_opinion = false;
};

Json notes_json(const model::Analysis& a) {
  Json both;
  for (const auto& [name, count] : {std::pair{"elements", model::notes::Count::elements},
                                    std::pair{"bytes", model::notes::Count::bytes}}) {
    const auto i = model::notes::intensities(a.plan, a.problem, count);
    both[name] = {{"registers", i.registers}, {"shared", i.shared}, {"global", i.global}};
  }
  return both;
}

Json l2_json(const std::optional<SimulatedL2>& simulated) {
  if (!simulated) return nullptr;
  const SimulatedL2& s = *simulated;
  return {{"dram_read", s.traffic.read},    {"dram_read_at_best", s.traffic.compulsory},
          {"asked", s.traffic.asked},       {"hits", s.traffic.hits()},
          {"kept_bytes", s.machine.bytes},  {"ctas_at_once", s.machine.slots},
          {"hit_rate", s.traffic.hit_rate}, {"simulation_ms", s.ms}};
}

Json analysis_json(const Request& r, const model::Analysis& a,
                   const std::optional<SimulatedL2>& simulated, const std::string& device) {
  Json levels = {};
  const auto& p = a.prediction;
  for (const model::LevelTime& level : p.levels) levels[level.name] = level.us;
  Json parts = {};
  for (int i = 0; i < model::kTimeParts; ++i) {
    parts[model::name_of(static_cast<model::TimePart>(i))] = p.parts[i];
  }
  return {
      {"kernel", r.kernel->info.id},
      {"tile", tile_json(r.tile, r.kernel->sliders)},
      {"size", size_json(r.problem)},
      {"types", types_json(r.problem)},
      {"layout", model::layout_letters(r.problem)},
      {"device", device},
      {"levels", levels_json(a.traffic)},
      {"shared_bytes", a.launch.shared_bytes},
      {"threads", a.launch.threads},
      {"grid", {a.launch.grid_x, a.launch.grid_y}},
      {"occupancy",
       {{"ctas_per_sm", a.occupancy.ctas_per_sm},
        {"limiter", model::name_of(a.occupancy.limiter)},
        {"warps_share", a.occupancy.warps_share}}},
      {"waves",
       {{"count", a.waves.count},
        {"last_fill", a.waves.last_fill},
        {"efficiency", a.waves.efficiency}}},
      {"time",
       {{"us", p.us},
        {"low_us", p.low_us},
        {"high_us", p.high_us},
        {"bound", p.bound},
        {"tflops", p.tflops},
        {"levels_us", levels},
        {"parts_us", parts},
        {"remark", p.remark().empty() ? Json() : Json(p.remark())}}},
      {"l2_simulated", l2_json(simulated)},
      {"ratios",
       {{"device", a.ratios.device},
        {"problem", a.ratios.problem},
        {"kernel", a.ratios.kernel},
        {"bound", a.ratios.compute_bound ? "compute" : "memory"}}},
      {"intensity_as_in_the_notes", notes_json(a)},
      {"formulas", formulas_json(a)},
  };
}

void print_levels(const model::Traffic& t) {
  Table table({"level", "read", "written", "FLOP/B", ""}, "lrrr");
  const auto add = [&](const char* name, const model::MemoryLevel& level) {
    const char* mark = level.exact ? "" : "~";
    const bool used = level.read + level.write > 0;
    table.add({name, mark + model::bytes_text(level.read), mark + model::bytes_text(level.write),
               used ? mark + model::four_digits(level.flop_per_byte) : "–",
               level.exact ? "exact" : "modelled"});
  };
  add("registers", t.registers);
  add("shared memory", t.shared);
  add("L1 requests", t.l1);
  add("L2 → SM", t.l2);
  add("DRAM", t.dram);
  table.print();
}

void print_analysis(const Request& r, const model::Analysis& a,
                    const std::optional<SimulatedL2>& simulated, const std::string& device) {
  print(fmt::format("{} {} on {}, {} {}", r.kernel->info.id,
                    model::tile_text(r.tile, r.kernel->sliders), size_text(r.problem),
                    types_text(r.problem), model::layout_letters(r.problem)));
  print_levels(a.traffic);
  const model::Counts& c = a.traffic.counts;
  const auto text = [](uint64_t n) { return model::grouped(static_cast<long long>(n)); };
  print(fmt::format("shared memory  {} B per CTA", model::grouped(a.launch.shared_bytes)));
  const auto wavefronts = [&](const char* what, const model::SharedSum& sum) {
    if (sum.requests == 0) return;
    print(fmt::format("  {:<12} {} wavefronts, {} of them conflicts", what, text(sum.wavefronts),
                      text(sum.conflicts())));
  };
  wavefronts("loads", c.shared_load);
  wavefronts("stores", c.shared_store);
  wavefronts("copies", c.shared_copy);
  wavefronts("products", c.shared_product);
  print(fmt::format("L1 requests    {} sectors in {} requests",
                    text(c.global_load().sectors + c.global_store().sectors),
                    text(c.global_load().requests + c.global_store().requests)));
  if (const model::GlobalSum bulk = c.bulk_load(); bulk.requests > 0) {
    print(fmt::format("bulk loads     {} sectors in {} requests, past the L1", text(bulk.sectors),
                      text(bulk.requests)));
  }
  if (const model::GlobalSum bulk = c.bulk_store(); bulk.requests > 0) {
    print(fmt::format("bulk stores    {} sectors in {} requests, past the L1", text(bulk.sectors),
                      text(bulk.requests)));
  }
  print(fmt::format("occupancy      {} CTAs per SM, limited by {}", a.occupancy.ctas_per_sm,
                    model::name_of(a.occupancy.limiter)));
  print(fmt::format("waves          {}, the last {:.0f} % full", a.waves.count,
                    100 * a.waves.last_fill));
  if (simulated) {
    const model::L2Traffic& l2 = simulated->traffic;
    print(fmt::format(
        "L2             ~{} read from DRAM ({} at best): it has {:.1f} % of what CTAs read",
        model::bytes_text(l2.read), model::bytes_text(l2.compulsory), 100 * l2.hits()));
  } else {
    print("L2             not simulated: the grid has too many tiles; larger ones are");
  }
  const model::Prediction& p = a.prediction;
  print(fmt::format("time           ~{}, likely {} to {} ({} TFLOPS) on {}, bound by {}",
                    model::time_text(p.us), model::time_text(p.low_us), model::time_text(p.high_us),
                    model::four_digits(p.tflops), device, p.bound));
  if (!p.remark().empty()) print(p.remark());
  print("");
  for (const model::Formula& f : model::all_formulas(a)) {
    print(fmt::format("{} = {}{} {}\n    {}\n    {}", f.title, f.exact ? "" : "~",
                      model::four_digits(f.value), f.unit, f.symbols, f.numbers));
  }
}

int run_model(const ModelOptions& o, const Globals& globals) {
  if (!o.table.empty()) {
    if (o.second_opinion)
      throw CliError(kBadUsage, "--second-opinion is of a tile, not of a table");
    return run_table(o.table, o.count.empty() ? "bytes" : o.count, globals.json);
  }
  if (!o.count.empty()) throw CliError(kBadUsage, "--count belongs to --table");
  Request r = one_request(o.request);
  model::DeviceRow device;
  if (is_cuda(o.request.device)) {
    device = model_row(WorkerSession(o.request).card(o.request.device));
  } else {
    device = device_row(o.request.device);
  }
  const std::string name = device.name;
  require_legal(r, device.limits);
  std::optional<int> registers;
  if (!o.registers.empty()) registers = parse_integer("--registers", o.registers, 1, 255);
  std::optional<worker::SecondOpinion> second;
  if (o.second_opinion) second = ask_second_opinion(o.request, r, name);
  const KernelPlan plan = r.plan();
  const std::optional<SimulatedL2> simulated = simulated_l2(plan, r.problem, device, registers);
  const model::Analysis a = model::analyse(
      plan, r.problem, launch_of(plan), device, {.registers = registers, .spill_bytes = 0},
      simulated ? std::optional(simulated->traffic.read) : std::nullopt);
  if (globals.json) {
    Json document = analysis_json(r, a, simulated, name);
    if (second) document["second_opinion"] = second_opinion_json(*second);
    print_json(document);
  } else {
    print_analysis(r, a, simulated, name);
    if (second) print_second_opinion(*second);
  }
  return kOk;
}

}  // namespace

Run make_model(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<ModelOptions>();
  o->request.add_to(app);
  app.add_option("--table", o->table,
                 "one of the tables of the notes: tile sizes against what a level must deliver")
      ->type_name("001a|001b|001c");
  app.add_option("--count", o->count,
                 "what --table counts (default bytes; the notes count elements)")
      ->type_name("elements|bytes");
  app.add_flag("--second-opinion", o->second_opinion,
               "asks NVIDIA's nvMatmulHeuristics too: its time for the tile, and its best tiles");
  app.add_option("--registers", o->registers,
                 "per thread, if known from a compile (default: estimated)")
      ->type_name("N");
  return [o, &globals] { return run_model(*o, globals); };
}

}  // namespace tilescope::cli

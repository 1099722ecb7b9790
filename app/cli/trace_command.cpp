// trace: what one CTA does, in the order of the kernel's PTX.
#include <fmt/format.h>

#include <memory>

#include "app/cli/command.h"
#include "app/cli/error.h"
#include "app/cli/output.h"
#include "app/cli/parse.h"
#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "worker/messages/messages_json.h"

namespace tilescope::cli {
namespace {

struct Options {
  RequestOptions request;
  std::string cta = "0,0", item, k_step;
  bool lanes = false;
};

Json index_or_null(int value) { return value >= 0 ? Json(value) : Json(); }
Json matrix_json(int matrix) {
  return matrix < 0 ? Json() : Json(model::name_of(static_cast<Operand>(matrix)));
}

Json event_json(const worker::TraceEvent& e) {
  return {{"epoch", e.epoch},
          {"index", e.index},
          {"warp", e.warp},
          {"kind", worker::wire_name(e.kind)},
          {"count", e.count},
          {"line", index_or_null(e.line > 0 ? e.line : -1)},
          {"ptx_line", e.ptx_line},
          {"k_step", index_or_null(e.k_step)},
          {"stage", index_or_null(e.stage)},
          {"lanes", e.lanes},
          {"matrix", matrix_json(e.matrix)},
          {"elements", e.elements}};
}

void add_lanes(Json& json, const worker::TraceEvent& e, const worker::TraceResult& trace) {
  json["address"] = nullptr;
  json["bytes"] = nullptr;
  if (e.first_raw < 0 || static_cast<size_t>(e.first_raw) >= trace.raw.size()) return;
  const worker::RawAccess& raw = trace.raw[static_cast<size_t>(e.first_raw)];
  if (raw.bytes == 0) return;
  Json addresses = Json::array();
  for (unsigned lane = 0; lane < 32; ++lane) {
    addresses.push_back(e.lanes >> lane & 1 ? Json(raw.address[lane]) : Json());
  }
  json["address"] = addresses;
  json["bytes"] = raw.bytes;
}

Json trace_json(const Request& r, const worker::TraceResult& t, bool lanes) {
  Json events = Json::array();
  for (const worker::TraceEvent& e : t.events) {
    Json event = event_json(e);
    if (lanes) add_lanes(event, e, t);
    events.push_back(event);
  }
  return {{"kernel", r.kernel->info.id},
          {"tile", tile_json(r.tile, r.kernel->sliders)},
          {"size", size_json(r.problem)},
          {"cta", {t.cta.x, t.cta.y, t.cta.z}},
          {"item", t.item},
          {"block_tile", {t.tile.row, t.tile.col}},
          {"warps", t.warps},
          {"epochs", t.epochs},
          {"k_slices", t.k_slices},
          {"recorded_k_steps", t.recorded_k_steps},
          {"revision", t.revision},
          {"events", events}};
}

void print_trace(const worker::TraceResult& t) {
  const std::string slices =
      t.k_end - t.k_begin == t.k_slices
          ? fmt::format("{} k slices", t.k_slices)
          : fmt::format("k slices {} to {} of {}", t.k_begin, t.k_end - 1, t.k_slices);
  print(fmt::format("CTA {},{},{} computes block tile [{}, {}]; {} warps, {}", t.cta.x, t.cta.y,
                    t.cta.z, t.tile.row, t.tile.col, t.warps, slices));
  Table table({"epoch", "warp", "index", "event", "matrix", "k step", "stage", "line", "PTX"},
              "rrrllrrrr");
  const auto text = [](int value) { return value >= 0 ? std::to_string(value) : std::string(); };
  for (const worker::TraceEvent& e : t.events) {
    const std::string times = e.count > 1 ? fmt::format(" ×{}", e.count) : "";
    table.add({std::to_string(e.epoch), std::to_string(e.warp), std::to_string(e.index),
               worker::wire_name(e.kind) + times,
               e.matrix < 0 ? "" : model::name_of(static_cast<Operand>(e.matrix)), text(e.k_step),
               text(e.stage), text(e.line), text(e.ptx_line)});
  }
  table.print();
}

int run(const Options& o, const Globals& globals) {
  Request r = one_request(o.request);
  require_legal(r, device_row("emulator").limits);
  const Launch launch = launch_of(r.plan());
  const Triple cta = parse_triple("--cta", o.cta, 0);
  if (cta.x >= static_cast<uint32_t>(launch.grid_x) ||
      cta.y >= static_cast<uint32_t>(launch.grid_y) ||
      cta.z >= static_cast<uint32_t>(launch.grid_z)) {
    throw CliError(kBadUsage, fmt::format("--cta {} lies outside of the grid of {}×{}×{} CTAs",
                                          o.cta, launch.grid_x, launch.grid_y, launch.grid_z));
  }
  nlohmann::json params = r.message();
  const BlockIndex at{static_cast<int>(cta.x), static_cast<int>(cta.y), static_cast<int>(cta.z)};
  const WorkOrder work = r.plan().work;
  const int index = launch_index(launch, at);
  params["cta"] = at;
  params["item"] =
      o.item.empty() ? 0 : parse_integer("--item", o.item, 0, work_items(work, index) - 1);
  if (!o.k_step.empty()) {
    const WorkItem item = work_item(work, index, params["item"].get<int>());
    params["k_step"] = parse_integer("--k-step", o.k_step, item.k_begin, item.k_end - 1);
  }
  WorkerSession worker(o.request.kernel_dir);
  std::vector<std::byte> raw;
  const nlohmann::json result = worker.call(
      "emulator", "trace", params, [&](std::string_view type, std::span<const std::byte> bytes) {
        if (type == "trace.raw") raw.insert(raw.end(), bytes.begin(), bytes.end());
      });
  auto trace = result.get<worker::TraceResult>();
  trace.raw = worker::decode_raw(raw);
  if (globals.json) {
    print_json(trace_json(r, trace, o.lanes));
  } else {
    print_trace(trace);
  }
  return kOk;
}

}  // namespace

Run make_trace(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<Options>();
  o->request.add_to(app);
  app.add_option("--cta", o->cta, "X,Y,Z: blockIdx")->capture_default_str();
  app.add_option("--item", o->item, "of the CTA's work items, where it has several (0)");
  app.add_option("--k-step", o->k_step, "record this k slice and its neighbours too");
  app.add_flag("--lanes", o->lanes, "with the lanes' addresses");
  return [o, &globals] { return run(*o, globals); };
}

}  // namespace tilescope::cli

// trace: what one CTA does, in the order of the kernel's PTX.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>

#include "app/cli/arithmetic_flag.h"
#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/own_flags.h"
#include "app/cli/parse.h"
#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_trace.h"

namespace tilescope::cli {
namespace {

struct TraceOptions {
  ArithmeticFlag arithmetic;
  RequestOptions request;
  OwnFlags ptx;
  std::string cta = "0,0", item, k_step;
  bool lanes = false;
};

Json index_or_null(int value) { return value >= 0 ? Json(value) : Json(); }
/// Of a launch without a plan the buffer.
std::string matrix_name(const worker::TraceResult& t, int matrix) {
  if (matrix < 0) return "";
  const auto i = static_cast<size_t>(matrix);
  return i < t.buffers.size() ? t.buffers[i] : model::name_of(static_cast<Operand>(matrix));
}

Json event_json(const worker::TraceResult& t, const worker::TraceEvent& e) {
  const std::string matrix = matrix_name(t, e.matrix);
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
          {"matrix", matrix.empty() ? Json() : Json(matrix)},
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

Json events_json(const worker::TraceResult& t, bool lanes) {
  Json events = Json::array();
  for (const worker::TraceEvent& e : t.events) {
    Json event = event_json(t, e);
    if (lanes) add_lanes(event, e, t);
    events.push_back(event);
  }
  return events;
}

Json trace_json(const Request& r, const worker::TraceResult& t, bool lanes) {
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
          {"events", events_json(t, lanes)}};
}

/// Nothing is known of elements and stages: those keys go, and the loops come.
Json launch_json(const std::string& entry, const worker::TraceResult& t, bool lanes) {
  Json loops = Json::array(), events = events_json(t, lanes);
  for (const worker::TracedLoop& l : t.loops) {
    loops.push_back({{"line", index_or_null(l.line > 0 ? l.line : -1)},
                     {"ptx_line", l.ptx_line},
                     {"iterations", l.iterations},
                     {"events", l.events}});
  }
  for (size_t i = 0; i < t.events.size(); ++i) {
    events[i].erase("stage");
    events[i].erase("elements");
    events[i]["loop"] = index_or_null(t.events[i].loop);
  }
  return {{"kernel", entry},
          {"cta", {t.cta.x, t.cta.y, t.cta.z}},
          {"buffers", t.buffers},
          {"warps", t.warps},
          {"epochs", t.epochs},
          {"loops", loops},
          {"main_loop", index_or_null(t.main_loop)},
          {"k_slices", t.k_slices},
          {"recorded_k_steps", t.recorded_k_steps},
          {"truncated", t.truncated},
          {"revision", t.revision},
          {"events", events}};
}

/// `words`: of the columns that tell what is moved, in which iteration, and of what.
void print_events(const worker::TraceResult& t, const std::array<std::string, 3>& words) {
  Table table({"epoch", "warp", "index", "event", words[0], words[1], words[2], "line", "PTX"},
              "rrrllrrrr");
  const auto text = [](int value) { return value >= 0 ? std::to_string(value) : std::string(); };
  for (const worker::TraceEvent& e : t.events) {
    const std::string times = e.count > 1 ? fmt::format(" ×{}", e.count) : "";
    table.add({std::to_string(e.epoch), std::to_string(e.warp), std::to_string(e.index),
               worker::wire_name(e.kind) + times, matrix_name(t, e.matrix), text(e.k_step),
               text(t.buffers.empty() && t.loops.empty() ? e.stage : e.loop),
               text(e.line > 0 ? e.line : -1), text(e.ptx_line)});
  }
  table.print();
}

void print_trace(const worker::TraceResult& t) {
  const std::string slices =
      t.k_end - t.k_begin == t.k_slices
          ? fmt::format("{} k slices", t.k_slices)
          : fmt::format("k slices {} to {} of {}", t.k_begin, t.k_end - 1, t.k_slices);
  print(fmt::format("CTA {},{},{} computes block tile [{}, {}]; {} warps, {}", t.cta.x, t.cta.y,
                    t.cta.z, t.tile.row, t.tile.col, t.warps, slices));
  print_events(t, {"matrix", "k step", "stage"});
}

void print_launch(const std::string& entry, const worker::TraceResult& t) {
  print(fmt::format("CTA {},{},{} of {}; {} warps", t.cta.x, t.cta.y, t.cta.z, entry, t.warps));
  for (size_t i = 0; i < t.loops.size(); ++i) {
    const worker::TracedLoop& l = t.loops[i];
    if (l.events == 0) continue;
    print(fmt::format("loop {} at PTX line {}{}: {} iterations{}", i, l.ptx_line,
                      l.line > 0 ? fmt::format(" (line {})", l.line) : "",
                      model::grouped(l.iterations),
                      static_cast<int>(i) == t.main_loop ? ", the k steps" : ""));
  }
  print_events(t, {"buffer", "iteration", "loop"});
  if (t.truncated) {
    message(
        fmt::format("tilescope-cli: the trace is cut off behind {} events; its iterations hold "
                    "more than one may have",
                    model::grouped(static_cast<long long>(t.events.size()))));
  }
}

/// --cta, inside of the grid.
BlockIndex read_cta(const std::string& text, const sheet::Extent& grid) {
  const Triple cta = parse_triple("--cta", text, 0);
  if (cta.x >= grid.x || cta.y >= grid.y || cta.z >= grid.z) {
    throw CliError(kBadUsage, fmt::format("--cta {} lies outside of the grid of {}×{}×{} CTAs",
                                          text, grid.x, grid.y, grid.z));
  }
  return {static_cast<int>(cta.x), static_cast<int>(cta.y), static_cast<int>(cta.z)};
}

worker::TraceResult ask(const TraceOptions& o, WorkerSession& worker,
                        worker::calls::Trace::Request asked) {
  asked.bounds = bounds_of(o.ptx);
  return worker.call<worker::calls::Trace>(asked);
}

int run_kernel(const TraceOptions& o, bool json) {
  o.ptx.refuse_without_file();
  Request r = one_request(o.request);
  require_legal(r, device_row("emulator").limits);
  r.sums_of = o.arithmetic.sums_of(o.request.device);
  const Launch launch = launch_of(r.plan());
  const BlockIndex at =
      read_cta(o.cta, {static_cast<uint32_t>(launch.grid_x), static_cast<uint32_t>(launch.grid_y),
                       static_cast<uint32_t>(launch.grid_z)});
  worker::calls::Trace::Request asked{.of = worker::calls::Kernel{r.message()}};
  const WorkOrder work = r.plan().work;
  const int index = launch_index(launch, at);
  asked.cta = at;
  asked.item = o.item.empty() ? 0 : parse_integer("--item", o.item, 0, work_items(work, index) - 1);
  if (!o.k_step.empty()) {
    const WorkItem item = work_item(work, index, asked.item);
    asked.k_step = parse_integer("--k-step", o.k_step, item.k_begin, item.k_end - 1);
  }
  WorkerSession worker(o.request);
  const worker::TraceResult trace = ask(o, worker, std::move(asked));
  if (json) {
    print_json(trace_json(r, trace, o.lanes));
  } else {
    print_trace(trace);
  }
  return kOk;
}

int run_ptx(const TraceOptions& o, bool json) {
  if (!o.item.empty()) {
    throw CliError(kBadUsage,
                   "--item belongs to --kernel ID; a PTX file has no plan to tell of "
                   "work items");
  }
  WorkerSession worker(o.request);
  const OwnLaunch own = read_own(o.ptx, o.request, worker);
  worker::calls::Trace::Request asked;
  asked.cta = read_cta(o.cta, *own.sheet.grid);
  if (!o.k_step.empty()) {
    constexpr int kMost = std::numeric_limits<int>::max();
    asked.k_step = parse_integer("--k-step", o.k_step, 0, kMost);
  }
  asked.lanes = o.lanes;
  asked.launch = launch_request(own);
  asked.launch->sums_of = o.arithmetic.sums_of(o.request.device);
  const worker::TraceResult trace = ask(o, worker, std::move(asked));
  if (json) {
    print_json(launch_json(own.name(), trace, o.lanes));
  } else {
    print_launch(own.name(), trace);
  }
  return kOk;
}

}  // namespace

Run make_trace(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<TraceOptions>();
  o->request.add_to(app);
  o->ptx.add_to(app);
  o->arithmetic.add_to(app);
  app.add_option("--cta", o->cta, "the CTA: its blockIdx")
      ->type_name("X,Y,Z")
      ->capture_default_str();
  app.add_option("--item", o->item,
                 "which of the CTA's work items, where it has several (default 0)")
      ->type_name("N");
  app.add_option(
         "--k-step", o->k_step,
         "records this k slice and its neighbours too; of --ptx FILE this iteration of the loop "
         "in which most is done")
      ->type_name("N");
  app.add_flag("--lanes", o->lanes, "adds the address and the width of each lane's access");
  return [o, &globals] {
    if (o->ptx.given() && !o->request.host.empty()) {
      bad(fmt::format("trace --ptx and --cu run here: leave out --device ssh:{}", o->request.host));
    }
    return o->ptx.given() ? run_ptx(*o, globals.json) : run_kernel(*o, globals.json);
  };
}

}  // namespace tilescope::cli

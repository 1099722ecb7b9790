// step: where a launch stands after some motions, and what its registers and memory hold there.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "app/cli/arithmetic_flag.h"
#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/own_flags.h"
#include "app/cli/parse.h"
#include "app/cli/request_options.h"
#include "app/cli/step_output.h"
#include "app/cli/worker_session.h"
#include "core/layout/launch.h"
#include "worker/messages/motion.h"

namespace tilescope::cli {
namespace {

using worker::StepAnswer;
using worker::StepMotion;
using worker::StepStop;
using worker::calls::Step;

struct StepOptions {
  ArithmeticFlag arithmetic;
  RequestOptions request;
  OwnFlags ptx;
  std::string cta = "0,0", warp, from, at_warp;
  bool whole_grid = false, back = false;
  std::vector<std::string> to, registers, memory;
  StepShown shown;
};

std::vector<StepMotion> read_motions(const StepOptions& o) {
  std::vector<StepMotion> motions;
  for (const std::string& text : o.to) {
    StepMotion motion;
    try {
      motion = worker::parse_motion(text);
    } catch (const std::invalid_argument& wrong) {
      bad(clause(wrong.what()));
    }
    motion.back = motion.back != o.back;
    if (!o.warp.empty()) {
      for (StepStop& stop : motion.stops) {
        if (!stop.condition.warp) stop.condition.warp = parse_integer("--warp", o.warp, 0, 31);
      }
    }
    motions.push_back(std::move(motion));
  }
  return motions;
}

/// The grid's CTA that runs alone; none of the whole grid.
std::optional<BlockIndex> chosen_cta(const StepOptions& o, uint64_t x, uint64_t y, uint64_t z) {
  if (o.whole_grid) return std::nullopt;
  const Triple cta = parse_triple("--cta", o.cta, 0);
  if (cta.x >= x || cta.y >= y || cta.z >= z) {
    bad(fmt::format("--cta {} lies outside of the grid of {}×{}×{} CTAs", o.cta, x, y, z));
  }
  return BlockIndex{static_cast<int>(cta.x), static_cast<int>(cta.y), static_cast<int>(cta.z)};
}

/// What --memory names: the same places as motions do.
StepStop read_place(const std::string& text) {
  try {
    return worker::parse_motion("touched:" + text).stops.front();
  } catch (const std::invalid_argument&) {
    bad(fmt::format("--memory {} is not a place: it is BUFFER+OFFSET:BYTES or s+OFFSET:BYTES",
                    text));
  }
}

struct Range {
  std::string name;
  bool shared = false;
  uint64_t offset = 0, bytes = 4;
};
std::vector<Range> read_ranges(const StepOptions& o) {
  std::vector<Range> ranges;
  for (const std::string& text : o.memory) {
    const StepStop place = read_place(text);
    if (place.element) {
      bad(fmt::format("--memory {} must name bytes: BUFFER+OFFSET:BYTES", text));
    }
    ranges.push_back(
        {place.buffer, place.condition.shared, place.condition.address, place.condition.bytes});
  }
  return ranges;
}

/// Asks, and asks again at the same place for the bytes of buffers, whose addresses the first
/// answer tells.
StepAnswer ask(const StepOptions& o, WorkerSession& session, Step::Request request,
               std::vector<ShownBytes>& shown) {
  const std::vector<Range> ranges = read_ranges(o);
  request.bounds = bounds_of(o.ptx);
  if (!o.from.empty()) {
    request.from = static_cast<uint64_t>(parse_large("--from", o.from, 0, 1ll << 60));
  }
  request.motions = read_motions(o);
  request.parts.live_only = !o.shown.all_registers && o.registers.empty();
  request.parts.shared =
      std::ranges::any_of(ranges, [](const Range& range) { return range.shared; });
  request.parts.writers = o.shown.writers;
  request.checks = o.shown.checks;
  if (!o.at_warp.empty()) {
    request.parts.warps = std::vector<uint32_t>{
        static_cast<uint32_t>(parse_integer("--registers-of", o.at_warp, 0, 31))};
  }
  StepAnswer answer = session.call<Step>(request);
  for (const Range& range : ranges) {
    ShownBytes& bytes = shown.emplace_back();
    bytes.name = range.shared ? "shared" : range.name;
    bytes.shared = range.shared;
    bytes.offset = range.offset;
    if (range.shared) {
      const auto& all = answer.state.shared;
      if (range.offset > all.size() || range.bytes > all.size() - range.offset) {
        bad(fmt::format("the CTA has {} bytes of shared memory; {} from {} on lie outside of it",
                        all.size(), range.bytes, range.offset));
      }
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(range.offset);
      bytes.bytes.assign(first, first + static_cast<std::ptrdiff_t>(range.bytes));
      continue;
    }
    Step::Request again = request;
    again.from = answer.state.place.tick;
    again.motions.clear();
    again.checks = false;
    size_t index = 0;
    while (index < answer.buffers.size() && answer.buffers[index].name != range.name &&
           std::to_string(index) != range.name) {
      ++index;
    }
    if (index == answer.buffers.size()) {
      bad(fmt::format("--memory {} names no buffer of the launch; it has {}", range.name,
                      answer.buffers.size()));
    }
    bytes.name = answer.buffers[index].name;
    again.parts.global = {{answer.buffers[index].address + range.offset, range.bytes}};
    bytes.bytes = session.call<Step>(again).state.global.at(0).bytes;
  }
  return answer;
}

int finish(const StepOptions& o, WorkerSession& session, Step::Request request,
           const std::string& kernel, bool json) {
  std::vector<ShownBytes> bytes;
  StepAnswer answer = ask(o, session, std::move(request), bytes);
  if (!o.registers.empty()) keep_registers(answer, o.registers);
  if (json) {
    print_json(step_json(kernel, answer, bytes, o.shown));
  } else {
    print_step(kernel, answer, bytes, o.shown);
  }
  return kOk;
}

int run_kernel(const StepOptions& o, bool json) {
  o.ptx.refuse_without_file();
  Request r = one_request(o.request);
  require_legal(r, device_row("emulator").limits);
  r.sums_of = o.arithmetic.sums_of(o.request.device);
  const Launch launch = launch_of(r.plan());
  Step::Request request{.of = worker::calls::Kernel{r.message()}};
  request.cta =
      chosen_cta(o, static_cast<uint64_t>(launch.grid_x), static_cast<uint64_t>(launch.grid_y),
                 static_cast<uint64_t>(launch.grid_z));
  WorkerSession session(o.request);
  return finish(o, session, std::move(request), r.kernel->info.id, json);
}

int run_ptx(const StepOptions& o, bool json) {
  WorkerSession session(o.request);
  const OwnLaunch own = read_own(o.ptx, o.request, session);
  const sheet::Extent& grid = *own.sheet.grid;
  Step::Request request;
  request.cta = chosen_cta(o, grid.x, grid.y, grid.z);
  request.launch = launch_request(own);
  request.launch->sums_of = o.arithmetic.sums_of(o.request.device);
  return finish(o, session, std::move(request), own.name(), json);
}

}  // namespace

Run make_step(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<StepOptions>();
  o->request.add_to(app);
  o->ptx.add_to(app);
  o->arithmetic.add_to(app);
  app.add_option("--cta", o->cta, "the CTA that runs, without those before it: its blockIdx")
      ->type_name("X,Y,Z")
      ->capture_default_str();
  app.add_flag("--whole-grid", o->whole_grid, "runs all CTAs, in the order of their launch");
  app.add_option("--to", o->to,
                 "a motion, or several one after the other: step:120, line:54, barrier, "
                 "written:C[17,33], … (docs/stepping.md; --list-motions)")
      ->type_name("MOTION…");
  app.add_flag("--back", o->back, "goes backward by each of them");
  app.add_option("--from", o->from, "begins at this tick, as an earlier answer told it (default 0)")
      ->type_name("TICK");
  app.add_option("--warp", o->warp, "motions stop for this warp alone")->type_name("W");
  app.add_option("--registers-of", o->at_warp, "shows this warp's (default: of the next to run)")
      ->type_name("W");
  app.add_option("--registers", o->registers, "only these, by their names in the PTX")
      ->type_name("NAME…");
  app.add_flag("--all-registers", o->shown.all_registers,
               "those that no lane will read again, too");
  app.add_option("--lanes", o->shown.lanes, "how many lanes a table shows")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--memory", o->memory,
                 "shows bytes: BUFFER+OFFSET:BYTES (by name or number) or s+OFFSET:BYTES of shared "
                 "memory")
      ->type_name("PLACE…");
  app.add_flag("--writers", o->shown.writers,
               "who wrote shared memory last: all of it, or the bytes that --memory names");
  app.add_flag("--check", o->shown.checks,
               "what the checks have found up to there, each with its moment");
  app.add_flag("--list-motions", o->shown.list_motions, "says what motions there are");
  return [o, &globals] {
    if (o->shown.list_motions) {
      print_motions(globals.json);
      return kOk;
    }
    return o->ptx.given() ? run_ptx(*o, globals.json) : run_kernel(*o, globals.json);
  };
}

}  // namespace tilescope::cli

// access: which instructions of a CTA, or of a whole grid, touch which buffers, and what that
// costs.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/own_flags.h"
#include "app/cli/parse.h"
#include "app/cli/request_options.h"
#include "app/cli/worker_session.h"
#include "core/model/format.h"

namespace tilescope::cli {
namespace {

using worker::AccessAnswer;
using worker::AccessBuffer;
using worker::AccessRecord;
using worker::calls::Accesses;

struct AccessCommand {
  RequestOptions request;
  OwnFlags ptx;
  std::string cta = "0,0", buffer;
  bool whole_grid = false;
};

constexpr const char* kShared = "shared";

/// What one instruction does to one buffer, or all of them to it.
struct Sum {
  uint64_t accesses = 0, reads = 0, writes = 0;  // of warps; of lanes
  uint64_t cost = 0, ideal = 0;
  uint64_t low = ~0ull, high = 0;  // bytes of the buffer that are touched lie in [low, high)
};

void add(Sum& sum, const AccessRecord& r, const worker::AccessPattern& p, uint64_t base) {
  ++sum.accesses;
  const auto lanes = static_cast<uint64_t>(std::popcount(p.lanes));
  if (r.reads()) sum.reads += lanes;
  if (r.writes()) sum.writes += lanes;
  sum.cost += r.cost, sum.ideal += r.ideal;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((p.lanes >> lane & 1u) == 0) continue;
    const uint64_t at = r.address + static_cast<uint64_t>(p.difference[lane]) - base;
    sum.low = std::min(sum.low, at), sum.high = std::max(sum.high, at + p.bytes);
  }
}

/// By buffer's name, and by it and instruction.
struct Sums {
  std::map<std::string, Sum> buffers;
  std::map<std::pair<uint32_t, std::string>, Sum> instructions;
};

Sums sums_of(const AccessAnswer& a) {
  Sums sums;
  for (const AccessRecord& r : a.records) {
    const auto at = std::ranges::find(a.buffers, r.address >> 40 << 40, &AccessBuffer::address);
    if (!r.shared() && at == a.buffers.end()) continue;
    const std::string name = r.shared() ? kShared : at->name;
    const uint64_t base = r.shared() ? 0 : at->address;
    add(sums.buffers[name], r, a.patterns[r.pattern], base);
    add(sums.instructions[{r.instruction, name}], r, a.patterns[r.pattern], base);
  }
  return sums;
}

std::string buffer_shape(const AccessBuffer& b) {
  if (!b.shaped) return fmt::format("{} B", model::grouped(static_cast<long long>(b.bytes)));
  return fmt::format("{}[{},{}]{}", b.type, b.rows, b.cols, b.by_columns ? " by columns" : "");
}

Json sum_json(const Sum& s) {
  Json json = {{"accesses", s.accesses},
               {"lane_reads", s.reads},
               {"lane_writes", s.writes},
               {"cost", s.cost},
               {"ideal", s.ideal}};
  json["bytes_touched"] = s.accesses ? Json{s.low, s.high} : Json();
  return json;
}

bool is_asked(const std::string& wanted, const std::string& name) {
  return wanted.empty() || wanted == name;
}

Json answer_json(const std::string& kernel, const AccessAnswer& a, const std::string& wanted) {
  Sums sums = sums_of(a);
  Json buffers = Json::array(), instructions = Json::array();
  const auto put = [&](const std::string& name, Json json) {
    if (!is_asked(wanted, name)) return;
    json.update(sum_json(sums.buffers[name]));
    buffers.push_back(std::move(json));
  };
  for (const AccessBuffer& b : a.buffers) {
    put(b.name, {{"name", b.name},
                 {"type", b.type.empty() ? Json() : Json(b.type)},
                 {"shape", b.shaped ? Json{b.rows, b.cols} : Json()},
                 {"by_columns", b.by_columns},
                 {"bytes", b.bytes}});
  }
  if (a.shared_bytes > 0) put(kShared, {{"name", kShared}, {"bytes", a.shared_bytes}});
  for (const auto& [of, sum] : sums.instructions) {
    if (!is_asked(wanted, of.second)) continue;
    const worker::AccessInstruction& in = a.instructions[of.first];
    Json json = {{"ptx_line", in.ptx_line},
                 {"line", in.line > 0 ? Json(in.line) : Json()},
                 {"opcode", in.opcode},
                 {"buffer", of.second}};
    json.update(sum_json(sum));
    instructions.push_back(std::move(json));
  }
  return {{"kernel", kernel},
          {"cta", a.whole_grid ? Json() : Json{a.cta.x, a.cta.y, a.cta.z}},
          {"grid", {a.grid.x, a.grid.y, a.grid.z}},
          {"warps", a.warps},
          {"moments", a.moments},
          {"stopped", a.stopped.empty() ? Json() : Json(a.stopped)},
          {"buffers", buffers},
          {"instructions", instructions}};
}

void print_answer(const std::string& kernel, const AccessAnswer& a, const std::string& wanted) {
  const auto n = [](uint64_t value) { return model::grouped(static_cast<long long>(value)); };
  const std::string who = a.whole_grid
                              ? fmt::format("all {}×{}×{} CTAs", a.grid.x, a.grid.y, a.grid.z)
                              : fmt::format("CTA {},{},{}", a.cta.x, a.cta.y, a.cta.z);
  print(fmt::format("{} of {}; {} warps, {} accesses of warps", who, kernel, a.warps,
                    n(a.records.size())));
  Sums sums = sums_of(a);
  Table buffers({"buffer", "shape", "read by lanes", "written", "bytes touched"}, "llrrr");
  const auto row = [&](const std::string& name, const std::string& shape) {
    if (!is_asked(wanted, name)) return;
    const Sum& s = sums.buffers[name];
    buffers.add({name, shape, n(s.reads), n(s.writes),
                 s.accesses ? fmt::format("{} to {}", n(s.low), n(s.high - 1)) : "none"});
  };
  for (const AccessBuffer& b : a.buffers) row(b.name, buffer_shape(b));
  if (a.shared_bytes > 0) row(kShared, fmt::format("{} B", n(a.shared_bytes)));
  buffers.print();
  // One row for a source line, which unrolling makes many of the PTX of.
  struct Row {
    int ptx_line = 0, instructions = 0;
    Sum sum;
  };
  std::map<std::tuple<int, int, std::string, std::string>, Row> rows;
  for (const auto& [of, s] : sums.instructions) {
    if (!is_asked(wanted, of.second)) continue;
    const worker::AccessInstruction& in = a.instructions[of.first];
    Row& to = rows[{in.line, in.line > 0 ? 0 : in.ptx_line, in.opcode, of.second}];
    if (to.instructions++ == 0) to.ptx_line = in.ptx_line;
    to.sum.accesses += s.accesses, to.sum.cost += s.cost, to.sum.ideal += s.ideal;
  }
  Table table({"line", "PTX", "instruction", "buffer", "accesses", "cost", "ideal", ""},
              "rlllrrrl");
  for (const auto& [of, r] : rows) {
    const auto& [line, alone, opcode, buffer] = of;
    const std::string more =
        r.instructions > 1 ? fmt::format(" and {} more", r.instructions - 1) : "";
    table.add({line > 0 ? std::to_string(line) : "", std::to_string(r.ptx_line) + more, opcode,
               buffer, n(r.sum.accesses), n(r.sum.cost), n(r.sum.ideal),
               buffer == kShared ? "wavefronts" : "sectors"});
  }
  table.print();
  if (!a.stopped.empty()) message("tilescope-cli: " + a.stopped);
}

int run_access(const AccessCommand& o, bool json) {
  Accesses::Request asked;
  const Triple cta = parse_triple("--cta", o.cta, 0);
  asked.whole_grid = o.whole_grid;
  if (!o.whole_grid) {
    asked.cta = {static_cast<int>(cta.x), static_cast<int>(cta.y), static_cast<int>(cta.z)};
  }
  WorkerSession worker(o.request);
  std::string name;
  if (o.ptx.given()) {
    const OwnLaunch own = read_own(o.ptx, o.request, worker);
    asked.launch = launch_request(own);
    name = own.name();
  } else {
    o.ptx.refuse_without_file();
    Request r = one_request(o.request);
    require_legal(r, device_row("emulator").limits);
    asked.of = worker::calls::Kernel{r.message()};
    name = r.kernel->info.id;
  }
  asked.bounds = bounds_of(o.ptx);
  const AccessAnswer answer = worker.call<Accesses>(asked);
  if (!o.buffer.empty() && o.buffer != kShared &&
      std::ranges::find(answer.buffers, o.buffer, &AccessBuffer::name) == answer.buffers.end()) {
    std::string known = kShared;
    for (const AccessBuffer& b : answer.buffers) known += ", " + b.name;
    bad(fmt::format("--buffer {}: the launch has {}", o.buffer, known));
  }
  if (json) {
    print_json(answer_json(name, answer, o.buffer));
  } else {
    print_answer(name, answer, o.buffer);
  }
  return kOk;
}

}  // namespace

Run make_access(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<AccessCommand>();
  o->request.add_to(app);
  o->ptx.add_to(app);
  app.add_option("--cta", o->cta, "the CTA: its blockIdx")
      ->type_name("X,Y,Z")
      ->capture_default_str();
  app.add_flag("--whole-grid", o->whole_grid,
               "all CTAs, in place of one; at most 2,000,000 accesses of warps");
  app.add_option("--buffer", o->buffer, "this buffer alone, or shared")->type_name("NAME");
  return [o, &globals] {
    if (o->ptx.given() && !o->request.host.empty()) {
      bad(fmt::format("access --ptx and --cu run here: leave out --device ssh:{}",
                      o->request.host));
    }
    return run_access(*o, globals.json);
  };
}

}  // namespace tilescope::cli

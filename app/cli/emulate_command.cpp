// emulate: a kernel of the ladder through the worker, which also verifies it, or any PTX file.
#include <fmt/format.h>

#include <memory>

#include "app/cli/arithmetic_flag.h"
#include "app/cli/ask.h"
#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/counted_json.h"
#include "app/cli/emulate_ptx.h"
#include "app/cli/help.h"
#include "app/cli/own_origin.h"
#include "app/cli/parse.h"
#include "app/cli/request_options.h"
#include "app/cli/verify_whole.h"
#include "app/cli/worker_session.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "core/model/traffic.h"
#include "worker/messages/findings.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_origin.h"

namespace tilescope::cli {
namespace {

namespace calls = worker::calls;

struct EmulateOptions {
  RequestOptions request;
  PtxOptions ptx;
  ArithmeticFlag arithmetic;
  bool whole = false;
};

Json code_findings_json(const std::vector<worker::CodeFinding>& findings) {
  Json all = Json::array();
  for (const worker::CodeFinding& f : findings) {
    all.push_back({{"kind", f.kind},
                   {"remark", f.remark},
                   {"count", f.count},
                   {"ptx_line", f.ptx_line},
                   {"line", f.line},
                   {"message", f.message}});
  }
  return all;
}

Json emulated_json(const Request& r, const worker::EmulateResult& e) {
  const worker::CountedTraffic& c = e.counted;
  return {
      {"status", "ok"},
      {"kernel", r.kernel->info.id},
      {"tile", tile_json(r.tile, r.kernel->sliders)},
      {"size", size_json(r.problem)},
      {"ctas", c.ctas},
      {"ctas_executed", c.ctas_executed},
      {"exact", c.exact},
      {"warp_instructions", c.warp_instructions},
      {"lane_instructions", c.lane_instructions},
      {"by_opcode", c.by_opcode},
      {"global", global_json(c)},
      {"shared", shared_json(c)},
      {"mma", c.mma},
      {"barriers", c.barriers},
      {"polls", c.polls},
      {"threads", e.threads},
      {"seconds", e.seconds},
      {"arithmetic", e.arithmetic.empty() ? Json() : Json(e.arithmetic)},
      {"verified", verified_json(e.verified)},
      {"findings", code_findings_json(e.findings)},
      {"checks", checks_json(e.checks)},
  };
}

void print_emulated(const Request& r, const worker::EmulateResult& e) {
  const worker::CountedTraffic& c = e.counted;
  const auto n = [](uint64_t value) { return model::grouped(static_cast<long long>(value)); };
  print(fmt::format("{} {} on {}", r.kernel->info.id, model::tile_text(r.tile, r.kernel->sliders),
                    size_text(r.problem)));
  if (e.verified) {
    print(fmt::format("{}: {}, tolerance {:.2e}, {} elements",
                      e.verified->ok ? worker::right_words(*e.verified) : "WRONG",
                      worker::error_words(*e.verified), e.verified->tolerance,
                      n(e.verified->elements)));
  }
  if (!e.arithmetic.empty()) print(e.arithmetic);
  const char* about = c.exact ? "" : "~";  // of a sample of CTAs
  print(fmt::format(
      "{} CTAs ({} executed), {}{} warp instructions, {}{} mma{}", n(c.ctas), n(c.ctas_executed),
      about, n(c.warp_instructions), about, n(c.mma),
      c.polls > 0 ? fmt::format(", {} looks in vain at what another CTA writes", n(c.polls)) : ""));
  Table table({"", "requests", "sectors / wavefronts", "conflicts", "bytes"}, "lrrrr");
  const auto global = [&](const char* name, const worker::CountedTraffic::Global& g) {
    table.add({name, n(g.requests), n(g.sectors), "", model::bytes_text(1.0 * g.bytes)});
  };
  const auto shared = [&](const char* name, const worker::CountedTraffic::Shared& s) {
    table.add({name, n(s.requests), n(s.wavefronts), n(s.wavefronts - s.ideal),
               model::bytes_text(1.0 * s.bytes)});
  };
  global("global loads", c.global_load);
  global("global stores", c.global_store);
  if (c.bulk_load.requests > 0) global("bulk loads", c.bulk_load);
  if (c.bulk_store.requests > 0) global("bulk stores", c.bulk_store);
  shared("shared loads", c.shared_load);
  const model::Counts modelled = model::count(r.plan(), r.problem);
  if (modelled.joins_shared_loads()) {
    const model::SharedSum joined = modelled.joined_shared_load();
    table.add({"  as joined", "~" + n(joined.requests), "~" + n(joined.wavefronts),
               "~" + n(joined.conflicts()), model::bytes_text(1.0 * joined.bytes)});
  }
  shared("shared stores", c.shared_store);
  shared("copies to shared", c.shared_copy);
  if (c.shared_product.requests > 0) shared("read past threads", c.shared_product);
  table.print();
  if (modelled.joins_shared_loads()) {
    print(fmt::format("as joined, by the model: {}", model::kJoinedWhy));
  }
  print(fmt::format("{:.3f} s on {} threads", e.seconds, e.threads));
  for (const worker::CodeFinding& f : e.findings) print((f.remark ? "remark: " : "") + f.message);
  const bool clean = !worker::first_error(e.checks.findings);
  print(fmt::format(
      "checks of {} CTAs, {}{}", n(e.checks.ctas),
      e.checks.whole_k ? "all of k" : fmt::format("k {} for {}", n(e.checks.k), n(r.problem.k)),
      clean ? ": clean" : ":"));
  for (const worker::CodeFinding& f : e.checks.findings) print(f.message);
}

/// Flags that mean something for a PTX file alone.
void refuse_ptx_flags(const PtxOptions& p) {
  p.refuse_without_file();
  if (!p.dumps.empty()) throw CliError(kBadUsage, "--dump belongs to --ptx FILE");
  if (!p.ctas.empty() && p.asks.empty() && !p.provenance) {
    throw CliError(kBadUsage,
                   "--ctas belongs to --ptx FILE, or to --ask and --provenance of a kernel");
  }
}

/// blockIdx of the CTA that --ctas names first.
BlockIndex asked_cta(const EmulateOptions& o, const KernelPlan& plan) {
  const int index = o.ptx.ctas.empty()
                        ? 0
                        : parse_integer("--ctas", o.ptx.ctas.substr(0, o.ptx.ctas.find("..")), 0,
                                        static_cast<int>(cta_count(plan.work)) - 1);
  return block_index(launch_of(plan), index);
}

worker::OriginQuestion question_of(const Ask& ask, const EmulateOptions& o, const Request& r) {
  const KernelPlan plan = r.plan();
  worker::OriginQuestion q = question_of(ask);
  q.cta = asked_cta(o, plan);
  if (ask.of == Ask::Of::element && ask.row < r.problem.m && ask.col < r.problem.n) {
    const Coord tile = block_of(plan, {ask.row, ask.col});
    q.cta = block_index(launch_of(plan), first_worker(plan.work, tile).cta);
  }
  return q;
}

int run_kernel(const EmulateOptions& o, bool json) {
  refuse_ptx_flags(o.ptx);
  Request r = one_request(o.request);
  require_legal(r, device_row("emulator").limits);
  r.sums_of = o.arithmetic.sums_of(o.request.device);
  const calls::Kernel kernel{r.message()};
  calls::Bounds bounds = bounds_of(o.ptx);
  if (!o.ptx.threads.empty()) {
    bounds.threads = parse_integer("--threads", o.ptx.threads, 1, 1024);
  }
  std::vector<Ask> asks;
  for (const std::string& spec : o.ptx.asks) asks.push_back(parse_ask(spec));
  WorkerSession worker(o.request);
  auto result =
      worker.call<calls::Emulate>({.of = kernel, .bounds = bounds, .check = o.ptx.check}).result;
  if (o.whole && result.verified && result.verified->partial()) {
    result.verified =
        verify_whole(r, {.of = kernel, .bounds = bounds}, worker, result.checks.findings);
  }
  std::vector<worker::OriginResult> origins;
  for (const Ask& ask : asks) {
    origins.push_back(worker.call<calls::Origin>(
        {.of = kernel, .bounds = bounds, .question = question_of(ask, o, r)}));
  }
  Json provenance;
  if (o.ptx.provenance) {
    provenance = *worker
                      .call<calls::Provenance>(
                          {.of = kernel, .bounds = bounds, .cta = asked_cta(o, r.plan())})
                      .provenance;
  }
  if (json) {
    Json j = emulated_json(r, result);
    if (o.ptx.provenance) j["provenance"] = std::move(provenance);
    for (const worker::OriginResult& origin : origins)
      j["origins"].push_back(Json(nlohmann::json(origin)));
    print_json(j);
  } else {
    print_emulated(r, result);
    for (const worker::OriginResult& origin : origins) print_origin(origin);
    if (o.ptx.provenance) print(provenance.dump(1));
  }
  if (result.verified && !result.verified->ok) {
    message(fmt::format("tilescope-cli: wrong result: {}, tolerance {:.2e}",
                        worker::error_words(*result.verified), result.verified->tolerance));
    return kCheckFailed;
  }
  if (const worker::CodeFinding* f = worker::first_error(result.checks.findings)) {
    message(fmt::format("tilescope-cli: right here, but {}; --check looks at all of it",
                        worker::finding_label(*f)));
    return kCheckFailed;
  }
  return kOk;
}

}  // namespace

Run make_emulate(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<EmulateOptions>();
  o->request.add_to(app);
  PtxOptions& p = o->ptx;
  p.add_to(app);
  app.add_option("--ctas", p.ctas, "of a PTX file: only these CTAs, both ends included")
      ->type_name("0..3")
      ->group(kPtxGroup);
  app.add_option("--threads", p.threads, "of this machine that may be used (default: all)")
      ->type_name("N");
  app.add_option("--dump", p.dumps, "writes that argument's buffer to a file after the run")
      ->type_name("INDEX=FILE")
      ->group(kPtxGroup)
      ->expected(-1);
  app.add_flag(
      "--check", p.check,
      "looks for races, values never written and the like in all that runs: one is a fault "
      "(exit code 4). Of a kernel of the ladder one CTA of each class is always looked at "
      "(exit code 1)");
  o->arithmetic.add_to(app);
  app.add_flag("--whole", o->whole, kWholeHelp);
  app.add_flag("--provenance", p.provenance,
               "tells which element of which buffer each load and store moved");
  app.add_option("--ask", p.asks,
                 "where a value came from: C[ROW,COL], wWARP.lLANE.%REGISTER[.lo|.hi][@LINE[#N]], "
                 "s+BYTE[:2|4|8][@wWARP.LINE[#N]]")
      ->type_name("PLACE")
      ->expected(-1);
  return [o, &globals] {
    if (o->ptx.given() && !o->request.host.empty()) {
      throw CliError(kBadUsage, fmt::format("emulate --ptx and --cu run here: leave out --device "
                                            "ssh:{}, or give --kernel",
                                            o->request.host));
    }
    if (o->ptx.given() && o->whole) {
      throw CliError(kBadUsage, "--whole belongs to --kernel: of a PTX file all CTAs run");
    }
    return o->ptx.given()
               ? run_ptx(o->ptx, o->request, o->arithmetic.sums_of(o->request.device), globals.json)
               : run_kernel(*o, globals.json);
  };
}

}  // namespace tilescope::cli

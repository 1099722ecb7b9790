#include "app/cli/bench_own.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/cli/cli_error.h"
#include "app/cli/counted_json.h"
#include "app/cli/emulate_ptx.h"
#include "core/model/format.h"
#include "worker/messages/findings.h"
#include "worker/messages/messages_run.h"

namespace tilescope::cli {
namespace {

/// With all of it, or with the checks of the first CTA alone, which then run beside.
worker::calls::Run::Answer run(const OwnFlags& flags, const OwnLaunch& own, bool check,
                               WorkerSession& worker) {
  worker::RunRequest request;
  add_launch(own, request);
  request.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  request.argument_of = buffer_arguments(own);
  const auto bounds = bounds_of(flags);
  request.max_lane_instructions = bounds.max_lane_instructions;
  request.check = check;
  if (check) request.ctas = {0, 0};
  return worker.call<worker::calls::Run>({request, bounds.max_memory});
}

/// What checks found, as a kernel of the ladder has it: what is slow is the counts' to tell.
worker::CheckResult checks_of(const worker::RunAnswer& answer) {
  worker::CheckResult checks;
  checks.ctas = 1;
  checks.findings = answer.findings;
  std::erase_if(checks.findings, [](const worker::CodeFinding& f) { return f.remark; });
  return checks;
}

Json types_of(const OwnLaunch& own) {
  Json types = Json::array();
  const sheet::GemmSheet& g = *own.sheet.gemm;
  for (const int argument : {g.a, g.b, g.c}) {
    const auto& spec = own.specs[static_cast<size_t>(argument)];
    types.push_back(std::get<sheet::BufferSpec>(spec).type->name);
  }
  return types;
}

Json result_of(const OwnLaunch& own) {
  const auto& gemm = own.sheet.gemm;
  Json json;
  json["kernel"] = own.name();
  json["file"] = own.file;
  json["tile"] = nullptr;
  json["size"] = gemm ? Json({gemm->m, gemm->n, gemm->k}) : Json();
  json["types"] = gemm ? types_of(own) : Json();
  json["layout"] = gemm ? Json(gemm->layout) : Json();
  json["device"] = "emulator";
  json["standing"] = "emulated";
  json["date"] = model::today();
  for (const char* key : {"driver", "verified", "tflops", "spread", "samples", "time_us"}) {
    json[key] = nullptr;
  }
  json["library"] = {{"name", nullptr}, {"tflops", nullptr}};
  for (const char* key : {"of_library", "clock_mhz", "registers", "spill_bytes"}) {
    json[key] = nullptr;
  }
  json["compile_ms"] = own.opened.kind == "cu" ? Json(own.opened.compile_ms) : Json();
  json["revision"] = own.opened.revision;
  json["bytes"] = {{"model", nullptr}, {"counted", nullptr}, {"measured", nullptr}};
  json["checks"] = nullptr;
  return json;
}

}  // namespace

BenchResult bench_own(const OwnFlags& flags, const RequestOptions& problem) {
  if (problem.device != "emulator" || !problem.host.empty()) {
    bad(fmt::format(
        "--device {}: a kernel of your own is not launched on a card yet; leave --device "
        "out to have it verified and counted by the emulator",
        problem.host.empty() ? problem.device : "ssh:" + problem.host));
  }
  WorkerSession worker(std::string{});
  const OwnLaunch own = read_own(flags, problem, worker);
  Json json = result_of(own);
  const auto ran = run(flags, own, false, worker);
  if (ran.answer.fault) {
    throw CliError(kFailed, ran.answer.fault->message,
                   {{"fault", Json::parse(ran.document).at("fault")}});
  }
  json["bytes"]["counted"] = counted_levels_json(ran.answer.counted);
  const auto& gemm = ran.answer.gemm;
  if (gemm) json["verified"] = verdict_json(*gemm);
  if (!ran.answer.expected.empty()) json["expected"] = expected_json(ran.answer.expected);
  const auto checks = checks_of(run(flags, own, true, worker).answer);
  json["checks"] = checks_json(checks);
  BenchResult result{std::move(json), {}, {}};
  if (gemm && !gemm->verified.ok) result.wrong = "wrong result: " + verdict_text(*gemm);
  for (const worker::BufferVerdict& v : ran.answer.expected) {
    if (!v.ok && result.wrong.empty()) result.wrong = "wrong result: " + verdict_text(v);
  }
  const worker::CodeFinding* error = worker::first_error(checks.findings);
  if (error && result.wrong.empty()) result.wrong = worker::finding_label(*error);
  return result;
}

std::string bench_own_text(const Json& result) {
  const Json& v = result.at("verified");
  const std::string verdict =
      v.is_null()
          ? std::string("C is compared with nothing: no --gemm and no gemm in the sheet")
          : fmt::format("{} of {} elements right", model::grouped(v.at("right").get<long long>()),
                        model::grouped(v.at("of").get<long long>()));
  return fmt::format("{} on the emulator: {}", result.at("kernel").get<std::string>(), verdict);
}

}  // namespace tilescope::cli

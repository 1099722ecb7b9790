#include "app/cli/bench_own.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "app/cli/cli_error.h"
#include "app/cli/counted_json.h"
#include "app/cli/emulate_ptx.h"
#include "core/model/format.h"
#include "worker/messages/findings.h"
#include "worker/messages/messages_run.h"
#include "worker/messages/recorded_result.h"

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

/// A kernel's fault ends it with the sentence.
void put_counts(const worker::calls::Run::Answer& ran, BenchResult& result) {
  if (ran.answer.fault) {
    throw CliError(kFailed, ran.answer.fault->message,
                   {{"fault", Json::parse(ran.document).at("fault")}});
  }
  result.json["bytes"]["counted"] = counted_levels_json(ran.answer.counted);
  result.counted = ran.answer.counted;
}

/// What the sheet says is right, of an answer of the emulator or of a card.
template <class Answer>
void put_verdicts(const Answer& answer, BenchResult& result) {
  const auto& gemm = answer.gemm;
  result.json["verified"] = gemm ? verdict_json(*gemm) : Json();
  if (!answer.expected.empty()) result.json["expected"] = expected_json(answer.expected);
  if (gemm && !gemm->verified.ok) result.wrong = "wrong result: " + verdict_text(*gemm);
  for (const worker::BufferVerdict& v : answer.expected) {
    if (!v.ok && result.wrong.empty()) result.wrong = "wrong result: " + verdict_text(v);
  }
}

void put_checks(const worker::calls::Run::Answer& ran, BenchResult& result) {
  const auto checks = checks_of(ran.answer);
  result.json["checks"] = checks_json(checks);
  const worker::CodeFinding* error = worker::first_error(checks.findings);
  if (error && result.wrong.empty()) result.wrong = worker::finding_label(*error);
}

/// Compiled for the card unless --arch says another; then the driver makes its code of the PTX.
OwnLaunch read_for_card(OwnFlags flags, const RequestOptions& problem,
                        const worker::DeviceInfo& card, WorkerSession& worker) {
  const std::string arch = "sm_" + std::to_string(card.limits.sm);
  if (flags.arch.empty()) flags.arch = arch;
  return read_own(flags, problem, worker, flags.arch == arch);
}

void measure_on(const std::string& device, const OwnLaunch& own, const MeasureFlags& flags,
                WorkerSession& worker, BenchResult& result) {
  worker::calls::Measure::Request asked{
      .launch = launch_request(own), .other = own.other, .other_args = own.other_args};
  if (!own.opened.cubin.empty()) asked.code.cubin = own.opened.cubin;
  asked.seconds = flags.seconds;
  asked.rest = flags.rest;
  asked.time_limit = flags.time_limit;
  const auto answer = worker.call<worker::calls::Measure>(device, asked);
  std::fwrite(answer.printed.data(), 1, answer.printed.size(), stderr);
  for (const std::string& remark : answer.remarks) message("tilescope-cli: " + remark);
  Json& json = result.json;
  const Json compile_ms = json["compile_ms"];
  worker::put_recorded(json, answer.result);
  json["compile_ms"] = compile_ms;
  json["arch"] = answer.arch;
  put_verdicts(answer, result);
}

/// What the emulator counts of the whole grid, where that takes no longer than somebody waits, and
/// checks of one CTA. What it cannot do is said, and no failure of what was measured.
void count_beside(const OwnFlags& flags, const OwnLaunch& own, WorkerSession& worker,
                  BenchResult& result) {
  // Some ten seconds on two cores.
  constexpr uint64_t kMostBeside = 10'000'000'000;
  const auto not_counted = [](const std::string& why) {
    message("tilescope-cli: not counted: " + why);
  };
  try {
    const auto first = run(flags, own, true, worker);
    put_checks(first, result);
    const uint64_t all = first.answer.counted.lane_instructions * own.sheet.grid->count();
    if (all > kMostBeside && flags.max_instructions.empty()) {
      return not_counted(
          fmt::format("the emulator would execute some {} lane instructions, more than {}; "
                      "--max-instructions lets it, --no-counts leaves this out",
                      model::grouped(static_cast<long long>(all)),
                      model::grouped(static_cast<long long>(kMostBeside))));
    }
    put_counts(run(flags, own, false, worker), result);
  } catch (const CliError& error) {
    not_counted(error.what());
  }
}

/// Of a launch that is no GEMM.
std::string compared_text(const Json& result) {
  const auto found = result.find("expected");
  if (found == result.end() || found->empty()) {
    return "C is compared with nothing: no --gemm and no gemm in the sheet";
  }
  std::string text;
  for (const Json& v : *found) {
    text += fmt::format("{}{} is {}as {} has it", text.empty() ? "" : ", ",
                        v.at("name").get<std::string>(), v.at("ok").get<bool>() ? "" : "not ",
                        v.at("against").get<std::string>());
  }
  return text;
}

}  // namespace

BenchResult bench_own(const OwnFlags& flags, const RequestOptions& problem,
                      const MeasureFlags& measure) {
  const bool on_card = is_cuda(problem.device);
  if ((!on_card && problem.device != "emulator") || !problem.host.empty()) {
    bad(
        fmt::format("--device {}: a kernel of your own runs in the emulator and on this machine's "
                    "cards; leave --device out, or give cuda:0",
                    problem.host.empty() ? problem.device : "ssh:" + problem.host));
  }
  WorkerSession worker(std::string{});
  BenchResult result;
  if (on_card) {
    const worker::DeviceInfo card = worker.card(problem.device);
    const OwnLaunch own = read_for_card(flags, problem, card, worker);
    result.json = result_of(own);
    measure_on(card.id, own, measure, worker, result);
    if (!measure.no_counts) count_beside(flags, own, worker, result);
    return result;
  }
  const OwnLaunch own = read_own(flags, problem, worker);
  result.json = result_of(own);
  const auto ran = run(flags, own, false, worker);
  put_counts(ran, result);
  put_verdicts(ran.answer, result);
  put_checks(run(flags, own, true, worker), result);
  return result;
}

std::string bench_own_text(const Json& result) {
  const Json& v = result.at("verified");
  const std::string verdict =
      v.is_null()
          ? compared_text(result)
          : fmt::format("{} of {} elements right", model::grouped(v.at("right").get<long long>()),
                        model::grouped(v.at("of").get<long long>()));
  const auto name = result.at("kernel").get<std::string>();
  if (result.at("standing") == "emulated") {
    return fmt::format("{} on the emulator: {}", name, verdict);
  }
  std::string text = name + " on " + result.at("device").get<std::string>() + ": ";
  const Json &tflops = result.at("tflops"), &time = result.at("time_us");
  if (tflops.is_number()) text += model::rate_text(tflops.get<double>()) + ", ";
  if (time.is_number()) {
    text += fmt::format("{} ({}), ", model::time_text(time.get<double>()),
                        result.at("standing").get<std::string>());
  }
  if (result.at("of_library").is_number()) {
    text += fmt::format("{:.0f} % of {}, ", 100 * result["of_library"].get<double>(),
                        result.at("library").at("name").get<std::string>());
  }
  text += verdict;
  const Json& registers = result.at("registers");
  if (registers.is_number()) text += fmt::format(", {} registers", registers.dump());
  return text;
}

}  // namespace tilescope::cli

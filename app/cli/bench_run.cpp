#include "app/cli/bench_run.h"

#include <fmt/format.h>

#include <set>

#include "app/cli/cli_error.h"
#include "app/cli/counted_json.h"
#include "app/cli/model_json.h"
#include "app/cli/verify_whole.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "worker/messages/counters.h"
#include "worker/messages/findings.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/recorded_result.h"

namespace tilescope::cli {
namespace {

namespace calls = worker::calls;

Json text_json(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json modelled(const Request& r) { return levels_json(model::traffic(r.plan(), r.problem)); }

/// What holds for each result of a sweep is said with the first.
void say_once(const std::string& remark) {
  static std::set<std::string> said;
  if (said.insert(remark).second) message("tilescope-cli: " + remark);
}

/// All keys, nothing measured yet.
Json empty_result(const Request& r, const std::string& device) {
  Json json = request_json(r, device);
  json["standing"] = "emulated";
  for (const char* key : {"date", "driver", "verified", "tflops", "spread", "samples", "time_us"}) {
    json[key] = nullptr;
  }
  json["library"] = {{"name", nullptr}, {"tflops", nullptr}};
  for (const char* key : {"of_library", "clock_mhz", "registers", "spill_bytes", "compile_ms"}) {
    json[key] = nullptr;
  }
  json["bytes"] = {{"model", modelled(r)}, {"counted", nullptr}, {"measured", nullptr}};
  json["checks"] = nullptr;
  return json;
}

void put_compiled(Json& json, const worker::CompileResult& compiled) {
  if (compiled.registers > 0) {
    json["registers"] = compiled.registers;
    json["spill_bytes"] = compiled.spill_bytes;
  }
  json["compile_ms"] = compiled.compile_ms;
  json["revision"] = compiled.revision;
}

BenchResult finished(Json json) {
  std::string wrong = what_is_wrong(json);
  return {.json = std::move(json), .wrong = std::move(wrong), .not_counted = {}};
}

/// Whether C is right, all of it if that is asked for.
void put_verified(Json& json, const Request& r, const calls::Code& code,
                  worker::EmulateResult& result, WorkerSession& worker, bool whole) {
  if (whole && result.verified && result.verified->partial()) {
    result.verified =
        verify_whole(r, {.of = {r.message()}, .code = code}, worker, result.checks.findings);
  }
  json["verified"] = verified_json(result.verified);
}

BenchResult bench_emulated(const Request& r, WorkerSession& worker, bool whole) {
  Json json = empty_result(r, "emulator");
  const calls::Kernel kernel{r.message()};
  const auto compiled = worker.call<calls::Compile>({.of = kernel}).result;
  put_compiled(json, compiled);
  const calls::Code code{.ptx = compiled.ptx};
  auto result = worker.call<calls::Emulate>({.of = kernel, .code = code}).result;
  json["date"] = model::today();
  put_verified(json, r, code, result, worker, whole);
  json["bytes"]["counted"] = counted_levels_json(result.counted);
  json["checks"] = checks_json(result.checks);
  BenchResult done = finished(std::move(json));
  done.counted = std::move(result.counted);
  return done;
}

/// What the emulator counts and checks of the same kernel, one CTA per class; null where it cannot.
/// Where the card's C is wrong it looks for the reason, too.
std::optional<worker::CountedTraffic> put_counted(Json& json, const Request& r,
                                                  WorkerSession& worker) {
  const calls::Emulate::Request asked{.of = {r.message()},
                                      .scope = worker::EmulationScope::classes};
  try {
    const bool wrong = what_is_wrong(json) == "wrong result";
    const worker::EmulateResult result =
        (wrong ? worker.call<calls::Emulate>(asked) : worker.call<calls::Counts>(asked)).result;
    json["bytes"]["counted"] = counted_levels_json(result.counted);
    json["checks"] = checks_json(result.checks);
    return result.counted;
  } catch (const CliError& error) {
    message(std::string("tilescope-cli: not counted: ") + error.what());
    return std::nullopt;
  }
}

/// What a card measured, now or on another day.
void put_measured(Json& json, worker::MeasureResult m, const std::string& device) {
  if (m.device_name.empty()) m.device_name = device;
  if (m.standing.empty()) m.standing = "measured";
  if (m.date.empty()) m.date = model::today();
  worker::put_recorded(json, m);
}

void put_counters(Json& json, const worker::CountersResult& counted) {
  json["bytes"]["measured"] =
      worker::measured_levels_json(worker::measured_traffic(counted.values));
  json["counters"] = counted.values;
  json["counters_by"] = text_json(counted.tool);
}

/// The card's counters, in a launch that is not timed. A wrong kernel's say nothing.
void count(BenchResult& result, const Request& r, const std::string& device, WorkerSession& worker,
           double time_limit) {
  Json& json = result.json;
  json["counters"] = nullptr;
  if (result.wrong == "wrong result") return;
  try {
    put_counters(json, worker.call<calls::Counters>(
                           device, {.of = {r.message()}, .time_limit = time_limit}));
  } catch (const CliError& error) {
    result.not_counted = error.what();
    result.exit_code = error.exit_code();
  }
}

BenchResult bench_cuda(const Request& r, const std::string& device, WorkerSession& worker,
                       const MeasureFlags& flags) {
  Json json = empty_result(r, device);
  const auto answer = worker.call<calls::Measure>(device, {.of = calls::Kernel{r.message()},
                                                           .seconds = flags.seconds,
                                                           .rest = flags.rest,
                                                           .time_limit = flags.time_limit});
  put_measured(json, answer.result, device);
  json["arch"] = text_json(answer.arch), json["revision"] = text_json(answer.revision);
  for (const std::string& remark : answer.remarks) say_once(remark);
  std::optional<worker::CountedTraffic> counted;
  if (!flags.no_counts) counted = put_counted(json, r, worker);
  BenchResult result = finished(std::move(json));
  result.counted = std::move(counted);
  if (flags.counters) count(result, r, device, worker, flags.time_limit);
  return result;
}

/// Whether the kernel's code has changed since it was recorded; null where that cannot be told,
/// since nothing is compiled here.
Json is_older(const Request& r, const calls::Recorded::Answer& recording, WorkerSession& worker) {
  if (recording.revision.empty()) return nullptr;
  try {
    const auto compiled =
        worker.call<calls::Compile>({.of = {r.message(), recording.arch}, .ptx_is_enough = true});
    return recording.revision != compiled.result.revision;
  } catch (const CliError&) {
    return nullptr;
  }
}

BenchResult bench_recorded(const Request& r, const std::string& device, WorkerSession& worker) {
  const auto answer = worker.call<calls::Recorded>(
      {.request = r.message(), .name = device.size() > 9 ? device.substr(9) : ""});
  if (!answer.remark.empty()) say_once(answer.remark);
  if (!answer.result) {
    throw CliError(kMissing, fmt::format("no recording{} of this kernel, tile and size; measure it "
                                         "with --device cuda:0",
                                         device.size() > 9 ? " on " + device.substr(9) : ""));
  }
  const worker::MeasureResult& m = *answer.result;
  Json json = empty_result(r, device);
  put_measured(json, m, device);
  json["standing"] = "recorded";
  json["revision"] = answer.revision;
  if (m.counted) json["bytes"]["counted"] = counted_levels_json(*m.counted);
  if (answer.counters) put_counters(json, *answer.counters);
  json["older_kernel"] = is_older(r, answer, worker);
  BenchResult result{.json = std::move(json), .wrong = {}, .not_counted = {}};
  result.counted = m.counted;
  return result;
}

/// The first finding of the checks, as "racy: line 200"; empty: there is none.
std::string found_label(const Json& json) {
  const auto checks = json.find("checks");
  if (checks == json.end() || !checks->is_object() || (*checks)["findings"].empty()) return "";
  const Json& first = (*checks)["findings"][0];
  worker::CodeFinding finding;
  finding.kind = first["kind"], finding.line = first["line"], finding.ptx_line = first["ptx_line"];
  return worker::finding_label(finding);
}

}  // namespace

Json request_json(const Request& r, const std::string& device) {
  Json json = worker::recorded_request(r.message(), r.kernel->sliders);
  json["device"] = device;
  // Grids that are made of another card's SMs are other ones.
  if (stays(r.plan().work)) json["sms"] = r.sms;
  return json;
}

std::string bench_key(const Json& result) {
  std::string key;
  for (const char* part : {"kernel", "tile", "size", "types", "layout", "alpha", "beta", "device",
                           "lda", "ldb", "ldc", "sms"}) {
    key += result.contains(part) ? nlohmann::json(result[part]).dump() : "";
    key += ' ';
  }
  // Behind what the keys of files from before it have.
  if (result.contains("order_c")) key += nlohmann::json(result["order_c"]).dump();
  if (result.value("bias", false)) key += " bias";
  return key;
}

DeviceLimits device_limits(std::string& device, WorkerSession& worker) {
  if (!is_cuda(device)) return device_row(device).limits;
  const worker::DeviceInfo card = worker.card(device);
  device = card.id;
  return card.limits;
}

std::string what_is_wrong(const Json& json) {
  if (json["verified"].is_object() && !json["verified"].value("ok", true)) return "wrong result";
  return found_label(json);
}

BenchResult bench(const Request& r, const std::string& device, WorkerSession& worker,
                  const MeasureFlags& flags) {
  if (is_cuda(device)) return bench_cuda(r, device, worker, flags);
  if (device == "emulator") return bench_emulated(r, worker, flags.whole);
  return bench_recorded(r, device, worker);
}

std::string bench_text(const Json& j) {
  const auto number = [&](const char* key, const char* unit) {
    return j[key].is_number() ? model::four_digits(j[key].get<double>()) + unit
                              : std::string("–") + unit;
  };
  std::string tile;
  for (const auto& [name, value] : j["tile"].items()) {
    tile += (tile.empty() ? "" : ",") + name + "=" + value.dump();
  }
  const Json& size = j["size"];
  std::string text = fmt::format("{}×{}×{}  {}  {}: {} ({})", size[0].dump(), size[1].dump(),
                                 size[2].dump(), tile, j["device"].get<std::string>(),
                                 number("tflops", " TFLOPS"), j["standing"].get<std::string>());
  if (j["of_library"].is_number()) {
    text += fmt::format(", {:.0f} % of {}", 100 * j["of_library"].get<double>(),
                        j["library"]["name"].get<std::string>());
  }
  if (const auto verified = worker::read_recorded_verification(j["verified"])) {
    text += fmt::format(", {} ({})", verified->ok ? worker::right_words(*verified) : "WRONG",
                        worker::error_words(*verified));
  }
  if (j.value("older_kernel", Json()) == true) text += ", with an older kernel";
  if (const std::string found = found_label(j); !found.empty()) {
    text += (what_is_wrong(j) == "wrong result" ? ", " : ", but ") + found;
  }
  if (j["registers"].is_number()) text += fmt::format(", {} registers", j["registers"].dump());
  return text;
}

}  // namespace tilescope::cli

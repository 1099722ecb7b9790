// compare: two launches, benched in turns, with every difference and the causes of the time's.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/bench_own.h"
#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/compare_side.h"
#include "app/cli/help.h"
#include "app/cli/simulated_l2.h"
#include "app/common/device_row.h"
#include "app/common/difference_rows.h"
#include "core/model/format.h"
#include "core/model/median.h"
#include "core/model/names.h"
#include "core/model/time_difference.h"
#include "worker/messages/recorded_result.h"

namespace tilescope::cli {
namespace {

struct CompareOptions {
  std::string a, b, session;
  int rounds = 5;
  RequestOptions shared;
  MeasureFlags measure;
};

/// One side as it was benched.
struct Benched {
  CompareSide side;
  std::optional<Request> request;  // of a rung
  BenchResult result;
  std::vector<double> times_us;  // of the rounds
  std::optional<model::Analysis> analysis;
};

BenchResult bench_side(const Benched& b, const std::string& device, WorkerSession& worker,
                       const MeasureFlags& flags) {
  if (b.side.is_file()) {
    RequestOptions o = b.side.request;
    o.device = device;
    return bench_own(b.side.own, o, flags);
  }
  return bench(*b.request, device, worker, flags);
}

/// A, B, A, B, …: what the card's clock does meets both alike. The first round has the counts.
void bench_in_turns(Benched& a, Benched& b, const std::string& device, WorkerSession& worker,
                    const CompareOptions& o) {
  const bool clock = is_cuda(device);
  MeasureFlags flags = o.measure;
  const int rounds = clock ? o.rounds : 1;
  flags.seconds /= rounds;
  for (int round = 0; round < rounds; ++round) {
    for (Benched* side : {&a, &b}) {
      BenchResult result = bench_side(*side, device, worker, flags);
      const Json& time = result.json["time_us"];
      if (time.is_number()) side->times_us.push_back(time.get<double>());
      if (round == 0) side->result = std::move(result);
    }
    if (!a.result.wrong.empty() || !b.result.wrong.empty()) break;  // what is wrong is not timed on
    flags.no_counts = true;
  }
  if (rounds == 1) return;
  for (Benched* side : {&a, &b}) {
    if (side->times_us.empty()) continue;
    Json& json = side->result.json;
    const double first = json["time_us"].get<double>(), time = model::median(side->times_us);
    json["time_us"] = time;
    for (const char* key : {"tflops", "of_library"}) {
      if (json[key].is_number()) json[key] = json[key].get<double>() * first / time;
    }
  }
}

std::optional<int> whole(const Json& value) {
  return value.is_number() ? std::optional(value.get<int>()) : std::nullopt;
}
std::optional<double> number(const Json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// What the model says of a rung once the compiler has said what it has.
void analyse(Benched& b, const model::DeviceRow& card) {
  if (!b.request) return;
  const KernelPlan plan = b.request->plan();
  const model::CompiledFacts compiled{whole(b.result.json["registers"]),
                                      whole(b.result.json["spill_bytes"]).value_or(0)};
  const auto l2 = simulated_l2(plan, b.request->problem, card, compiled.registers);
  b.analysis = model::analyse(plan, b.request->problem, launch_of(plan), card, compiled,
                              l2 ? std::optional<double>(l2->traffic.read) : std::nullopt);
}

LaunchFacts facts_of(const Benched& b) {
  const Json& j = b.result.json;
  LaunchFacts f;
  f.analysis = b.analysis;
  f.tflops = number(j["tflops"]), f.time_us = number(j["time_us"]);
  f.library_tflops = number(j["library"]["tflops"]);
  f.clock_mhz = number(j["clock_mhz"]);
  f.registers = whole(j["registers"]), f.spill_bytes = whole(j["spill_bytes"]);
  f.counted = b.result.counted;
  if (const auto counters = j.find("counters"); counters != j.end() && counters->is_object()) {
    for (const auto& [name, value] : counters->items()) {
      if (value.is_number()) f.counters[name] = value.get<double>();
    }
  }
  return f;
}

/// Why A takes longer than B, or less: parts that add up to the difference of the two times. Where
/// a clock has said both, the last part is what the model does not explain of it.
struct Why {  // NOLINT(bugprone-exception-escape): of JSON's own making
  std::optional<double> a_us, b_us;
  bool timed = false;
  Json parts;  // null: nothing is known
};
Why why_of(const Benched& a, const Benched& b) {
  Why why;
  why.a_us = number(a.result.json["time_us"]), why.b_us = number(b.result.json["time_us"]);
  why.timed = why.a_us && why.b_us;
  if (!a.analysis || !b.analysis) return why;
  const model::Prediction &ours = a.analysis->prediction, &theirs = b.analysis->prediction;
  if (!why.timed) why.a_us = ours.us, why.b_us = theirs.us;
  why.parts = Json::array();
  double left = *why.a_us - *why.b_us;
  const auto parts = model::time_difference(ours, theirs);
  for (const model::CauseRow& row : model::causes()) {
    const double us = parts[static_cast<size_t>(row.cause)];
    const std::string words = model::cause_words(row.cause, *a.analysis, *b.analysis);
    left -= us;
    why.parts.push_back(
        {{"part", row.id}, {"us", us}, {"words", words.empty() ? Json() : Json(words)}});
  }
  if (why.timed) {
    why.parts.push_back(
        {{"part", model::kUnexplained}, {"us", left}, {"words", "what the model does not say"}});
  }
  return why;
}

Json rows_json(const std::vector<DifferenceRow>& rows) {
  const auto value = [](const std::optional<double>& v) { return v ? Json(*v) : Json(); };
  Json list = Json::array();
  for (const DifferenceRow& row : rows) {
    list.push_back({{"row", row.id},
                    {"a", value(row.a)},
                    {"b", value(row.b)},
                    {"better", row.verdict() > 0   ? Json("a")
                               : row.verdict() < 0 ? Json("b")
                                                   : Json()}});
  }
  return list;
}

void print_why(const Why& why) {
  if (!why.a_us || !why.b_us) return;
  const double by = *why.a_us - *why.b_us;
  const char* mark = why.timed ? "" : "~";
  print(by == 0 ? "\nBoth take the same time."
                : fmt::format("\nA takes {}{} {}, {:.1f} % {}: {}{} against {}{}", mark,
                              model::time_text(std::abs(by)), by < 0 ? "less" : "longer",
                              100 * std::abs(by) / *why.b_us, by < 0 ? "less" : "more", mark,
                              model::time_text(*why.a_us), mark, model::time_text(*why.b_us)));
  if (!why.parts.is_array()) {
    return message("tilescope-cli: why is not known: kernels without a plan are not modelled");
  }
  Table table({"why, by the model", "µs", ""}, "lrl");
  for (const Json& part : why.parts) {
    const double us = part["us"].get<double>();
    table.add({part["part"].get<std::string>(), fmt::format("{:+.2f}", us),
               part["words"].is_string() ? part["words"].get<std::string>() : ""});
  }
  table.print();
}

void print_rows(const std::vector<DifferenceRow>& rows) {
  Table table({"", "A", "B", "A − B", "of B", ""}, "lrrrrl");
  const char* section = "";
  for (const DifferenceRow& row : rows) {
    if (std::string_view(section) != row.section) {
      section = row.section;
      table.add({fmt::format("-- {}", section), "", "", "", "", ""});
    }
    const char* verdict = row.verdict() > 0   ? "A is better"
                          : row.verdict() < 0 ? "B is better"
                                              : "";
    table.add({row.title, figure_text(row, row.a), figure_text(row, row.b), change_text(row),
               part_text(row), verdict});
  }
  table.print();
}

Benched opened(CompareSide side, const DeviceLimits& limits) {
  Benched b;
  b.side = std::move(side);
  if (b.side.is_file()) return b;
  try {
    b.request = one_request(b.side.request);
    require_legal(*b.request, limits);
  } catch (const CliError& error) {
    throw CliError(error.exit_code(),
                   fmt::format("{} {}: {}", b.side.flag, b.side.spec, error.what()),
                   error.details());
  }
  return b;
}

int run_compare(const CompareOptions& o, const Globals& globals) {
  CompareSide left = read_side("--a", o.a, o.shared, o.session);
  CompareSide right = read_side("--b", o.b, o.shared, o.session);
  share_problem(left, right, o.shared);
  WorkerSession worker(o.shared);
  std::string device = o.shared.device;
  const DeviceLimits limits = device_limits(device, worker);
  Benched a = opened(std::move(left), limits), b = opened(std::move(right), limits);
  bench_in_turns(a, b, device, worker, o);
  const model::DeviceRow card =
      is_cuda(device) ? model_row(worker.card(device)) : device_row(device);
  analyse(a, card), analyse(b, card);
  const Why why = why_of(a, b);
  const std::vector<DifferenceRow> rows = difference_rows(facts_of(a), facts_of(b));
  int code = kOk;
  for (const Benched* side : {&a, &b}) {
    if (!side->result.not_counted.empty()) {
      message("tilescope-cli: not counted: " + side->result.not_counted);
      code = std::max(code, side->result.exit_code);
    }
    if (side->result.wrong.empty()) continue;
    message(fmt::format("tilescope-cli: {} {}: {}", side->side.flag, side->side.spec,
                        side->result.wrong));
    code = kCheckFailed;
  }
  if (globals.json) {
    const auto value = [](const std::optional<double>& v) { return v ? Json(*v) : Json(); };
    Json rounds = Json::array();
    for (size_t i = 0; i < std::min(a.times_us.size(), b.times_us.size()); ++i) {
      rounds.push_back({a.times_us[i], b.times_us[i]});
    }
    print_json({{"a", a.result.json},
                {"b", b.result.json},
                {"why", why.parts},
                {"time_us", {{"a", value(why.a_us)}, {"b", value(why.b_us)}}},
                {"standing", why.timed ? a.result.json["standing"] : Json("modelled")},
                {"rounds_us", rounds},
                {"rows", rows_json(rows)}});
    return code;
  }
  const auto name = [](const Benched& x) {
    return x.request ? fmt::format("{} {}", x.request->kernel->info.id,
                                   model::tile_text(x.request->tile, x.request->kernel->sliders))
                     : x.side.spec;
  };
  print(fmt::format("A  {}\nB  {}", name(a), name(b)));
  print_rows(rows);
  print_why(why);
  return code;
}

}  // namespace

Run make_compare(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<CompareOptions>();
  o->session = usual_session();
  constexpr const char* kSpec =
      "KERNEL[:NAME=VALUE,…], a .cu or .ptx (FILE[:ENTRY]) with its sheet beside it or --size, or "
      "the "
      "name of a pin";
  app.add_option("--a", o->a, kSpec)->type_name("SPEC")->required();
  app.add_option("--b", o->b, kSpec)->type_name("SPEC")->required();
  app.add_option("--session", o->session, "whose pins are meant (default: the window's own)")
      ->type_name("FILE");
  app.add_option("--rounds", o->rounds, "on a card: how often A and B take turns")
      ->type_name("N")
      ->group(kMeasureGroup)
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  o->shared.add_to(app);
  o->measure.add_to(app);
  app.add_flag("--counters", o->measure.counters,
               "the card's own counters, through ncu, in a run of their own");
  // Each side has them in its SPEC.
  app.remove_option(app.get_option("--kernel"));
  app.remove_option(app.get_option("--tile"));
  return [o, &globals] { return run_compare(*o, globals); };
}

}  // namespace tilescope::cli

// check: all that the emulator finds wrong with a kernel or slow about it, a line of the source
// each; for continuous integration, without a card.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>

#include "app/cli/check_report.h"
#include "app/cli/cli_error.h"
#include "app/cli/command.h"
#include "app/cli/emulate_ptx.h"
#include "app/cli/output.h"
#include "app/cli/own_flags.h"
#include "core/model/format.h"
#include "worker/messages/messages_run.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;

struct CheckOptions {
  RequestOptions problem;
  OwnFlags own;
  std::string file;
  bool sarif = false, junit = false;
};

/// Which of the two it is; --ptx and --cu say so, too.
void name_file(CheckOptions& o) {
  if (o.file.empty()) return;
  if (o.own.given()) bad("check: give one FILE, by itself or with --ptx or --cu");
  const bool ptx = fs::path(o.file).extension() == ".ptx";
  (ptx ? o.own.ptx : o.own.cu) = o.file;
}

/// Where the compiler's short name of a source lies, as seen from here.
std::string found_file(const OwnLaunch& own, const std::string& name) {
  if (fs::path(own.file).filename() == name) return own.file;
  for (const std::string& file : own.opened.files) {
    if (fs::path(file).filename() != name) continue;
    std::error_code error;
    const fs::path seen = fs::path(file).lexically_relative(fs::current_path(error));
    return seen.empty() || *seen.begin() == ".." ? file : seen.string();
  }
  return name;
}

CheckReport report_of(const OwnLaunch& own, const Json& document,
                      const std::optional<worker::GemmVerdict>& gemm) {
  CheckReport report{own.file, own.name(), {}};
  std::map<std::pair<std::string, int>, CheckedLine> lines;
  const auto add = [&](const Json& at, const CheckedFinding& finding) {
    const auto line = at.value("line", 0), ptx_line = at.value("ptx_line", 0);
    const auto source = at.value("source", std::string());
    const bool known = line > 0 && !source.empty();
    const std::string file = known ? found_file(own, source) : own.file;
    CheckedLine& to = lines[{file, known ? line : ptx_line}];
    to.file = file, to.line = known ? line : ptx_line;
    to.findings.push_back(finding);
  };
  for (const Json& f : document.value("findings", Json::array())) {
    add(f,
        {f.at("kind").get<std::string>(), f.at("message").get<std::string>(),
         !f.at("remark").get<bool>(), f.at("count").get<long long>(), f.at("ptx_line").get<int>()});
  }
  // One that ended the run and was not found by the checks: no end, a trap.
  const auto fault = document.find("fault");
  const bool told = std::ranges::any_of(lines, [&](const auto& pair) {
    return std::ranges::any_of(pair.second.findings, &CheckedFinding::error);
  });
  if (fault != document.end() && !told) {
    add(*fault, {fault->at("kind").get<std::string>(), document.at("message").get<std::string>(),
                 true, 1, fault->at("ptx_line").get<int>()});
  }
  if (gemm && !gemm->verified.ok) {
    const int line = own.opened.kernels[own.kernel].line;
    add({{"line", line}, {"source", fs::path(own.file).filename().string()}},
        {"wrong_result", "C is wrong: " + verdict_text(*gemm) + ".", true});
  }
  for (auto& [place, line] : lines) {
    std::ranges::stable_sort(line.findings, std::greater{}, &CheckedFinding::error);
    report.lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(report.lines, std::greater{}, &CheckedLine::has_error);
  return report;
}

Json report_json(const CheckReport& report, const std::optional<worker::GemmVerdict>& gemm) {
  Json lines = Json::array();
  for (const CheckedLine& line : report.lines) {
    Json findings = Json::array();
    for (const CheckedFinding& f : line.findings) {
      findings.push_back({{"kind", f.kind},
                          {"error", f.error},
                          {"count", f.count},
                          {"ptx_line", f.ptx_line},
                          {"message", f.message}});
    }
    lines.push_back({{"file", line.file},
                     {"line", line.line},
                     {"error", line.has_error()},
                     {"findings", std::move(findings)}});
  }
  return {{"file", report.file},
          {"kernel", report.kernel},
          {"errors", report.errors()},
          {"remarks", report.remarks()},
          {"verified", gemm ? verdict_json(*gemm) : Json()},
          {"lines", std::move(lines)}};
}

void print_report(const CheckReport& report, const std::optional<worker::GemmVerdict>& gemm) {
  for (const CheckedLine& line : report.lines) {
    for (const CheckedFinding& f : line.findings) {
      print(fmt::format("{}:{}: {}: {}{}", line.file, line.line, f.error ? "error" : "remark",
                        f.message,
                        f.count > 1 ? fmt::format(" ({} times)", model::grouped(f.count)) : ""));
    }
  }
  if (gemm && gemm->verified.ok) print("right: " + verdict_text(*gemm));
  print(fmt::format("{}: {} errors, {} remarks", report.kernel, report.errors(), report.remarks()));
}

int run_check(CheckOptions o, bool json) {
  name_file(o);
  if (!o.own.given()) bad("check: which file? Give a .cu or .ptx");
  if (int{json} + int{o.sarif} + int{o.junit} > 1) {
    bad("--json, --sarif and --junit are three documents; choose one");
  }
  WorkerSession worker(std::string{});
  const OwnLaunch own = read_own(o.own, o.problem, worker);
  worker::RunRequest request;
  request.launch = launch_request(own);
  request.check = true;
  request.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto bounds = bounds_of(o.own);
  request.max_lane_instructions = bounds.max_lane_instructions;
  request.argument_of = buffer_arguments(own);
  const auto ran = worker.call<worker::calls::Run>({request, bounds.max_memory});
  const CheckReport report = report_of(own, Json::parse(ran.document), ran.answer.gemm);
  if (o.sarif) {
    print_json(sarif(report));
  } else if (o.junit) {
    print_text(junit(report));
  } else if (json) {
    print_json(report_json(report, ran.answer.gemm));
  } else {
    print_report(report, ran.answer.gemm);
  }
  return report.errors() > 0 ? kCheckFailed : kOk;
}

}  // namespace

Run make_check(CLI::App& app, const Globals& globals) {
  auto o = std::make_shared<CheckOptions>();
  app.add_option("file", o->file, "a .cu or .ptx")->type_name("FILE");
  o->own.add_to(app);
  add_gemm_flags(app, o->problem);
  app.add_flag("--sarif", o->sarif, "prints SARIF 2.1.0, which code hosts show beside the lines");
  app.add_flag("--junit", o->junit, "prints JUnit's XML, a case for each line with a finding");
  return [o, &globals] { return run_check(*o, globals.json); };
}

}  // namespace tilescope::cli

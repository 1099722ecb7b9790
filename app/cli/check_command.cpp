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
#include "worker/messages/findings.h"
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

/// The file that the kernel stands in: a header, perhaps.
std::string source_file(const OwnLaunch& own) {
  const std::string& name = own.opened.kernels[own.kernel].source;
  return name.empty() ? own.file : found_file(own, name);
}

CheckReport report_of(const OwnLaunch& own, const worker::RunAnswer& answer) {
  CheckReport report{own.file, own.name(), {}};
  std::map<std::pair<std::string, int>, CheckedLine> lines;
  const auto add = [&](const worker::CodeFinding& f) {
    const std::string file = f.line == 0      ? own.file
                             : f.file.empty() ? source_file(own)
                                              : found_file(own, f.file);
    const int line = f.line > 0 ? f.line : f.ptx_line;
    CheckedLine& to = lines[{file, line}];
    to.file = file, to.line = line;
    to.findings.push_back(
        {f.kind, f.message, !f.remark, static_cast<long long>(f.count), f.ptx_line});
  };
  for (const worker::CodeFinding& f : answer.findings) add(f);
  // One that ended the run and was not found by the checks: no end, a trap.
  if (answer.fault && !worker::first_error(answer.findings)) add(*answer.fault);
  worker::CodeFinding wrong;
  wrong.kind = "wrong_result";
  wrong.line = own.opened.kernels[own.kernel].line;
  wrong.file = fs::path(own.file).filename().string();
  if (answer.gemm && !answer.gemm->verified.ok) {
    wrong.message = "C is wrong: " + verdict_text(*answer.gemm) + ".";
    add(wrong);
  }
  for (const worker::BufferVerdict& v : answer.expected) {
    wrong.message = verdict_text(v) + ".";
    if (!v.ok) add(wrong);
  }
  for (auto& [place, line] : lines) {
    std::ranges::stable_sort(line.findings, std::greater{}, &CheckedFinding::error);
    report.lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(report.lines, std::greater{}, &CheckedLine::has_error);
  return report;
}

Json report_json(const CheckReport& report, const worker::RunAnswer& answer) {
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
          {"verified", answer.gemm ? verdict_json(*answer.gemm) : Json()},
          {"expected", expected_json(answer.expected)},
          {"lines", std::move(lines)}};
}

void print_report(const CheckReport& report, const worker::RunAnswer& answer) {
  for (const CheckedLine& line : report.lines) {
    for (const CheckedFinding& f : line.findings) {
      print(fmt::format("{}:{}: {}: {}{}", line.file, line.line, f.error ? "error" : "remark",
                        f.message,
                        f.count > 1 ? fmt::format(" ({} times)", model::grouped(f.count)) : ""));
    }
  }
  print_right(answer);
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
  add_launch(own, request);
  request.check = true;
  request.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto bounds = bounds_of(o.own);
  request.max_lane_instructions = bounds.max_lane_instructions;
  request.argument_of = buffer_arguments(own);
  const auto ran = worker.call<worker::calls::Run>({request, bounds.max_memory});
  const CheckReport report = report_of(own, ran.answer);
  if (o.sarif) {
    print_json(sarif(report));
  } else if (o.junit) {
    print_text(junit(report));
  } else if (json) {
    print_json(report_json(report, ran.answer));
  } else {
    print_report(report, ran.answer);
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

// What is asked once a sheet is confirmed: the events of the chosen CTA, then a run with the
// checks, and C, or what else the sheet expects, compared.
#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "app/features/own/own_asker.h"
#include "app/features/own/own_view.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/own_sheet.h"
#include "app/state/playback.h"
#include "app/state/present_launch.h"
#include "core/sheet/guess_sheet.h"
#include "core/sheet/sheet_error.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
namespace calls = worker::calls;

/// The source file that the kernel stands in, which may be a header of the one that was opened.
std::string own_source_of(const OwnView& view, const worker::OpenedKernel& kernel) {
  for (const std::string& file : view.opened->files) {
    if (fs::path(file).filename() == kernel.source) return file;
  }
  return kernel.source.empty() ? "" : view.file;
}

worker::LaunchRequest launch_of_sheet(const OwnView& view) {
  const worker::OpenedKernel& kernel = *view.chosen();
  worker::LaunchRequest launch;
  launch.ptx = view.opened->ptx;
  launch.sheet = view.draft;
  sheet::name_files_in(*launch.sheet, fs::path(view.file).parent_path().string());
  launch.sheet->entry = kernel.signature.entry;
  for (const sheet::Parameter& p : kernel.signature.parameters) launch.names.push_back(p.name);
  launch.source = own_source_of(view, kernel);
  return launch;
}

/// Lines of another file than the one that is shown are known by their PTX lines alone.
worker::CodeFinding shown_finding(worker::CodeFinding f) {
  if (!f.file.empty()) f.line = 0;
  return f;
}

std::vector<worker::CodeFinding> findings_of(const OwnView& view, const worker::RunAnswer& answer) {
  std::vector<worker::CodeFinding> all;
  for (const worker::CodeFinding& f : answer.findings) all.push_back(shown_finding(f));
  // A fault that the checks have not told is the first of them.
  if (answer.fault && !worker::first_error(all)) {
    all.insert(all.begin(), shown_finding(*answer.fault));
  }
  for (const worker::BufferVerdict& v : answer.expected) {
    if (v.ok) continue;
    worker::CodeFinding f;
    f.kind = "wrong_result";
    f.line = view.chosen() ? view.chosen()->line : 0;
    f.message = verdict_words(v) + ".";
    all.push_back(std::move(f));  // behind what may have caused it
  }
  return all;
}

void take_compared(OwnView& view, Results& results, const worker::RunAnswer& answer) {
  view.verdict = answer.gemm;
  view.expected = answer.expected;
  if (view.verdict && results.emulated) results.emulated->verified = view.verdict->verified;
}

void take_run(AppState& state, const calls::Run::Answer& ran) {
  OwnView& view = state.of<OwnView>();
  Results& r = state.results;
  worker::EmulateResult& e = r.emulated.emplace();
  e.counted = ran.answer.counted;
  e.whole = true;
  e.seconds = ran.answer.seconds;
  e.checks.ctas = e.counted.ctas;
  e.checks.whole_k = true;
  r.findings = findings_of(view, ran.answer);
  e.checks.findings = r.findings;
  take_compared(view, r, ran.answer);
  view.seconds = ran.answer.seconds;
  view.output = ran.output;
  r.stage = Stage::done;
  r.stage_since = state.now;
}

void fail_run(AppState& state, const worker::CallError& error) {
  state.results.stage = Stage::failed;
  state.results.error = error.message;
  state.results.error_details = error.log;
  if (error.findings) state.results.findings = *error.findings;
}

bool expects(const worker::LaunchRequest& launch) {
  const auto& expect = launch.sheet->expect;
  return launch.sheet->gemm || (expect && !expect->empty());
}

}  // namespace

void OwnAsker::run(AppState& state) {
  OwnView& view = state.of<OwnView>();
  const worker::OpenedKernel& kernel = *view.chosen();
  view.serial = state.edit_serial;
  view.verdict.reset(), view.expected.clear();
  view.on_card.reset();
  view.output.clear(), view.expect_error.clear(), view.trace_error.clear();
  Results& r = state.results;
  r = {};
  r.edit_serial = state.edit_serial;
  forget_launch(state);
  worker::CompileResult& compiled = r.compile.emplace();
  compiled.ptx = view.opened->ptx;
  compiled.revision = view.opened->revision;
  compiled.arch = view.opened->arch;
  compiled.compile_ms = view.opened->compile_ms;
  compiled.registers = kernel.registers;
  compiled.spill_bytes = kernel.spill_bytes;
  calls_.drop(), traces_.drop();
  if (!kernel.in_the_way.empty()) {
    r.stage = Stage::failed;
    r.error = kernel.in_the_way.front().message;
    return;
  }
  confirm_launch(state, launch_of_sheet(view));
  r.stage = Stage::tracing;
  r.stage_since = state.now;
  request_trace(state, [this](AppState& s) { open_expected(s); });
}

/// `then`: what comes next, whether there are events or not: a kernel that ends in a fault has
/// none, and its run says why.
void OwnAsker::request_trace(AppState& state, std::function<void(AppState&)> then) {
  traced_cta_ = chosen_block(state);
  traced_k_ = state.playhead.k_step;
  calls::Trace::Request asked;
  asked.launch = *state.own_launch;
  asked.cta = chosen_block(state);
  const bool known = state.results.trace && traced_k_ < slices_in_all(state);
  asked.k_step = known ? traced_k_ : -1;
  traces_.drop();
  traces_.ask<calls::Trace>(
      asked, {.done =
                  [tile = Coord{traced_cta_.y, traced_cta_.x}, then](AppState& s,
                                                                     worker::TraceResult trace) {
                    trace.tile = tile;
                    auto shared = std::make_shared<const worker::TraceResult>(std::move(trace));
                    s.results.trace = shared;
                    s.results.timeline = std::make_shared<const Timeline>(*shared);
                    s.results.traced_tile = tile;
                    s.of<OwnView>().trace_error.clear();
                    settle_playhead(s);
                    if (then) then(s);
                  },
              .failed =
                  [then](AppState& s, const worker::CallError& error) {
                    s.results.trace.reset(), s.results.timeline.reset();
                    s.of<OwnView>().trace_error = error.message;
                    if (then) then(s);
                  }});
}

/// The events follow the chosen CTA and k step.
void OwnAsker::follow_choice(AppState& state) {
  const Results& r = state.results;
  const bool rests = state.own_launch && r.edit_serial == state.edit_serial && calls_.idle() &&
                     traces_.idle() && r.stage != Stage::failed;
  if (!rests) return;
  bool has_k = !r.timeline || state.playhead.k_step >= slices_in_all(state);
  if (r.timeline) {
    for (const auto& slice : r.timeline->slices()) {
      has_k = has_k || slice.k_step == state.playhead.k_step;
    }
  }
  const bool other_cta = traced_cta_ != chosen_block(state);
  if (other_cta || (!has_k && traced_k_ != state.playhead.k_step)) request_trace(state, {});
}

/// The kernel that the sheet expects to be right is opened before the run, which it is a part of.
void OwnAsker::open_expected(AppState& state) {
  OwnView& before = state.of<OwnView>();
  before.other.reset(), before.other_args.clear();
  const worker::LaunchRequest& launch = *state.own_launch;
  if (!launch.sheet->expect || !launch.sheet->expect->kernel) return request_run(state);
  const sheet::OtherKernel kernel = *launch.sheet->expect->kernel;
  worker::OpenRequest request{.file = kernel.file.empty() ? state.of<OwnView>().file : kernel.file};
  const bool ptx = fs::path(request.file).extension() == ".ptx";
  if (!ptx && card_of(state)) request.arch = arch_of(state);
  if (kernel.entry.find('<') != std::string::npos) request.entry = kernel.entry;
  calls_.ask<calls::Open>(ptx ? "emulator" : "compiler", request,
                          {.done =
                               [this, kernel](AppState& s, const worker::OpenAnswer& opened) {
                                 OwnView& view = s.of<OwnView>();
                                 try {
                                   std::vector<sheet::Signature> all;
                                   for (const auto& k : opened.kernels) all.push_back(k.signature);
                                   const worker::OpenedKernel& its =
                                       opened.kernels.at(sheet::find_kernel(all, kernel.entry));
                                   const sheet::LaunchSheet& mine = *s.own_launch->sheet;
                                   view.other_args = sheet::other_arguments(
                                       mine, view.chosen()->signature, its.signature);
                                   worker::LaunchRequest other;
                                   other.ptx = opened.ptx;
                                   other.sheet = sheet::other_sheet(mine, view.other_args,
                                                                    its.signature, opened.launches);
                                   view.other = std::move(other);
                                 } catch (const sheet::SheetError& error) {
                                   view.expect_error = error.what();
                                 }
                                 request_run(s);
                               },
                           .failed =
                               [this](AppState& s, const worker::CallError& error) {
                                 s.of<OwnView>().expect_error = error.message;
                                 request_run(s);
                               }});
}

void OwnAsker::request_run(AppState& state) {
  state.results.stage = Stage::emulating;
  state.results.stage_since = state.now;
  worker::RunRequest request;
  request.launch = *state.own_launch;
  request.check = true;
  request.by_line = true;
  request.max_lane_instructions = worker::kMostLaneInstructions;
  request.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const OwnView& view = state.of<OwnView>();
  request.other = view.other, request.other_args = view.other_args;
  // What cannot be compared is said; the rest is looked at.
  if (!view.other && request.launch.sheet->expect) request.launch.sheet->expect->kernel.reset();
  calls_.ask<calls::Run>({request}, {.done =
                                         [this, request](AppState& s, const calls::Run::Answer& a) {
                                           take_run(s, a);
                                           const bool compared =
                                               a.answer.gemm || !a.answer.expected.empty();
                                           if (expects(request.launch) && !compared)
                                             compare(s, request);
                                         },
                                     .failed = fail_run});
}

/// A run in which the checks find an error compares nothing: C is that of a run without them.
void OwnAsker::compare(AppState& state, worker::RunRequest request) {
  request.check = false;
  state.results.stage = Stage::checking;
  calls_.ask<calls::Run>(
      {request}, {.done =
                      [](AppState& s, const calls::Run::Answer& ran) {
                        OwnView& view = s.of<OwnView>();
                        s.results.stage = Stage::done;
                        take_compared(view, s.results, ran.answer);
                        worker::RunAnswer compared;
                        compared.expected = ran.answer.expected;
                        auto wrong = findings_of(view, compared);
                        s.results.findings.insert(s.results.findings.end(), wrong.begin(),
                                                  wrong.end());
                      },
                  .failed =  // what the checks have found stands
                  [](AppState& s, const worker::CallError&) { s.results.stage = Stage::done; }});
}

}  // namespace tilescope

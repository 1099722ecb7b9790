#include "app/features/benchmark/facts.h"

#include <fmt/format.h>

#include <cmath>

#include "app/state/device.h"
#include "app/state/history.h"
#include "app/state/known_results.h"
#include "app/state/present.h"
#include "app/state/verifying.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"
#include "core/model/roofs.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

Fact of_library(const AppState& state, const Results& r, double share) {
  const auto library = library_of(state, state.edit.problem);
  std::string name = library ? library->name : std::string();
  if (name.empty()) name = r.measured ? r.measured->library.value_or("") : std::string();
  return {fmt::format("{:.1f} %", share * 100),
          wording("of {}", name.empty() ? tr("the library") : name),
          library ? wording("Speed beside the vendor's library at the same types and layouts\n"
                            "100 % is {}",
                            library_words(*library))
                  : "Speed beside the vendor's library at the same types and layouts"};
}

/// Whether C is right; a tick only where all of the work on it went well.
Fact of_verdict(const AppState& state, const Results& r) {
  const Verdict verdict = verdict_of(state);
  if (verdict.kind == Verdict::Kind::none) {
    return {"–", "relative error", "The emulator verifies each kernel it runs"};
  }
  const bool wrong = verdict.kind == Verdict::Kind::wrong;
  if (const worker::CodeFinding* found = worker::first_error(r.findings); found && !wrong) {
    return {"⚠ " + worker::finding_word(found->kind),
            found->line > 0 ? wording("right; line {}", found->line) : std::string("right here"),
            wording("{}\nClick to see the line in Source.", retold(found->message)),
            StatusItem::Kind::kWarning, "source.finding"};
  }
  const std::string norm =
      std::isfinite(verdict.norm) ? fmt::format("{:.1e}", verdict.norm) : tr("no number");
  const std::string tip =
      wording("{}\n‖C − reference‖ / ‖reference‖; {}", verdict.text, verdict.tip);
  if (wrong) return {"✗ " + norm, "WRONG result", tip, StatusItem::Kind::kWarning};
  const bool partial = verdict.kind == Verdict::Kind::partial;
  const std::string caption = partial ? verdict.text : std::string("relative error");
  if (trust_of(state) != Trust::whole) return {norm, caption, tip, StatusItem::Kind::kDim};
  if (partial) return {norm, caption, tip};
  return {"✓ " + norm, caption, tip, StatusItem::Kind::kOk};
}

}  // namespace

namespace {

Fact of_clock(const Results& r) {
  const bool known = r.measured && r.measured->clock_mhz;
  return {known ? wording("{:.0f} MHz", *r.measured->clock_mhz) : "–", "SM clock",
          "While measuring"};
}

Fact of_compile(const Results& r) {
  return {r.compile ? wording("{:.0f} ms", r.compile->compile_ms) : "–",
          r.compile && r.compile->cached ? "compile, cached" : "compile",
          "NVRTC, source to PTX and cubin"};
}

/// Of a kernel of one's own: what needs no plan. Its library was timed with it, on its problem.
std::vector<Fact> own_facts(const AppState& state, const HistoryPoint& point) {
  const Results& r = present_results(state);
  std::vector<Fact> facts;
  if (point.of_library) {
    facts.push_back({fmt::format("{:.1f} %", *point.of_library * 100),
                     wording("of {}", r.measured->library.value_or(tr("the library"))),
                     wording("Speed beside the vendor's library on the same A and B: {}",
                             model::rate_text(*r.measured->library_tflops))});
  } else {
    facts.push_back({"–", is_card(state.device) ? "of cuBLAS" : "of cuBLAS: needs a GPU",
                     "The library is timed on the same card, beside a GEMM whose types it has"});
  }
  facts.push_back(of_verdict(state, r));
  const LaunchTime launch = launch_time(state, point);
  facts.push_back(
      {point.time_us ? model::time_text(*point.time_us) : "–", launch.caption, launch.tip});
  facts.push_back(of_clock(r));
  const int registers = r.compile ? r.compile->registers : 0;
  const int spilled = r.compile ? r.compile->spill_bytes : 0;
  facts.push_back({registers > 0 ? fmt::format("{}", registers) : "–",
                   spilled > 0 ? wording("regs, {} B spill", spilled) : std::string("registers"),
                   wording("Per thread, {} B of them in local memory: of the code for the card, "
                           "or once SASS was shown in Source",
                           spilled)});
  facts.push_back(of_compile(r));
  return facts;
}

}  // namespace

std::vector<Fact> facts_of(const AppState& state, const HistoryPoint& point) {
  if (state.edit.own()) return own_facts(state, point);
  std::vector<Fact> facts;
  const Results& r = present_results(state);
  const char* none = "–";
  if (point.of_library) {
    facts.push_back(of_library(state, r, *point.of_library));
  } else {
    facts.push_back({none, is_card(state.device) ? "of cuBLAS" : "of cuBLAS: needs a GPU",
                     "The library is timed on the same card as the kernel"});
  }
  const double roof = model::arithmetic_peak(state.derived.plan, state.gpu).flops * 1e-12;
  facts.push_back({point.tflops && roof > 0
                       ? fmt::format("{}{:.1f} %", point.standing == Standing::modelled ? "~" : "",
                                     *point.tflops / roof * 100)
                       : none,
                   wording("of the roof, {}", model::four_digits(roof)),
                   "Of the peak of the units that this kernel computes on, in TFLOPS"});
  facts.push_back(of_verdict(state, r));
  const LaunchTime launch = launch_time(state, point);
  facts.push_back({point.time_us ? (point.standing == Standing::modelled ? "~" : "") +
                                       model::time_text(*point.time_us)
                                 : none,
                   launch.caption, launch.tip});
  if (point.standing == Standing::modelled) {
    facts.push_back({state.derived.prediction.bound, "limits it, by the model",
                     "The unit that has most to do; latency where waiting takes longer than work, "
                     "idle SMs where the grid does not fill the card"});
  } else {
    facts.push_back(of_clock(r));
  }
  facts.push_back(of_compile(r));
  return facts;
}

}  // namespace tilescope

#include "app/state/verifying.h"

#include "app/state/history.h"
#include "app/state/present.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

/// Products of a problem that is verified whole without being asked: a minute or two on two cores.
double most_unasked(const KernelPlan& plan) { return plan.math() == Math::mma ? 0x1p39 : 0x1p37; }

/// A card has compared all of its C.
const worker::Verification* of_card(const AppState& state) {
  const Results& r = present_results(state);
  if (!r.measured || !r.measured->verified) return nullptr;
  return r.measured->standing == "measured" ? &*r.measured->verified : nullptr;
}

bool has_rest(const AppState& state) {
  const Results& r = present_results(state);
  if (!r.compile || !r.emulated || !r.emulated->verified) return false;
  const worker::Verification& v = *r.emulated->verified;
  return v.ok && v.partial();
}

/// What the checks looked at, where they found nothing wrong.
std::string clean_words(const AppState& state) {
  const worker::CheckResult& checks = state.results.emulated->checks;
  if (worker::first_error(checks.findings)) return {};
  if (!state.edit.own()) return checked_words(checks, state.edit.problem);
  return wording("The checks of {} CTAs found no race and nothing else.", checks.ctas);
}

std::string tip_of(const AppState& state, const worker::Verification& v) {
  const auto n = [](uint64_t count) { return model::grouped(static_cast<long long>(count)); };
  const std::string& arithmetic = present_results(state).emulated->arithmetic;
  std::string tip = wording(
      "{} of {} elements of C compared with double precision, on random data: error {:.1e} of at "
      "most {:.1e}{}{}.",
      n(v.elements), n(v.of), v.norm, v.tolerance, arithmetic.empty() ? "" : ", ",
      retold(arithmetic));
  if (v.partial()) {
    tip = verification_due(state)
              ? wording("{} The rest follows while nothing else runs.", tip)
              : wording("{} Device ▸ Verify the rest of C compares the other CTAs, too.", tip);
    if (!state.results.verifying.why_stopped.empty())
      tip += "\n" + retold(state.results.verifying.why_stopped);
  }
  const std::string clean = clean_words(state);
  return clean.empty() ? tip : tip + "\n" + clean;
}

}  // namespace

bool verification_due(const AppState& state) {
  if (!has_rest(state)) return false;
  const Verifying& v = state.results.verifying;
  if (v.asked) return true;
  const worker::Verification* card = of_card(state);
  if (v.stopped || (card && card->ok && !card->partial())) return false;
  const Problem& p = state.edit.problem;
  return 1.0 * p.m * p.n * p.k <= most_unasked(state.derived.plan);
}

bool can_verify_rest(const AppState& state) { return has_rest(state) && !verification_due(state); }

void verify_rest(AppState& state) {
  if (!has_rest(state)) return;
  state.results.verifying.asked = true;
  state.results.verifying.why_stopped.clear();
}

void stop_verifying(AppState& state) {
  state.results.verifying.asked = false;
  state.results.verifying.stopped = true;
}

std::vector<int> next_groups(AppState& state) {
  const KernelPlan& plan = state.derived.plan;
  Verifying& v = state.results.verifying;
  if (!v.order) v.order.emplace(plan, state.edit.problem);
  const int shown[] = {model::group_of_tile(plan, state.selection.cta)};
  return v.order->next(shown);
}

void take_part(AppState& state, const std::vector<int>& groups, const worker::VerifiedPart& part) {
  Results& r = state.results;
  Verifying& v = r.verifying;
  if (!v.order || !r.emulated) return;
  v.order->done(groups);
  v.sums.add(part.sums);
  worker::Verification all = worker::verdict(v.sums, part.tolerance, part.usual_square);
  all.of = static_cast<uint64_t>(operand_elements(state.edit.problem, Operand::c));
  all.ctas = v.order->ctas(), all.of_ctas = v.order->of_ctas();
  // The few CTAs of the counts were more than the first part, if that is small.
  if (all.ok && r.emulated->verified && all.ctas < r.emulated->verified->ctas) return;
  r.emulated->verified = all;
  r.emulated->arithmetic = part.arithmetic;
  for (const worker::CodeFinding& f : part.findings) {
    r.emulated->checks.findings.push_back(f);
    r.findings.insert(r.findings.begin(), f);
  }
  if (r.stage == Stage::done && (!all.ok || v.order->whole())) remember_result(state);
}

Verdict verdict_of(const AppState& state) {
  const Results& r = present_results(state);
  Verdict verdict;
  if (const worker::Verification* card = of_card(state); card && !card->ok) {
    const bool emulated_right = r.emulated && r.emulated->verified && r.emulated->verified->ok;
    return {Verdict::Kind::wrong, wording("WRONG on the card: {}", worker::error_words(*card)),
            emulated_right ? tr("The card's C, compared with double precision. In the emulator it "
                                "is right: look for a race, or a barrier that some threads skip.")
                           : tr("The card's C, compared with double precision. "),
            card->norm};
  }
  if (!r.emulated || !r.emulated->verified) return verdict;
  const worker::Verification& v = *r.emulated->verified;
  verdict.norm = v.norm;
  verdict.tip = tip_of(state, v);
  if (!v.ok) {
    verdict.kind = Verdict::Kind::wrong;
    verdict.text = wording("WRONG: {}", worker::error_words(v));
    verdict.tip = wording("First at C[{}, {}]. {}", v.first_row, v.first_col, clean_words(state));
    return verdict;
  }
  const worker::Verification* card = of_card(state);
  const bool by_card = v.partial() && card && !card->partial();
  verdict.kind = v.partial() && !by_card ? Verdict::Kind::partial : Verdict::Kind::whole;
  verdict.text = by_card       ? tr("verified on random data by the card")
                 : v.partial() ? worker::right_words(v)
                               : tr("verified on random data by the emulator");
  return verdict;
}

std::string checked_words(const worker::CheckResult& checks, const Problem& p) {
  return wording("The checks of {} CTAs, one of each class, found no race and nothing else{}.",
                 checks.ctas, checks.whole_k ? "" : wording(" along k {} of {}", checks.k, p.k));
}

}  // namespace tilescope

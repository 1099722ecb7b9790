#include "worker/engine/emulate/mismatch.h"

#include <algorithm>

#include "core/model/format.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/check.h"
#include "worker/engine/emulate/origin.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

/// What cannot be followed is no reason to fail: that C is wrong has been found already.
std::optional<OriginResult> try_to_follow(const KernelRequest& request, const KernelEntry& kernel,
                                          std::string_view ptx, const OriginQuestion& question,
                                          const std::atomic<bool>* cancelled) {
  try {
    return origin_of(request, kernel, ptx, question, cancelled);
  } catch (const RpcError& error) {
    if (error.code == kCancelled) throw;
    return std::nullopt;
  }
}

std::string lines_text(const OriginResult& r) {
  std::string text;
  for (const OriginResult::Way& way : r.ways) {
    if (way.of.empty()) continue;
    text += text.empty() ? " " : "; ";
    text += way.of + " came by ";
    for (const OriginResult::Step& s : way.steps) {
      text += (&s == &way.steps.front() ? "" : ", ") +
              (s.line > 0 ? "line " + std::to_string(s.line)
                          : "PTX line " + std::to_string(s.ptx_line));
    }
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

std::optional<CodeFinding> followed_mismatch(const KernelRequest& request,
                                             const KernelEntry& kernel, std::string_view ptx,
                                             Coord element, const std::atomic<bool>* cancelled) {
  // What a longer sum would tell is not worth the time that it takes.
  constexpr int kLongest = 1024;
  const Problem& p = request.problem;
  const KernelPlan plan = plan_of(request, kernel);
  const Coord tile = block_of(plan, {element.row, element.col});
  OriginQuestion question;
  question.element = element;
  question.cta = block_index(launch_of(plan), first_worker(plan.work, tile).cta);
  for (int slices = 0; question.k < p.k; slices = 4 * question.k / plan.block_k) {
    question.k = k_with_slices(plan, p, slices);
    const auto r = try_to_follow(request, kernel, ptx, question, cancelled);
    if (!r) return std::nullopt;
    // What nothing has reached was not written, which has been said already.
    if (!r->wrong.empty() && r->wrong_ptx_line == 0) return std::nullopt;
    if (!r->wrong.empty()) {
      CodeFinding f;
      f.kind = "wrong_index";
      f.line = r->wrong_line, f.ptx_line = r->wrong_ptx_line;
      f.cta = {static_cast<uint32_t>(question.cta.x), static_cast<uint32_t>(question.cta.y),
               static_cast<uint32_t>(question.cta.z)};
      f.message = r->of + " is wrong: " + r->wrong + lines_text(*r);
      if (question.k < p.k) {
        f.message +=
            " Followed to k = " + model::grouped(question.k) + " of " + model::grouped(p.k) + ".";
      }
      return f;
    }
    if (question.k > kLongest) break;
  }
  return std::nullopt;
}

void explain(const KernelRequest& request, const KernelEntry& kernel, std::string_view ptx,
             const Verification& wrong, const std::atomic<bool>* cancelled, CheckResult& checks) {
  if (wrong.first_row < 0) return;
  auto finding =
      followed_mismatch(request, kernel, ptx, {wrong.first_row, wrong.first_col}, cancelled);
  // Behind what the checks found, such as a race that has led to it; before remarks.
  const auto remarks = std::ranges::find_if(checks.findings, &CodeFinding::remark);
  if (finding) checks.findings.insert(remarks, std::move(*finding));
}

}  // namespace tilescope::worker

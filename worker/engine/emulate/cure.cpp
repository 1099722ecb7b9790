#include "worker/engine/emulate/cure.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "worker/engine/emulate/cure_change.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

using emulator::Finding;
using emulator::RunResult;
using Kind = emulator::Fault::Kind;

constexpr size_t kMostTried = 32;

/// Where errors are: kind and PTX line.
std::set<std::pair<Kind, int>> errors_of(const RunResult& ran) {
  std::set<std::pair<Kind, int>> errors;
  for (const Finding& f : ran.findings) {
    if (f.remark) continue;
    errors.emplace(f.fault.kind, f.fault.ptx_line);
    for (const int line : f.ptx_lines) errors.emplace(f.fault.kind, line);
  }
  return errors;
}

bool may_be_cured(const Finding& f) {
  const Kind kind = f.fault.kind;
  constexpr Kind kKinds[] = {Kind::race, Kind::copy_pending, Kind::unwritten, Kind::proxy,
                             Kind::product_pending};
  return !f.remark && std::ranges::find(kKinds, kind) != std::end(kKinds);
}

class Trials {
 public:
  Trials(const RunResult& ran, const Changes& changes, const RunAgain& run_again)
      : before_(errors_of(ran)),
        warps_race_(std::ranges::any_of(
            ran.findings,
            [](const Finding& f) { return f.fault.kind == Kind::race && !f.between_lanes; })),
        changes_(changes),
        run_again_(run_again) {}

  /// Tries what may cure it, up to the first that does; one barrier often cures several lines.
  void look_for(const Finding& finding) {
    if (std::ranges::any_of(done_, [&](const Trial& t) { return cures(t, finding); })) return;
    for (const Change& change : changes_.of(finding, warps_race_)) {
      if (done_.size() >= kMostTried || left_ == 0) return;
      if (is_done(change)) continue;
      try_change(change);
      if (cures(done_.back(), finding)) return;
    }
  }
  /// Of what was tried and cures it, that which cures most of all findings at fewest places.
  std::optional<std::string> cure_of(const Finding& finding,
                                     const std::vector<Finding>& all) const {
    std::optional<std::string> words;
    std::pair<long, long> best;
    for (const Trial& trial : done_) {
      if (!cures(trial, finding)) continue;
      const std::pair<long, long> rank{
          std::ranges::count_if(all, [&](const Finding& f) { return cures(trial, f); }),
          -trial.places};
      if (words && rank <= best) continue;
      words = trial.words;
      best = rank;
    }
    return words;
  }

 private:
  struct Trial {
    std::string words;
    long places = 0;
    bool is_sound = false;  // it ran, and showed nothing new
    std::set<int> at_fault = {};
  };

  static bool cures(const Trial& trial, const Finding& finding) {
    return trial.is_sound && may_be_cured(finding) &&
           std::ranges::none_of(finding.ptx_lines,
                                [&](int line) { return trial.at_fault.contains(line); });
  }
  bool is_done(const Change& change) const {
    return std::ranges::any_of(done_, [&](const Trial& t) { return t.words == change.words; });
  }

  void try_change(const Change& change) {
    Trial& trial = done_.emplace_back(Trial{change.words, std::ssize(change.lines)});
    RunResult ran;
    try {
      ran = run_again_(changes_.text(change), left_);
    } catch (const RpcError&) {  // no PTX any more, or no memory for a second run
      return;
    } catch (const std::bad_alloc&) {
      return;
    }
    left_ -= std::min(left_, ran.counts.warp_instructions);
    if (ran.fault && (ran.fault->kind == Kind::cancelled || ran.fault->kind == Kind::limit)) {
      left_ = 0;
      return;
    }
    const auto errors = errors_of(ran);
    trial.is_sound = std::ranges::includes(before_, errors);
    for (const auto& [kind, line] : errors) trial.at_fault.insert(line);
  }

  const std::set<std::pair<Kind, int>> before_;
  const bool warps_race_;
  const Changes& changes_;
  const RunAgain& run_again_;
  uint64_t left_ = kMostTriedWarpInstructions;
  std::vector<Trial> done_;
};

}  // namespace

void tell_cures(RunResult& ran, const emulator::Program& program, std::string_view ptx,
                const RunAgain& run_again) {
  if (std::ranges::none_of(ran.findings, may_be_cured)) return;
  const Changes changes(ptx, program);
  Trials trials(ran, changes, run_again);
  for (const Finding& f : ran.findings) trials.look_for(f);
  for (Finding& f : ran.findings) {
    const auto words = trials.cure_of(f, ran.findings);
    if (!words) continue;
    std::string& message = f.fault.message;
    const bool is_fault = ran.fault && ran.fault->message == message;
    message.pop_back();  // the stop
    message += "; " + *words + ": tried, the checks find nothing here then.";
    if (is_fault) ran.fault->message = message;
  }
}

}  // namespace tilescope::worker

#include "app/live/results_asker.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/known_results.h"
#include "app/state/ladder.h"
#include "app/state/private_copy.h"
#include "worker/messages/messages_json.h"

namespace tilescope {

using nlohmann::json;
namespace calls = worker::calls;
using worker::CallError;
using worker::KnownResult;

namespace {

constexpr double kProblemRests =
    0.150;  // seconds that the problem's sliders rest before files are read

std::string key_of(const KnownResult& r) { return json(r.request).dump() + r.arch + r.revision; }

}  // namespace

Busy ResultsAsker::busy(const AppState& state) const {
  const bool due =
      link_.client && !stopped_ && !state.device.empty() && !(asked_ == results_of(state));
  return due || !results_.idle() || !revisions_.idle() ? Busy::awaited : Busy::no;
}

void ResultsAsker::without_worker(AppState&, const std::string&) {}

void ResultsAsker::drop(AppState&, Lost what) {
  switch (what) {
    case Lost::edit:
    case Lost::device:
      return;            // update() sees what they change of the question
    case Lost::stopped:  // what is not known is not asked for until the question changes
      results_.drop();
      revisions_.drop();
      stopped_ = true;
      return;
    case Lost::worker:
      results_.drop();
      revisions_.drop();
      asked_ = {};
      return;
    case Lost::again:
      asked_ = {};
      return;
  }
}

void ResultsAsker::update(AppState& state, const Surroundings& others) {
  const ResultsOf of = results_of(state);
  // Whether a recording is of an older kernel is told by the sources.
  if (std::string now = sources_folder(state); now != sources_)
    sources_ = std::move(now), asked_ = {};
  if (!(noticed_ == of)) {
    noticed_ = of;
    noticed_at_ = state.now;
    stopped_ = false;
    results_.drop();
    revisions_.drop();
    checked_serial_ = 0;
  }
  if (state.device.empty() || stopped_) return;
  if (!(asked_ == of)) {
    // The first time nobody has moved anything.
    if (asked_.m != 0 && state.now - noticed_at_ < kProblemRests) return;
    asked_ = of;
    checked_serial_ = 0;
    ask(state);
  } else if (results_.idle() && revisions_.idle() && others.edit_rests(state) &&
             state.known.of == of) {
    check_a_recording(state);
  }
}

void ResultsAsker::ask(AppState& state) {
  const ResultsOf of = results_of(state);
  if (!is_card(state.device) && !is_recording(state.device)) {
    results_found(state, of, {});  // the emulator measures nothing
    return;
  }
  const bool own = is_own_recording(state.device);
  calls::Results::Request asked{state.edit.problem, of.name};
  asked.sms = state.limits.sm_count;
  if (is_card(state.device) || own) asked.store = state.store;
  asked.recordings = !own;
  results_.ask<calls::Results>(
      asked, {.done =
                  [this, of, own](AppState& s, calls::Results::Answer answer) {
                    for (KnownResult& r : answer.results) {
                      // Of a card that is not there now: known by its text, and recorded.
                      if (own) r.measured = false;
                      if (r.judged) continue;
                      if (r.revision.empty() || older_.empty()) continue;
                      if (const auto at = older_.find(key_of(r));
                          at != older_.end() && at->second) {
                        r.older = *at->second, r.judged = true;
                      }
                    }
                    results_found(s, of, std::move(answer.results));
                    if (!answer.remark.empty()) say(s, answer.remark);
                  },
              .failed = [of](AppState& s, const CallError&) { results_found(s, of, {}); }});
}

/// Of the tiles that stand out, the present one and those of the ladder: to compile every one that
/// was recorded would take minutes.
void ResultsAsker::check_a_recording(const AppState& state) {
  if (checked_serial_ == state.edit_serial) return;
  const auto check = [&](const std::string& kernel, const TileConfig& tile,
                         const Problem& problem) {
    for (const KnownResult* r : known_of(state, kernel, problem)) {
      if (!(r->request.tile == tile) || r->judged || r->revision.empty() || r->arch.empty() ||
          older_.contains(key_of(*r))) {
        continue;
      }
      compare(*r);
      return true;
    }
    return false;
  };
  if (check(state.edit.rung().kernel, state.edit.rung().tile, state.edit.problem)) return;
  for (const LadderPart& part : ladder_parts(state)) {
    for (const LadderRow& rung : part.rungs) {
      if (rung.standing == Standing::recorded &&
          check(rung.edit.rung().kernel, rung.edit.rung().tile, part.problem)) {
        return;
      }
    }
  }
  checked_serial_ = state.edit_serial;
}

void ResultsAsker::compare(const KnownResult& recording) {
  const std::string key = key_of(recording);
  revisions_.ask<calls::Compile>(
      {.of = {recording.request, recording.arch}, .ptx_is_enough = true},
      {.done =
           [this, key, request = recording.request, revision = recording.revision](
               AppState& s, const calls::Compile::Answer& compiled) {
             const bool older = compiled.result.revision != revision;
             older_[key] = older;
             mark_recording(s, request, revision, older);
           },
       // Without NVRTC it is not judged.
       .failed = [this, key](AppState&, const CallError&) { older_[key] = std::nullopt; }},
      {.prefetch = true});
}

}  // namespace tilescope

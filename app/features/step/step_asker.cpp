#include "app/features/step/step_asker.h"

#include <filesystem>
#include <iterator>
#include <utility>

#include "app/features/step/step_view.h"
#include "app/state/present.h"
#include "app/state/present_launch.h"
#include "app/state/stepped.h"
#include "app/state/stepped_output.h"

namespace tilescope {
namespace {

using worker::calls::Step;

constexpr size_t kMostPassed = 500;

/// What was asked for together, as one question: motions from here on go behind each other.
StepWish next_wish(std::vector<StepWish>& wishes) {
  if (wishes.empty()) return {};
  StepWish wish = std::move(wishes.front());
  size_t taken = 1;
  while (taken < wishes.size() && !wishes[taken].from) {
    for (worker::StepMotion& motion : wishes[taken].motions) {
      wish.motions.push_back(std::move(motion));
    }
    ++taken;
  }
  wishes.erase(wishes.begin(), wishes.begin() + static_cast<std::ptrdiff_t>(taken));
  return wish;
}

emulator::StepParts parts_of(const StepNeeds& needs) {
  emulator::StepParts parts;
  parts.output = needs.output;
  parts.live_only = needs.live_only;
  parts.shared = parts.accesses = parts.writers = needs.shared;
  if (needs.of) parts.cta = emulator::Dim3{(*needs.of)[0], (*needs.of)[1], (*needs.of)[2]};
  if (!needs.registers) {
    parts.warps.emplace();
  } else if (needs.warp >= 0) {
    parts.warps = {static_cast<uint32_t>(needs.warp)};
  }
  return parts;
}

/// What the panels in view need, of other features, too, as things are chosen now.
StepNeeds present_needs(const AppState& state) {
  const StepView& view = state.of<StepView>();
  StepNeeds needs = view.wanted;
  if (state.of<StepOutput>().wanted) needs.any = needs.output = true;
  needs.warp = view.warp;
  needs.of = view.resident;
  needs.live_only = view.live_only;
  return needs;
}

/// What the run has shown, or why it shows nothing.
void tell_output(AppState& state, const StepView& view) {
  StepOutput& output = state.of<StepOutput>();
  output.why = why_no_step(state);
  output.answer = step_answer(state) && view.known.output ? view.answer : nullptr;
  if (!output.why.empty() || output.answer || view.running || !view.given_up) return;
  output.why =
      view.note.empty() ? "Stepping was stopped; step on, and it is asked for again." : view.note;
}

/// Tells the rest of the window where the run stands.
void tell_place(AppState& state, const StepView& view) {
  tell_output(state, view);
  Stepped& at = state.of<Stepped>();
  at = {};
  const worker::StepAnswer* answer = step_answer(state);
  if (!view.on || !answer) return;
  const emulator::StepPlace& place = answer->state.place;
  at.on = true;
  at.serial = state.edit_serial;
  at.revision = present_results(state).compile->revision;
  at.cta = {static_cast<int>(place.cta.x), static_cast<int>(place.cta.y),
            static_cast<int>(place.cta.z)};
  at.warp = static_cast<int>(place.warp);
  at.step = place.step, at.tick = place.tick, at.epoch = place.epoch;
  at.ptx_line = place.ptx_line;
  at.file = place.source.file, at.line = place.source.line;
  at.ended = place.ended;
}

std::string said_of(const worker::StepAnswer& answer, bool back) {
  if (answer.found) return {};
  if (back) return "There is no such place before this one.";
  return answer.state.place.fault ? std::string()
                                  : "No such place comes any more: this is the end of the run.";
}

bool is_meant(const StepWish::Meant& meant, const emulator::StepPlace& place) {
  if (meant.warp < 0 || (meant.ended && place.ended)) return true;
  return meant.ended == place.ended && meant.warp == static_cast<int>(place.warp) &&
         meant.step == static_cast<int64_t>(place.step);
}

}  // namespace

void StepAsker::begin_anew(AppState& state, StepView& view, const std::string& key) {
  calls_.drop();
  view.running = false;
  view.answer.reset(), view.before.reset();
  view.kept.clear();
  view.known = {};
  view.passed.clear();
  view.note.clear();
  view.warp = -1;
  view.resident.reset();
  view.given_up.reset();
  // Where `of` is empty it is the first time, or another CTA of the same kernel was asked for.
  if (!view.of.empty()) view.wishes.clear(), view.cta_chosen = false;
  view.cta = view.cta_chosen ? within_grid(state, view.cta) : looked_at_cta(state);
  view.of = key;
}

void StepAsker::update(AppState& state, const Surroundings&) {
  StepView& view = state.of<StepView>();
  const std::string key = step_key(state);
  StepOutput& output = state.of<StepOutput>();
  for (worker::StepMotion& way : std::exchange(output.ways, {})) {
    view.asked = true;
    view.note.clear();
    view.wishes.push_back({.from = 0, .motions = {std::move(way)}});
  }
  for (const std::string& read : std::exchange(output.reads, {})) {
    const worker::StepAnswer* answer = step_answer(state);
    step_until(state, read, answer && answer->state.place.tick > 0);
  }
  const StepNeeds needs = present_needs(state);
  output.wanted = false;  // as panels' own: said again in each frame
  view.on = (view.asked || needs.any) && why_no_step(state).empty();
  if (!view.on) {
    view.wanted = {};
    if (key != view.of && !view.of.empty()) begin_anew(state, view, {});
    if (!view.asked) view.wishes.clear();
    tell_place(state, view);
    return;
  }
  if (key != view.of) {
    begin_anew(state, view, key);
    restore_place(state, view);
  }
  if (!view.running) {
    const bool moves = !view.wishes.empty();
    if (moves) view.resident.reset();
    if (moves && !view.alone) view.warp = -1;
    view.needs = needs;
    view.needs.warp = view.warp, view.needs.of = view.resident;
    const bool lacks = !view.answer || !serves(view.known, view.needs);
    if (moves || (lacks && view.given_up != view.needs)) {
      ask(state, view, view.needs, next_wish(view.wishes));
    }
  }
  view.wanted = {};  // panels in view say so again, each frame
  tell_place(state, view);
}

// The checks run the launch once more: the first place is shown without them.
void StepAsker::ask(AppState& state, StepView& view, StepNeeds needs, StepWish wish) {
  needs.output = needs.output && view.answer;
  const Results& r = present_results(state);
  Step::Request request;
  if (!view.kept.empty()) {
    request.kept = view.kept;
  } else if (const OwnKernel* own = state.edit.own()) {
    request.launch = *state.own_launch;
    const std::filesystem::path file(own->file);
    if (file.extension() != ".ptx") request.source_file = file.filename().string();
  } else {
    request.of = worker::calls::Kernel{request_of(state.edit, state.limits.sm_count)};
    request.code.ptx = r.compile->ptx;
  }
  if (!view.whole_grid) request.cta = view.cta;
  const bool moves = !wish.motions.empty() || wish.from;
  const bool back = !wish.motions.empty() && wish.motions.back().back;
  request.from = wish.from ? *wish.from : view.answer ? view.answer->state.place.tick : 0;
  request.motions = wish.motions;
  request.parts = parts_of(needs);
  request.checks = needs.output;
  view.running = true;
  calls_.ask<Step>(
      request,
      {.done =
           [needs, moves, back, wish = std::move(wish)](AppState& s, worker::StepAnswer answer) {
             StepView& v = s.of<StepView>();
             v.running = false;
             v.kept = answer.kept;
             if (v.kept.empty()) {  // the child is another: told whole, it begins anew
               if (moves) v.wishes.insert(v.wishes.begin(), wish);
               return;
             }
             if (moves) v.note = said_of(answer, back);
             if (moves && !is_meant(wish.meant, answer.state.place)) {
               v.note = "Another instruction stands where this run stood when it was kept.";
             }
             const bool moved = v.answer && v.answer->state.place.tick != answer.state.place.tick;
             if (moved && !wish.goes_back) v.passed.push_back(v.answer->state.place.tick);
             if (v.passed.size() > kMostPassed) v.passed.erase(v.passed.begin());
             if (moved) v.before = v.answer;
             v.answer = std::make_shared<const worker::StepAnswer>(std::move(answer));
             v.known = needs;
             v.given_up.reset();
             // Whoever was asked for by its memory may be of another warp.
             const emulator::StepPlace& place = v.answer->state.place;
             const bool of_another = static_cast<int>(place.warp) != v.warp;
             if (moves && !place.ended && of_another) v.warp = -1;
             tell_place(s, v);
             if (const Stepped* at = stepped(s); at && moves) show_stepped(s, *at);
           },
       .failed =
           [needs = view.needs](AppState& s, const worker::CallError& error) {
             StepView& v = s.of<StepView>();
             v.running = false;
             v.wishes.clear();
             v.note = error.message;
             v.given_up = needs;
           }});
}

void StepAsker::without_worker(AppState& state, const std::string& why) {
  StepView& view = state.of<StepView>();
  view.on = false;
  view.wishes.clear();
  if (view.asked || std::exchange(view.wanted, {}).any) view.note = why;
  StepOutput& output = state.of<StepOutput>();
  output = {};
  output.why = why;
}

Busy StepAsker::busy(const AppState& state) const {
  const StepView& view = state.of<StepView>();
  if (view.running) return Busy::awaited;
  const std::string key = step_key(state);
  const StepNeeds needs = present_needs(state);
  if (key.empty() || !(view.asked || needs.any)) return Busy::no;
  const bool lacks = key != view.of || !view.answer || !serves(view.known, needs);
  return !view.wishes.empty() || (lacks && view.given_up != needs) ? Busy::awaited : Busy::no;
}

void StepAsker::drop(AppState& state, Lost what) {
  if (what == Lost::edit || what == Lost::device) return;  // step_key() tells whose an answer is
  calls_.drop();
  StepView& view = state.of<StepView>();
  view.running = false;
  view.wishes.clear();
  if (what == Lost::stopped) {
    view.given_up = view.needs;
  } else {
    view.known = {};  // asked for again
    view.given_up.reset();
  }
}

}  // namespace tilescope

#include "emulator/run/turns.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "emulator/run/writers.h"

namespace tilescope::emulator {
namespace {

constexpr size_t kMostWaiting = 4;  // CTAs in a sentence

std::string value_words(const Poll& poll) {
  uint64_t value = 0;
  std::memcpy(&value, poll.value.data(), std::min<size_t>(poll.bytes, 8));
  return value < 1u << 20 ? std::to_string(value) : hex(value);
}

}  // namespace

Turns::Turns(Work& work, Counters& counters)
    : work_(work),
      options_(*work.state.options),
      counters_(counters),
      others_(work.state.entry->code) {}

void Turns::run() {
  while (work_.done < work_.count && !order_.stopped) {
    if (order_.turn == Order::Turn::none && !choose()) break;
    const bool moved = step(residents_[order_.at], order_.turn == Order::Turn::look_past);
    if (!go_on_behind(moved)) break;
  }
  leave_off();
}

// Whose turn is next; false if nobody's.
bool Turns::choose() {
  for (;;) {
    if (options_.cancel && options_.cancel->load(std::memory_order_relaxed)) {
      cancel();
      return false;
    }
    if (Resident* r = stirred()) {
      give_turn(*r);
      return true;
    }
    if (can_start() && order_.paused_turns == 0) {
      start(order_.next++);
      order_.turn = Order::Turn::of_new;
      return true;
    }
    if (Resident* p = paused()) {
      order_.paused_turns -= order_.paused_turns ? 1 : 0;
      give_turn(*p);
      return true;
    }
    if (!can_start()) break;
    order_.paused_turns = 0;
  }
  if (residents_.empty()) return false;
  // Lets each look that waits. What it looks at need not be all that is known.
  order_.turn = Order::Turn::look;
  order_.at = 0;
  return true;
}

// Behind a turn; false if nobody will ever go on.
bool Turns::go_on_behind(bool moved) {
  const bool looks = order_.turn == Order::Turn::look || order_.turn == Order::Turn::look_past;
  if (!looks || moved) {
    if (order_.turn == Order::Turn::of_new) order_.paused_turns = count(CtaRunner::Round::paused);
    order_.turn = Order::Turn::none;
    return true;
  }
  if (++order_.at < residents_.size()) return true;
  if (order_.turn == Order::Turn::look_past) {
    deadlock();
    return false;
  }
  if (take_along()) return true;
  // At last lanes go on without those of their warp that wait: it may be for them.
  order_.turn = Order::Turn::look_past;
  order_.at = 0;
  return true;
}

bool Turns::can_start() const {
  return order_.next < work_.count && (!options_.ctas.empty() || options_.resident == 0 ||
                                       residents_.size() < options_.resident);
}

void Turns::give_turn(const Resident& r) {
  order_.turn = Order::Turn::of_one;
  order_.at = static_cast<size_t>(&r - residents_.data());
}

std::unique_ptr<CtaRunner> Turns::take_runner() {
  if (idle_.empty()) return std::make_unique<CtaRunner>(work_.state);
  std::unique_ptr<CtaRunner> runner = std::move(idle_.back());
  idle_.pop_back();
  return runner;
}

// Its turn is next.
void Turns::start(uint64_t index) {
  Resident r;
  r.index = index;
  r.runner = take_runner();
  const Dim3 cta = work_.cta(index);
  r.traced = options_.trace && same(options_.trace->cta, cta) && !order_.traced;
  order_.traced = order_.traced || r.traced;
  r.runner->begin(cta, r.traced, index < work_.count ? counters_ : others_);
  residents_.push_back(std::move(r));
  order_.at = residents_.size() - 1;
}

// True if the CTA has moved. It may be gone then.
bool Turns::step(Resident& r, bool pass_sleepers) {
  if (!r.runner->is_under_way()) r.last = ++order_.turns;
  std::optional<Fault> fault;
  r.round = r.runner->go_on(fault, pass_sleepers);
  if (r.index < work_.count && r.runner->has_moved()) ++order_.chosen_moves;
  if (r.round != CtaRunner::Round::ended) return r.runner->has_moved();
  collect(r);
  if (fault) {
    work_.fault = std::move(fault);
    order_.stopped = true;
  } else if (r.index < work_.count) {
    ++work_.done;
    if (options_.progress) options_.progress(work_.done, work_.count);
  }
  order_.cut_short = order_.cut_short || r.runner->was_stopped();
  idle_.push_back(std::move(r.runner));
  residents_.erase(residents_.begin() + (&r - residents_.data()));
  return true;
}

void Turns::collect(Resident& r) {
  if (std::string text = r.runner->take_output(); !text.empty()) {
    work_.output[r.index] = std::move(text);
  }
  if (r.traced) work_.trace = r.runner->take_trace();
  if (work_.state.check) work_.reports.emplace(r.index, r.runner->take_report());
}

// What those show that have not ended.
void Turns::leave_off() {
  for (Resident& r : residents_) {
    collect(r);
    r.runner->leave_off();
  }
}

Turns::Resident* Turns::stirred() {
  for (Resident& r : residents_) {
    if (r.round == CtaRunner::Round::waits && r.runner->is_stirred()) return &r;
  }
  return nullptr;
}

Turns::Resident* Turns::paused() {  // whose turn is the longest ago
  Resident* oldest = nullptr;
  for (Resident& r : residents_) {
    if (r.round == CtaRunner::Round::paused && (!oldest || r.last < oldest->last)) oldest = &r;
  }
  return oldest;
}

size_t Turns::count(CtaRunner::Round round) const {
  return static_cast<size_t>(std::count_if(residents_.begin(), residents_.end(),
                                           [&](const Resident& r) { return r.round == round; }));
}

// Of chosen CTAs that all wait: starts another, near the first that waits, on the side that has
// helped last.
bool Turns::take_along() {
  if (options_.ctas.empty() || residents_.empty()) return false;
  const Dim3& g = work_.state.launch->grid;
  const uint64_t all = uint64_t{g.x} * g.y * g.z;
  if (order_.begun.empty()) {
    if (all > order_.begun.max_size()) throw std::bad_alloc();
    order_.begun.assign(static_cast<size_t>(all), false);
    for (const Dim3& cta : options_.ctas) order_.begun[work_.number(cta)] = true;
  }
  if (order_.moves_then == order_.chosen_moves) order_.up = !order_.up;
  order_.moves_then = order_.chosen_moves;
  const uint64_t at = work_.number(residents_.front().runner->cta());
  for (const bool up : {order_.up, !order_.up}) {
    for (uint64_t i = at; i < all; i += up ? 1 : ~0ull) {
      if (order_.begun[i]) continue;
      order_.begun[i] = true;
      order_.up = up;
      work_.taken_along.push_back(work_.at(i));
      start(work_.count + work_.taken_along.size() - 1);
      order_.turn = Order::Turn::of_one;
      return true;
    }
  }
  return false;
}

void Turns::cancel() {
  work_.fault.emplace();
  work_.fault->kind = Fault::Kind::cancelled;
  work_.fault->message = "The run was cancelled.";
}

bool Turns::has_ended(Dim3 cta) const {
  const auto is = [&](Dim3 other) { return same(cta, other); };
  if (std::ranges::any_of(residents_, is, [](const Resident& r) { return r.runner->cta(); })) {
    return false;
  }
  if (std::ranges::any_of(work_.taken_along, is)) return true;
  if (options_.ctas.empty()) return work_.number(cta) < order_.next;
  const auto begun = static_cast<std::ptrdiff_t>(order_.next);
  return std::any_of(options_.ctas.begin(), options_.ctas.begin() + begun, is);
}

CtaRunner* Turns::runner() const {
  if (order_.turn != Order::Turn::none && order_.at < residents_.size()) {
    return residents_[order_.at].runner.get();
  }
  if (!idle_.empty() && (order_.stopped || residents_.empty())) return idle_.back().get();
  return residents_.empty() ? nullptr : residents_.front().runner.get();
}

Turns::Saved Turns::save() const {
  Saved saved;
  saved.order = order_;
  for (const Resident& r : residents_) {
    saved.places.push_back(r);
    saved.states.push_back(r.runner->save());
  }
  saved.done = work_.done;
  saved.taken_along = work_.taken_along;
  saved.output = work_.output;
  return saved;
}

void Turns::restore(const Saved& saved) {
  for (Resident& r : residents_) idle_.push_back(std::move(r.runner));
  residents_.clear();
  order_ = saved.order;
  work_.done = saved.done;
  work_.taken_along = saved.taken_along;
  work_.output = saved.output;
  work_.fault.reset();
  for (size_t i = 0; i < saved.places.size(); ++i) {
    Resident r;
    static_cast<Place&>(r) = saved.places[i];
    r.runner = take_runner();
    r.runner->restore(saved.states[i], r.index < work_.count ? counters_ : others_);
    residents_.push_back(std::move(r));
  }
}

void Turns::deadlock() {
  if (order_.cut_short || residents_.empty()) return;  // they wait for a CTA that was not let go on
  Fault f;
  f.kind = Fault::Kind::deadlock;
  f.cta = residents_.front().runner->cta();
  std::string text;
  size_t named = 0;
  for (const Resident& r : residents_) {
    if (++named > kMostWaiting) break;
    const std::vector<Poll> polls = r.runner->polls();
    // The flag, if there is more that it reads.
    const auto flag =
        std::find_if(polls.begin(), polls.end(), [](const Poll& p) { return p.looks_again; });
    const Poll* poll = flag != polls.end() ? &*flag : polls.empty() ? nullptr : &polls.front();
    text += (text.empty() ? "" : "; ") + cta_words(r.runner->cta());
    if (!poll) {
      text += " goes round in a loop that reads nothing which anybody could change";
      continue;
    }
    text += ", warp " + std::to_string(poll->warp) + ", lane " + std::to_string(poll->lane) +
            " waits for " + hex(poll->address) + buffer_words(work_.state, poll->address) +
            line_words(work_.state, poll->inst) + ", which holds " + value_words(*poll) + " and " +
            writer_words(poll->address);
    if (named > 1) continue;
    f.warp = poll->warp;
    f.lane = poll->lane;
    f.address = poll->address;
    f.ptx_line = work_.state.entry->code.info[poll->inst].ptx_line;
    f.source = work_.state.program->source_line(f.ptx_line);
  }
  if (residents_.size() > kMostWaiting) {
    text += "; " + std::to_string(residents_.size() - kMostWaiting) + " more CTAs wait";
  }
  if (order_.next < work_.count) {
    text += "; " + std::to_string(work_.count - order_.next) + " of " +
            std::to_string(work_.count) + " CTAs have not begun, since only " +
            std::to_string(options_.resident) +
            " are resident at a time: launch no more than that, or let none wait for a later one";
  } else {
    text += "; let somebody set what is waited for";
  }
  f.message = "No CTA can go on (deadlock): " + text + ".";
  work_.fault = std::move(f);
}

std::string Turns::writer_words(uint64_t address) const {
  const uint64_t writer = work_.state.writers->at(address);
  return writer == 0 ? "which no CTA that ran has written"
                     : "was last written by " + cta_words(work_.at(writer - 1));
}

void run_in_turns(Work& work, Counters& counters) { Turns(work, counters).run(); }

}  // namespace tilescope::emulator

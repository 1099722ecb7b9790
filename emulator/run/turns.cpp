// CTAs that may wait for each other take turns: one runs until it ends or waits. One whose flag has
// changed goes first, then the next of the grid is started, so that a grid in which nobody waits
// runs CTA by CTA. When all wait, and a look of each finds nothing changed, nobody will ever go on.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "emulator/run/work.h"
#include "emulator/run/writers.h"

namespace tilescope::emulator {
namespace {

constexpr size_t kMostWaiting = 4;  // CTAs in a sentence

class Turns {
 public:
  Turns(Work& work, Counters& counters)
      : work_(work),
        options_(*work.state.options),
        counters_(counters),
        others_(work.state.entry->code) {}

  void run() {
    while (work_.done < work_.count && !stopped_) {
      if (options_.cancel && options_.cancel->load(std::memory_order_relaxed)) return cancel();
      if (Resident* r = stirred()) {
        step(*r);
      } else if (can_start() && paused_turns_ == 0) {
        start(next_++);
        paused_turns_ = count(CtaRunner::Round::paused);
      } else if (Resident* p = paused()) {
        paused_turns_ -= paused_turns_ ? 1 : 0;
        step(*p);
      } else if (can_start()) {
        paused_turns_ = 0;
      } else if (!stir(false) && !take_along() && !stir(true)) {
        deadlock();
        break;
      }
    }
    leave_off();
  }

 private:
  struct Resident {
    std::unique_ptr<CtaRunner> runner;
    uint64_t index = 0;  // as Work::cta() counts
    bool traced = false;
    CtaRunner::Round round = CtaRunner::Round::paused;
    uint64_t last = 0;  // its last turn
  };

  bool can_start() const {
    return next_ < work_.count && (!options_.ctas.empty() || options_.resident == 0 ||
                                   residents_.size() < options_.resident);
  }
  void start(uint64_t index) {
    Resident r;
    r.index = index;
    if (idle_.empty()) {
      r.runner = std::make_unique<CtaRunner>(work_.state);
    } else {
      r.runner = std::move(idle_.back());
      idle_.pop_back();
    }
    const Dim3 cta = work_.cta(index);
    r.traced = options_.trace && same(options_.trace->cta, cta) && !traced_;
    traced_ = traced_ || r.traced;
    r.runner->begin(cta, r.traced, index < work_.count ? counters_ : others_);
    residents_.push_back(std::move(r));
    step(residents_.back());
  }

  // True if the CTA has moved. It may be gone then.
  bool step(Resident& r, bool pass_sleepers = false) {
    r.last = ++turns_;
    std::optional<Fault> fault;
    r.round = r.runner->go_on(fault, pass_sleepers);
    if (r.index < work_.count && r.runner->has_moved()) ++chosen_moves_;
    if (r.round != CtaRunner::Round::ended) return r.runner->has_moved();
    collect(r);
    if (fault) {
      work_.fault = std::move(fault);
      stopped_ = true;
    } else if (r.index < work_.count) {
      ++work_.done;
      if (options_.progress) options_.progress(work_.done, work_.count);
    }
    cut_short_ = cut_short_ || r.runner->was_stopped();
    idle_.push_back(std::move(r.runner));
    residents_.erase(residents_.begin() + (&r - residents_.data()));
    return true;
  }
  void collect(Resident& r) {
    if (std::string text = r.runner->take_output(); !text.empty()) {
      work_.output[r.index] = std::move(text);
    }
    if (r.traced) work_.trace = r.runner->take_trace();
    if (work_.state.check) work_.reports.emplace(r.index, r.runner->take_report());
  }
  // What those show that have not ended.
  void leave_off() {
    for (Resident& r : residents_) {
      collect(r);
      r.runner->leave_off();
    }
  }

  Resident* stirred() {
    for (Resident& r : residents_) {
      if (r.round == CtaRunner::Round::waits && r.runner->is_stirred()) return &r;
    }
    return nullptr;
  }
  Resident* paused() {  // whose turn is the longest ago
    Resident* oldest = nullptr;
    for (Resident& r : residents_) {
      if (r.round == CtaRunner::Round::paused && (!oldest || r.last < oldest->last)) oldest = &r;
    }
    return oldest;
  }
  size_t count(CtaRunner::Round round) const {
    return static_cast<size_t>(std::count_if(residents_.begin(), residents_.end(),
                                             [&](const Resident& r) { return r.round == round; }));
  }

  // Lets each look that waits. What it looks at need not be all that is known. At last lanes go on
  // without those of their warp that wait: it may be for them.
  bool stir(bool pass_sleepers) {
    for (size_t i = 0; i < residents_.size(); ++i) {
      if (step(residents_[i], pass_sleepers)) return true;
    }
    return false;
  }

  // Of chosen CTAs that all wait: starts another, near the first that waits, on the side that has
  // helped last.
  bool take_along() {
    if (options_.ctas.empty() || residents_.empty()) return false;
    const Dim3& g = work_.state.launch->grid;
    const uint64_t all = uint64_t{g.x} * g.y * g.z;
    if (started_.empty()) {
      if (all > started_.max_size()) throw std::bad_alloc();
      started_.assign(static_cast<size_t>(all), false);
      for (const Dim3& cta : options_.ctas) started_[work_.number(cta)] = true;
    }
    if (moves_then_ == chosen_moves_) up_ = !up_;
    moves_then_ = chosen_moves_;
    const uint64_t at = work_.number(residents_.front().runner->cta());
    for (const bool up : {up_, !up_}) {
      for (uint64_t i = at; i < all; i += up ? 1 : ~0ull) {
        if (started_[i]) continue;
        started_[i] = true;
        up_ = up;
        work_.taken_along.push_back(work_.at(i));
        start(work_.count + work_.taken_along.size() - 1);
        return true;
      }
    }
    return false;
  }

  void cancel() {
    work_.fault.emplace();
    work_.fault->kind = Fault::Kind::cancelled;
    work_.fault->message = "The run was cancelled.";
    leave_off();
  }

  void deadlock() {
    if (cut_short_ || residents_.empty()) return;  // they wait for a CTA that was not let go on
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
              line_words(work_.state, poll->inst) + ", which holds " + value_words(*poll) +
              " and " + writer_words(poll->address);
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
    if (next_ < work_.count) {
      text += "; " + std::to_string(work_.count - next_) + " of " + std::to_string(work_.count) +
              " CTAs have not begun, since only " + std::to_string(options_.resident) +
              " are resident at a time: launch no more than that, or let none wait for a later one";
    } else {
      text += "; let somebody set what is waited for";
    }
    f.message = "No CTA can go on (deadlock): " + text + ".";
    work_.fault = std::move(f);
  }
  static std::string value_words(const Poll& poll) {
    uint64_t value = 0;
    std::memcpy(&value, poll.value.data(), std::min<size_t>(poll.bytes, 8));
    return value < 1u << 20 ? std::to_string(value) : hex(value);
  }
  std::string writer_words(uint64_t address) const {
    const uint64_t writer = work_.state.writers->at(address);
    return writer == 0 ? "which no CTA that ran has written"
                       : "was last written by " + cta_words(work_.at(writer - 1));
  }

  Work& work_;
  const RunOptions& options_;
  Counters& counters_;
  Counters others_;
  std::vector<Resident> residents_;  // in the order of their start
  std::vector<std::unique_ptr<CtaRunner>> idle_;
  std::vector<bool> started_;  // by number in the grid
  uint64_t next_ = 0, turns_ = 0;
  uint64_t chosen_moves_ = 0, moves_then_ = ~0ull;
  bool up_ = true;           // side of the CTA that was taken along last
  size_t paused_turns_ = 0;  // of CTAs that could go on, before the next one starts
  bool stopped_ = false, cut_short_ = false, traced_ = false;
};

}  // namespace

void run_in_turns(Work& work, Counters& counters) { Turns(work, counters).run(); }

}  // namespace tilescope::emulator

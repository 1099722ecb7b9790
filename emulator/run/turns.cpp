#include "emulator/run/turns.h"

#include <algorithm>
#include <new>

namespace tilescope::emulator {
namespace {

// As CtaRunner has it of a CTA alone (cta_mbarrier.cpp): a loop may ask often and then do something
// else.
constexpr uint32_t kLooksInVain = 1u << 16;

}  // namespace

Turns::Turns(Work& work, Counters& counters)
    : work_(work),
      options_(*work.state.options),
      counters_(counters),
      others_(work.state.entry->code),
      cluster_ctas_(work.state.cluster_ctas()) {}

void Turns::run() {
  const bool to_the_end = cluster_ctas_ > 1 && !work_.state.waits;  // also those not chosen
  while ((to_the_end || work_.done < work_.count) && !order_.stopped) {
    if (order_.turn == Order::Turn::none && !choose()) break;
    const bool moved = step(residents_[order_.at], order_.turn == Order::Turn::look_past);
    if (!go_on_behind(moved)) break;
  }
  leave_off();
}

void Turns::run_cluster(uint64_t first) {
  order_ = {};
  order_.next = first;
  order_.end = first + cluster_ctas_;
  run();
  residents_.clear();
  clusters_.clear();
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
      start(order_.next);
      order_.next += cluster_ctas_;
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
    if (moved) order_.vain_looks = 0;
    if (order_.turn == Order::Turn::of_new) order_.paused_turns = count(CtaRunner::Round::paused);
    order_.turn = Order::Turn::none;
    return true;
  }
  if (++order_.at < residents_.size()) return true;
  const auto asks = [](const Resident& r) { return r.runner->asks(); };
  if (cluster_ctas_ > 1 && std::ranges::any_of(residents_, asks) &&
      ++order_.vain_looks < kLooksInVain) {
    order_.at = 0;
    return true;
  }
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
  if (order_.next >= std::min(work_.planned, order_.end)) return false;
  // Clusters that wait for none outside run one after the other.
  if (cluster_ctas_ > 1 && !work_.state.waits) return residents_.empty();
  return !options_.ctas.empty() || options_.resident == 0 || residents_.empty() ||
         residents_.size() + cluster_ctas_ <= options_.resident;
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

// Its turn is next; the rest of its cluster has to come with it.
void Turns::start(uint64_t index) {
  order_.at = residents_.size();
  Cluster* cluster = cluster_of(index);
  for (uint32_t r = 0; r < cluster_ctas_; ++r) start_one(index + r, cluster);
}

void Turns::start_one(uint64_t index, Cluster* cluster) {
  Resident r;
  r.index = index;
  r.runner = take_runner();
  const Dim3 cta = work_.cta(index);
  r.traced = options_.trace && same(options_.trace->cta, cta) && !order_.traced;
  order_.traced = order_.traced || r.traced;
  r.runner->begin(cta, r.traced, work_.is_chosen(index) ? counters_ : others_, cluster);
  residents_.push_back(std::move(r));
}

// Null where CTAs are alone.
Cluster* Turns::cluster_of(uint64_t index) {
  if (cluster_ctas_ == 1) return nullptr;
  std::unique_ptr<Cluster>& cluster = clusters_[index / cluster_ctas_ * cluster_ctas_];
  if (!cluster) cluster = std::make_unique<Cluster>(cluster_ctas_);
  return cluster.get();
}

// True if the CTA has moved. It may be gone then.
bool Turns::step(Resident& r, bool pass_sleepers) {
  if (!r.runner->is_under_way()) r.last = ++order_.turns;
  std::optional<Fault> fault;
  r.fresh = false;
  r.round = r.runner->go_on(fault, pass_sleepers);
  if (work_.is_chosen(r.index) && r.runner->has_moved()) ++order_.chosen_moves;
  if (r.round != CtaRunner::Round::ended) return r.runner->has_moved();
  collect(r);
  r.runner->leave_cluster();
  const std::lock_guard lock(work_.mutex);
  if (fault) {
    stop_by(std::move(*fault));
  } else if (work_.is_chosen(r.index)) {
    ++work_.done;
    if (options_.progress) options_.progress(work_.done, work_.count);
  }
  order_.cut_short = order_.cut_short || r.runner->was_stopped();
  const bool ends_all = cluster_ctas_ > 1 && r.runner->was_stopped();
  const uint64_t first = r.index / cluster_ctas_ * cluster_ctas_;
  idle_.push_back(std::move(r.runner));
  residents_.erase(residents_.begin() + (&r - residents_.data()));
  if (ends_all) end_cluster(first);
  if (const auto it = clusters_.find(first); it != clusters_.end() && it->second->is_empty()) {
    clusters_.erase(it);
  }
  return true;
}

// The others of a cluster of which one was not let go on.
void Turns::end_cluster(uint64_t first) {
  std::erase_if(residents_, [&](Resident& r) {
    if (r.index < first || r.index >= first + cluster_ctas_) return false;
    put_down(r);
    r.runner->leave_off();
    r.runner->leave_cluster();
    work_.done += work_.is_chosen(r.index);
    idle_.push_back(std::move(r.runner));
    return true;
  });
}

// Of host threads that each have a cluster, the first in order wins.
void Turns::stop_by(Fault fault) {
  order_.stopped = true;
  if (order_.end == ~0ull) {
    work_.fault = std::move(fault);
  } else if (order_.end - 1 < work_.stop_at.load()) {
    work_.stop_at = order_.end - 1;
    work_.fault = std::move(fault);
  }
}

void Turns::collect(Resident& r) {
  const std::lock_guard lock(work_.mutex);
  put_down(r);
}

void Turns::put_down(Resident& r) {
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
    const bool waits = r.round == CtaRunner::Round::waits || r.round == CtaRunner::Round::peers;
    if ((cluster_ctas_ > 1 && r.fresh) || (waits && r.runner->is_stirred())) return &r;
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
    for (uint64_t i = 0; i < work_.planned; ++i) order_.begun[work_.number(work_.cta(i))] = true;
  }
  if (order_.moves_then == order_.chosen_moves) order_.up = !order_.up;
  order_.moves_then = order_.chosen_moves;
  const uint64_t at = work_.number(residents_.front().runner->cta());
  for (const bool up : {order_.up, !order_.up}) {
    for (uint64_t i = at; i < all; i += up ? 1 : ~0ull) {
      if (order_.begun[i]) continue;
      order_.up = up;
      const uint64_t index = work_.planned + work_.taken_along.size();
      for (uint32_t r = 0; r < cluster_ctas_; ++r) {
        const Dim3 cta = member_of(work_.state.cluster, work_.at(i), r);
        order_.begun[work_.number(cta)] = true;
        work_.taken_along.push_back(cta);
      }
      start(index);
      order_.turn = Order::Turn::of_one;
      return true;
    }
  }
  return false;
}

void Turns::cancel() {
  Fault f;
  f.kind = Fault::Kind::cancelled;
  f.message = "The run was cancelled.";
  const std::lock_guard lock(work_.mutex);
  stop_by(std::move(f));
}

bool Turns::has_ended(Dim3 cta) const {
  const auto is = [&](Dim3 other) { return same(cta, other); };
  if (std::ranges::any_of(residents_, is, [](const Resident& r) { return r.runner->cta(); })) {
    return false;
  }
  if (std::ranges::any_of(work_.taken_along, is)) return true;
  if (options_.ctas.empty()) return work_.place(cta) < order_.next;
  for (uint64_t i = 0; i < order_.next; ++i) {
    if (is(work_.cta(i))) return true;
  }
  return false;
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
  clusters_.clear();
  order_ = saved.order;
  work_.done = saved.done;
  work_.taken_along = saved.taken_along;
  work_.output = saved.output;
  work_.fault.reset();
  for (size_t i = 0; i < saved.places.size(); ++i) {
    Resident r;
    static_cast<Place&>(r) = saved.places[i];
    r.runner = take_runner();
    r.runner->restore(saved.states[i], work_.is_chosen(r.index) ? counters_ : others_,
                      cluster_of(r.index));
    residents_.push_back(std::move(r));
  }
}

void run_in_turns(Work& work, Counters& counters) { Turns(work, counters).run(); }

void run_clusters(Work& work, Counters& counters) {
  Turns turns(work, counters);
  const uint64_t size = work.state.cluster_ctas();
  for (;;) {
    const uint64_t first = work.next.fetch_add(size);
    if (first >= work.planned || first > work.stop_at.load()) return;
    turns.run_cluster(first);
  }
}

}  // namespace tilescope::emulator

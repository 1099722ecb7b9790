#include "emulator/step/journey.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace tilescope::emulator {
namespace {

bool writes_global(RowKind kind) {
  return kind == RowKind::store_global || kind == RowKind::store_generic ||
         kind == RowKind::atomic || kind == RowKind::bulk_store;
}
bool writes_shared(RowKind kind) {
  return kind == RowKind::store_shared || kind == RowKind::copy || kind == RowKind::store_generic ||
         kind == RowKind::atomic || kind == RowKind::bulk_load;
}

}  // namespace

Journey::Journey(std::shared_ptr<const Program> program, Launch launch, Memory memory,
                 Stepper::Options options)
    : program_(std::move(program)),
      launch_(std::move(launch)),
      memory_(std::move(memory)),
      options_(std::move(options)),
      lines_(*program_, options_.source_file) {}

Journey::~Journey() = default;

std::string Journey::begin(std::string_view entry) {
  run_options_.ctas = options_.ctas;
  run_options_.resident = options_.resident;
  run_options_.sums_of = options_.sums_of;
  if (std::string wrong = set_up(work_, *program_, entry, launch_, memory_, run_options_);
      !wrong.empty()) {
    return wrong;
  }
  RunState& state = work_.state;
  const Code& code = state.entry->code;
  if (code.register_slots.empty() && !code.registers.empty()) {
    return "The program was not parsed to be stepped: its registers are packed.";
  }
  state.steps = this;
  observer = this;
  if (options_.max_warp_instructions) limit = options_.max_warp_instructions;
  counters_ = std::make_unique<Counters>(code);
  turns_ = std::make_unique<Turns>(work_, *counters_);
  pages_ = std::make_unique<GlobalPages>(state.regions, page_count_);
  conditions_ = std::make_unique<Conditions>(state, lines_);
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    const Row& row = *state.rows.rows[code.instructions[i].row];
    const RowKind kind = row.kind;
    const bool groups = std::string_view(row.pattern).starts_with("cp async");
    own_flags_.push_back(static_cast<uint8_t>(
        (code.info[i].opcode != kSynthetic ? kShown : 0) |
        (groups || writes_global(kind) || writes_shared(kind) ? kObserved : 0)));
  }
  ask({});
  keep_mark();
  go_to(0);
  return {};
}

uint64_t Journey::kept_bytes() const {
  uint64_t sum = page_count_.bytes();
  for (const auto& mark : marks_) sum += mark->bytes;
  return sum;
}

void Journey::ask(std::span<const StopCondition> conditions) {
  const Code& code = work_.state.entry->code;
  conditions_->set(conditions);
  asks_ = !conditions.empty();
  flags = own_flags_;
  for (uint32_t i = 0; i < flags.size(); ++i) flags[i] |= conditions_->flags(i);
  block.assign(code.blocks.size(), 0);
  for (size_t b = 0; b < block.size(); ++b) {
    const Block& in = code.blocks[b];
    const uint32_t end = in.end + (in.end_inst != 0xffffffffu ? 1 : 0);
    for (uint32_t i = in.begin; i < end; ++i) block[b] |= flags[i];
  }
}

void Journey::go_to(uint64_t at) {
  if (is_at_end() && at >= end_) return;
  const Mark& near = *marks_[mark_before(at)];
  const bool goes_on = stand_ == Stand::stopped && tick <= at && near.tick <= tick;
  if (!goes_on) put_back(near);
  run_to(at);
}

void Journey::run_to(uint64_t stop) {
  stop_at = stop;
  run_on();
}

void Journey::run_on() {
  stand_ = Stand::lost;
  start_tick_ = tick;
  end_tick = ~0ull;
  plan_next_mark();
  try {
    turns_->run();
  } catch (const Stop&) {
    stand_ = Stand::stopped;
    return;
  }
  if (work_.fault && work_.fault->kind == Fault::Kind::cancelled) throw Stepper::Cancelled{};
  stand_ = Stand::ended;
  end_ = end_tick != ~0ull ? end_tick : tick;
}

void Journey::put_back(const Mark& mark) {
  pages_->put_back(mark.global);
  turns_->restore(mark.turns);
  for (size_t i = 0; i < mark.bulk.size(); ++i) {
    const auto bulk = turns_->residents()[i].runner->bulk();
    for (size_t k = 0; k < bulk.size(); ++k) mark.bulk[i][k].put_back(bulk[k]);
  }
  if (mark.writers) {
    Writers writers = *mark.writers;
    work_.state.writers = std::make_shared<Writers>(writers.copy());
  }
  tick = mark.tick;
  stand_ = Stand::stopped;
}

size_t Journey::mark_before(uint64_t at) const {
  const auto behind = std::ranges::upper_bound(
      marks_, at, {}, [](const std::unique_ptr<Mark>& mark) { return mark->tick; });
  return static_cast<size_t>(behind - marks_.begin()) - 1;
}

// Far apart where the run only passes, and closer and closer towards where it is to stop.
void Journey::plan_next_mark() {
  const uint64_t apart = stop_at == ~0ull ? (tick - start_tick_) / 16
                         : stop_at > tick ? (stop_at - tick) / 4
                                          : 0;
  next_mark = tick + std::max(options_.checkpoint_interval, apart);
}

void Journey::mark() {
  const size_t before = mark_before(tick);
  const bool is_near = tick - marks_[before]->tick < options_.checkpoint_interval / 2 ||
                       (before + 1 < marks_.size() &&
                        marks_[before + 1]->tick - tick < options_.checkpoint_interval / 2);
  if (!is_near) keep_mark();
  plan_next_mark();
}

void Journey::keep_mark() {
  auto mark = std::make_unique<Mark>();
  const Mark* before = marks_.empty() ? nullptr : marks_[mark_before(tick)].get();
  mark->tick = tick;
  mark->turns = turns_->save();
  for (const CtaState& state : mark->turns.states) mark->bytes += state.bytes();
  for (size_t i = 0; i < turns_->residents().size(); ++i) {
    auto& copies = mark->bulk.emplace_back();
    const auto bulk = turns_->residents()[i].runner->bulk();
    for (size_t k = 0; k < bulk.size(); ++k) {
      const PagedCopy* same = before && i < before->bulk.size() ? &before->bulk[i][k] : nullptr;
      copies[k] = PagedCopy(bulk[k], same, page_count_);
    }
  }
  mark->global = pages_->copy();
  if (!before || mark->global != before->global) mark->bytes += mark->global->size() * 64;
  if (work_.state.writers) {
    mark->writers = work_.state.writers->copy();
    mark->bytes += mark->writers->bytes();
  }
  const auto place = std::ranges::upper_bound(
      marks_, tick, {}, [](const std::unique_ptr<Mark>& m) { return m->tick; });
  marks_.insert(place, std::move(mark));
  thin_out();
}

// Those go first that lie close together and far from here.
void Journey::thin_out() {
  while (marks_.size() > 2 && kept_bytes() > options_.checkpoint_bytes) {
    size_t least = 0;
    double least_worth = 0;
    for (size_t i = 1; i < marks_.size(); ++i) {
      const uint64_t at = marks_[i]->tick;
      if (at == tick) continue;
      const uint64_t end =
          i + 1 < marks_.size() ? marks_[i + 1]->tick : at + options_.checkpoint_interval;
      const double worth = static_cast<double>(end - marks_[i - 1]->tick) /
                           (1.0 + static_cast<double>(at > tick ? at - tick : tick - at));
      if (least == 0 || worth < least_worth) least = i, least_worth = worth;
    }
    if (least == 0) return;
    marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

bool Journey::find(Stepper::Direction direction, std::span<const StopCondition> conditions) {
  found_.reset();
  ask(conditions);
  bool found = false;
  try {
    found = direction == Stepper::Direction::forward ? find_forward() : find_backward();
  } catch (...) {
    ask({});
    throw;
  }
  ask({});
  return found;
}

bool Journey::find_forward() {
  if (is_at_end()) return false;
  collects_ = false;
  after_ = tick;
  try {
    run_to(~0ull);
  } catch (const Found&) {
    asks_ = false;
    ask({});
    go_to(*found_);
    return true;
  }
  return !is_at_end();
}

// Segment by segment between checkpoints, the last first.
bool Journey::find_backward() {
  const uint64_t from = now();
  collects_ = true;
  before_ = from;
  for (uint64_t end = from; end > 0;) {
    const Mark& begin = *marks_[mark_before(end - 1)];
    const uint64_t at = begin.tick;
    put_back(begin);
    run_to(end);
    if (found_) break;
    end = at;
  }
  ask({});
  go_to(found_.value_or(from));
  return found_.has_value();
}

std::vector<StepAccess> Journey::accesses() {
  std::vector<StepAccess> seen;
  const CtaRunner* cta = runner();
  if (is_at_end() || !cta || !cta->position().inside) return seen;
  const uint32_t inst = cta->position().inst;
  const int line = work_.state.entry->code.info[inst].ptx_line;
  const StopCondition any[] = {{.kind = StopCondition::Kind::access, .line = line},
                               {.kind = StopCondition::Kind::access, .line = line, .shared = true}};
  const uint64_t here = tick;
  ask(any);
  asks_ = false;
  if (conditions_->flags(inst) & kObserved) {
    watched_ = &seen;
    try {
      run_to(here + 1);
    } catch (...) {
      watched_ = nullptr;
      ask({});
      throw;
    }
    watched_ = nullptr;
  }
  ask({});
  go_to(here);
  return seen;
}

bool Journey::stops_before(const CtaRunner& cta, uint32_t inst, uint32_t active, uint64_t at) {
  if (!asks_) return false;
  if (collects_ ? at >= before_ : at <= after_) return false;
  if (!conditions_->hold(cta, inst, active)) return false;
  found_ = at;
  return !collects_;
}

void Journey::see(const Context& c, const Inst& in, Space space, bool reads, bool writes,
                  const uint64_t* addresses, int bytes) {
  CtaRunner* const cta = turns_->runner();
  if (space != Space::shared || c.cluster_ctas == 1) {
    return see_of(c, in, space, reads, writes, cta, c.mask, addresses, bytes);
  }
  each_rank(addresses, c.mask, c.cluster_rank,
            [&](uint32_t rank, const uint64_t* offsets, uint32_t lanes) {
              CtaRunner* const memory = cta->peer(rank);
              if (memory) see_of(c, in, space, reads, writes, memory, lanes, offsets, bytes);
            });
}

void Journey::see_of(const Context& c, const Inst& in, Space space, bool reads, bool writes,
                     CtaRunner* memory, uint32_t lanes, const uint64_t* addresses, int bytes) {
  CtaRunner* const cta = turns_->runner();
  if (writes && space == Space::shared) {
    memory->note_written(*cta, in, lanes, addresses, static_cast<uint32_t>(bytes));
  }
  // Of shared memory, what the instruction does to that of its own CTA.
  if (watched_ && memory == cta && (space == Space::shared || space == Space::global)) {
    StepAccess& seen = watched_->emplace_back();
    seen.shared = space == Space::shared;
    seen.reads = reads, seen.writes = writes;
    seen.lanes = lanes;
    seen.bytes = static_cast<uint32_t>(bytes);
    std::copy_n(addresses, seen.addresses.size(), seen.addresses.begin());
  }
  if (!asks_ || (collects_ ? under_way >= before_ : under_way <= after_)) return;
  const auto inst = static_cast<uint32_t>(&in - c.code);
  if (!conditions_->hold_of_access(*cta, *memory, inst, space, reads, writes, lanes, addresses,
                                   static_cast<uint32_t>(bytes))) {
    return;
  }
  found_ = under_way;
  if (!collects_) throw Found{};
}

void Journey::access(Context& c, const Inst& in, Space space, bool is_store,
                     const uint64_t* addresses, int bytes) {
  if (is_store && space == Space::global) {
    for (uint32_t m = c.mask; m; m &= m - 1) {
      pages_->touch(addresses[std::countr_zero(m)], static_cast<uint32_t>(bytes));
    }
  }
  const bool atomic = work_.state.rows.rows[in.row]->kind == RowKind::atomic;
  see(c, in, space, !is_store || atomic, is_store, addresses, bytes);
}

bool Journey::copy(Context& c, const Inst& in, const uint64_t* shared, std::byte* const*,
                   const uint32_t*, int bytes) {
  turns_->runner()->note_copy(under_way_inst, c.mask, static_cast<uint32_t>(bytes));
  see(c, in, Space::shared, false, true, shared, bytes);
  return false;
}

void Journey::bulk(Context& c, const Inst& in, const BulkPieces& p) {
  if (p.to_space == Space::global) {
    for (uint32_t m = c.mask; m; m &= m - 1) {
      pages_->touch(p.to[std::countr_zero(m)], static_cast<uint32_t>(p.bytes));
    }
  }
  if (p.from[0] != ~0ull) see(c, in, p.from_space, true, false, p.from, p.bytes);
  see(c, in, p.to_space, false, true, p.to, p.bytes);
}

// An mbarrier that waits for copies says so here, too, and commits no group.
void Journey::commit(Context&) {
  const Inst& in = work_.state.entry->code.instructions[under_way_inst];
  if (work_.state.rows.rows[in.row]->kind != RowKind::atomic) {
    turns_->runner()->note_commit(under_way_inst);
  }
}

void Journey::wait(Context&, uint32_t) { turns_->runner()->note_wait(); }

}  // namespace tilescope::emulator

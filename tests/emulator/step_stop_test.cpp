// Each stop condition against an oracle: all places of the run, walked one by one, and what a trace
// of run() tells of the same instructions.
#include <algorithm>
#include <map>
#include <set>

#include "step_support.h"

namespace tilescope::emulator::test::step_stop_file {
namespace {

using Direction = Stepper::Direction;
using Stop = StopCondition::Kind;

constexpr std::pair<EventKind, const char*> kEvents[] = {{EventKind::copy, "copy"},
                                                         {EventKind::wait, "wait"},
                                                         {EventKind::barrier, "barrier"},
                                                         {EventKind::load_global, "load_global"},
                                                         {EventKind::load_shared, "ld.shared"},
                                                         {EventKind::store_shared, "st.shared"},
                                                         {EventKind::store_global, "st.global"},
                                                         {EventKind::fma, "fma"},
                                                         {EventKind::mma, "mma"}};

/// A walked launch, and its first CTA's trace.
struct Walked {
  explicit Walked(StepCase of) : c(std::move(of)), stepper(c.stepper(700)) {
    places = walk(*stepper);
    TraceOptions trace;
    trace.fma = true;
    RunOptions options;
    options.trace = trace;
    Memory memory;
    result = c.run_whole(memory, options);
    for (size_t i = 0; i < result.trace->events.size(); ++i) {
      const Event& e = result.trace->events[i];
      events[{e.warp, e.step}] = i;
    }
  }
  const Event* event(const StepPlace& p) const {
    // Asking an mbarrier is an event only where the phase is found ended: no place to stop at.
    if (p.cta.x != 0 || p.ended || p.opcode.starts_with("mbarrier.")) return nullptr;
    const auto it = events.find({p.warp, p.step});
    return it == events.end() ? nullptr : &result.trace->events[it->second];
  }

  StepCase c;
  std::unique_ptr<Stepper> stepper;
  std::vector<StepPlace> places;
  RunResult result;
  std::map<std::pair<uint32_t, uint64_t>, size_t> events;
  uint64_t stops = 0;  // that were found and right
};

/// From places at random, both ways, the stop is the nearest at which the oracle's answer is true.
void expect_stops(Walked& w, const std::vector<StopCondition>& conditions,
                  const std::function<bool(size_t)>& holds, std::mt19937& random,
                  const std::string& what) {
  for (const StopCondition& c : conditions) {
    ASSERT_EQ(w.stepper->refuses(c), "") << w.c.name << " " << what;
  }
  std::vector<size_t> all;
  for (size_t i = 0; i + 1 < w.places.size(); ++i) {
    if (holds(i)) all.push_back(i);
  }
  for (int tries = 0; tries < 10; ++tries) {
    // Mostly beside a stop, where one too many or too few shows.
    size_t from = random() % w.places.size();
    if (!all.empty() && tries > 0) {
      const size_t at = all[random() % all.size()];
      from = std::min(w.places.size() - 1, at + random() % 3 - std::min<size_t>(at, 1));
    }
    for (const Direction d : {Direction::forward, Direction::backward}) {
      w.stepper->go_to(w.places[from].tick);
      const auto found = w.stepper->find(d, conditions);
      std::optional<size_t> right;
      if (d == Direction::forward) {
        const auto it = std::ranges::upper_bound(all, from);
        if (it != all.end()) right = *it;
      } else {
        const auto it = std::ranges::lower_bound(all, from);
        if (it != all.begin()) right = *std::prev(it);
      }
      ASSERT_EQ(found.has_value(), right.has_value()) << w.c.name << " " << what;
      const size_t now = right ? *right : d == Direction::forward ? w.places.size() - 1 : from;
      ASSERT_EQ(w.stepper->place().tick, w.places[now].tick) << w.c.name << " " << what;
      if (found) {
        ASSERT_EQ(found->tick, w.places[now].tick) << w.c.name << " " << what;
        ++w.stops;
      }
    }
  }
}

void try_lines(Walked& w, std::mt19937& random) {
  for (int i = 0; i < 4; ++i) {
    const StepPlace& at = w.places[random() % (w.places.size() - 1)];
    StopCondition c{.kind = Stop::ptx_line, .line = at.ptx_line};
    const auto on_line = [&](size_t k) { return w.places[k].ptx_line == at.ptx_line; };
    ASSERT_NO_FATAL_FAILURE(expect_stops(w, {c}, on_line, random, "PTX line"));
    c.warp = at.warp;
    c.cta = at.cta;
    const auto by_warp = [&](size_t k) {
      return on_line(k) && w.places[k].warp == at.warp && w.places[k].cta.x == at.cta.x;
    };
    ASSERT_NO_FATAL_FAILURE(expect_stops(w, {c}, by_warp, random, "PTX line of a warp"));
    StopCondition moment{.kind = Stop::moment, .cta = at.cta, .warp = at.warp, .step = at.step};
    const auto later = [&](size_t k) {
      return w.places[k].step >= at.step && w.places[k].warp == at.warp &&
             w.places[k].cta.x == at.cta.x;
    };
    ASSERT_NO_FATAL_FAILURE(expect_stops(w, {moment}, later, random, "moment"));
    if (at.source.line == 0) continue;
    StopCondition s{.kind = Stop::source_line, .line = at.source.line, .file = at.source.file};
    const auto on_source = [&](size_t k) {
      return w.places[k].source.line == at.source.line && w.places[k].source.file == at.source.file;
    };
    ASSERT_NO_FATAL_FAILURE(expect_stops(w, {s}, on_source, random, "source line"));
    const auto either = [&](size_t k) { return on_source(k) || by_warp(k); };
    ASSERT_NO_FATAL_FAILURE(expect_stops(w, {s, c}, either, random, "two breakpoints"));
  }
}

void try_flow(Walked& w, std::mt19937& random) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<std::string, int>> line_of;  // by CTA and warp
  std::map<std::pair<uint32_t, uint32_t>, std::pair<int, int>> loop_of;
  std::map<uint32_t, size_t> last_of;
  std::set<size_t> lines, steps;
  for (size_t i = 0; i + 1 < w.places.size(); ++i) {
    const StepPlace& p = w.places[i];
    last_of[p.cta.x] = i;
    const auto key = std::make_pair(p.cta.x, p.warp);
    if (p.source.line) {
      const std::pair<std::string, int> line{p.source.file, p.source.line};
      const auto [it, is_new] = line_of.try_emplace(key, line);
      if (is_new || it->second != line) lines.insert(i);
      it->second = line;
    }
    const auto [it, is_new] = loop_of.try_emplace(key, -1, -1);
    if (p.loop >= 0 && it->second != std::pair<int, int>(p.loop, p.iteration)) steps.insert(i);
    it->second = {p.loop, p.iteration};
  }
  const auto in = [](const std::set<size_t>& set) {
    return [&set](size_t k) { return set.contains(k); };
  };
  if (!lines.empty()) {
    ASSERT_NO_FATAL_FAILURE(
        expect_stops(w, {{.kind = Stop::new_line}}, in(lines), random, "new line"));
  }
  ASSERT_NO_FATAL_FAILURE(expect_stops(
      w, {{.kind = Stop::cta_end}}, [&](size_t k) { return last_of[w.places[k].cta.x] == k; },
      random, "end of a CTA"));
  const uint32_t warp = random() % 2;
  ASSERT_NO_FATAL_FAILURE(expect_stops(
      w, {{.warp = warp}}, [&](size_t k) { return w.places[k].warp == warp; }, random,
      "instruction of a warp"));
  // Where all lanes go around together, an iteration begins where the count of it changes.
  if (steps.empty() || !w.c.fill) return;
  ASSERT_NO_FATAL_FAILURE(expect_stops(w, {{.kind = Stop::k_step}}, in(steps), random, "k step"));
  const auto iteration = static_cast<uint32_t>(w.places[*steps.rbegin()].iteration);
  ASSERT_NO_FATAL_FAILURE(expect_stops(
      w, {{.kind = Stop::k_step, .warp = 1, .iteration = iteration}},
      [&](size_t k) {
        return steps.contains(k) && w.places[k].warp == 1 &&
               w.places[k].iteration == static_cast<int>(iteration);
      },
      random, "k step of a number"));
}

void try_events(Walked& w, std::mt19937& random) {
  for (const auto& [kind, name] : kEvents) {
    StopCondition c{.kind = Stop::event, .cta = Dim3{0, 0, 0}, .event = kind};
    if (!w.stepper->refuses(c).empty()) continue;
    ASSERT_NO_FATAL_FAILURE(expect_stops(
        w, {c},
        [&, kind = kind](size_t k) {
          const Event* e = w.event(w.places[k]);
          return e && e->kind == kind;
        },
        random, name));
  }
}

void try_registers(Walked& w, std::mt19937& random) {
  std::map<int, std::vector<std::string>> written;  // by PTX line
  std::vector<std::string> names;
  for (const Instruction& i : w.stepper->program().instructions(w.c.entry)) {
    for (const char* opcode : {"mov", "add", "fma", "ld.", "mad", "mul", "cvt", "setp", "shl",
                               "and", "mma", "ldmatrix", "shr", "sub", "or", "cvta"}) {
      if (!i.opcode.starts_with(opcode) || i.operands.empty()) continue;
      written[i.ptx_line] = i.operands[0];
      for (const std::string& name : i.operands[0]) names.push_back(name);
      break;
    }
  }
  // What other instructions write is not in the oracle.
  std::set<std::string> others;
  for (const Instruction& i : w.stepper->program().instructions(w.c.entry)) {
    if (written.contains(i.ptx_line) || i.operands.empty()) continue;
    others.insert(i.operands[0].begin(), i.operands[0].end());
  }
  for (int tries = 0; tries < 4 && !names.empty(); ++tries) {
    const std::string& name = names[random() % names.size()];
    if (others.contains(name)) continue;
    StopCondition c{.kind = Stop::writes_register, .name = name};
    if (tries % 2) c.lane = random() % 32;
    const uint32_t lanes = c.lane ? 1u << *c.lane : ~0u;
    ASSERT_NO_FATAL_FAILURE(expect_stops(
        w, {c},
        [&](size_t k) {
          const auto it = written.find(w.places[k].ptx_line);
          return it != written.end() && std::ranges::count(it->second, name) != 0 &&
                 (w.places[k].active & lanes) != 0;
        },
        random, "writes " + name));
  }
}

void try_accesses(Walked& w, std::mt19937& random) {
  const Trace& trace = *w.result.trace;
  if (trace.addresses.empty()) return;
  const auto is_shared = [](uint64_t address) { return address < uint64_t{1} << 40; };
  const auto touches = [&](const Event& e, const StopCondition& c) {
    const bool copy = e.kind == EventKind::copy;
    const bool atomic = e.kind == EventKind::other;
    for (const int32_t slot : {e.address_slot, e.address_slot2}) {
      if (slot < 0) continue;
      const bool writes = atomic || e.kind == EventKind::store_global ||
                          e.kind == EventKind::store_shared || (copy && slot == e.address_slot2);
      if (!((writes && c.writes) || ((!writes || atomic) && c.reads))) continue;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        if ((e.active >> lane & 1u) == 0 || (c.lane && *c.lane != lane)) continue;
        const uint64_t a = trace.addresses[static_cast<size_t>(slot)][lane];
        if (is_shared(a) == c.shared && a < c.address + c.bytes && c.address < a + e.bytes) {
          return true;
        }
      }
    }
    return false;
  };
  // Of instructions on mbarriers only some are events: what touches one is not in the oracle.
  std::set<int> lines;
  for (const Instruction& in : w.stepper->program().instructions(w.c.entry)) {
    if (in.opcode.starts_with("mbarrier.")) lines.insert(in.ptx_line);
  }
  std::set<uint64_t> mbarriers;
  for (const Event& e : trace.events) {
    if (!lines.contains(e.ptx_line)) continue;
    for (const int32_t slot : {e.address_slot, e.address_slot2}) {
      for (uint32_t lane = 0; lane < 32 && slot >= 0; ++lane) {
        if ((e.active >> lane & 1u) == 0) continue;
        mbarriers.insert(trace.addresses[static_cast<size_t>(slot)][lane]);
      }
    }
  }
  const auto touches_mbarrier = [&](const StopCondition& c) {
    return std::ranges::any_of(mbarriers, [&](uint64_t at) {
      return c.shared && at < c.address + c.bytes && c.address < at + sizeof(uint64_t);
    });
  };
  for (int tries = 0; tries < 8; ++tries) {
    const Event& e = trace.events[random() % trace.events.size()];
    const int32_t slot = random() % 2 && e.address_slot2 >= 0 ? e.address_slot2 : e.address_slot;
    if (slot < 0 || e.active == 0) continue;
    const auto lane = static_cast<uint32_t>(std::countr_zero(e.active));
    StopCondition c{.kind = Stop::access, .cta = Dim3{0, 0, 0}};
    c.address = trace.addresses[static_cast<size_t>(slot)][lane] + random() % 4;
    c.shared = is_shared(c.address);
    c.bytes = 1 + random() % 16;
    if (touches_mbarrier(c)) continue;
    c.reads = random() % 3 != 0;
    c.writes = !c.reads || random() % 2;
    if (random() % 4 == 0) c.lane = lane;
    if (random() % 4 == 0) c.warp = e.warp;
    if (random() % 4 == 0) c.line = e.ptx_line;
    ASSERT_NO_FATAL_FAILURE(expect_stops(
        w, {c},
        [&](size_t k) {
          const Event* at = w.event(w.places[k]);
          return at && touches(*at, c) && (!c.warp || *c.warp == at->warp) &&
                 (c.line == 0 || c.line == at->ptx_line);
        },
        random, "access"));
  }
}

std::vector<StepCase> cases() {
  std::vector<StepCase> chosen = {sgemm_case(16), mma_case(64)};
  for (StepCase& c : fixture_cases()) {
    for (const char* name :
         {"divergent.ptx divergent", "histogram.ptx histogram", "beyond_80_O3.ptx reduce",
          "beyond_80_O3.ptx histogram", "beyond_80_O3.ptx pipeline", "beyond_75_O3.ptx scan",
          "reduce_shuffle.ptx reduce_shuffle", "gemm_naive.ptx gemm_naive",
          "numba_block_sums.ptx block_sums", "triton_histogram.ptx histogram"}) {
      if (c.name != name) continue;
      chosen.push_back(std::move(c));
      break;
    }
  }
  return chosen;
}

TEST(StepStop, EveryConditionStopsWhereTheOracleSays) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (const StepCase& c : cases()) {
    Walked w(c);
    ASSERT_TRUE(w.result.trace) << c.name;
    ASSERT_NO_FATAL_FAILURE(try_lines(w, random));
    ASSERT_NO_FATAL_FAILURE(try_flow(w, random));
    if (w.places.back().fault) continue;  // its trace ends elsewhere
    ASSERT_NO_FATAL_FAILURE(try_events(w, random));
    ASSERT_NO_FATAL_FAILURE(try_registers(w, random));
    ASSERT_NO_FATAL_FAILURE(try_accesses(w, random));
    EXPECT_GT(w.stops, 100u) << c.name;
  }
}

TEST(StepStop, WhatCanNeverHoldIsRefusedWithTheWayOut) {
  auto stepper = sgemm_case(16).stepper(1000);
  const auto refused = [&](const StopCondition& c) { return stepper->refuses(c); };
  EXPECT_NE(refused({.kind = Stop::ptx_line, .line = 1}).find("nearest that have one: "),
            std::string::npos);
  EXPECT_NE(refused({.kind = Stop::source_line, .line = 9999}).find("nearest"), std::string::npos);
  EXPECT_NE(refused({.warp = 8}).find("has 8"), std::string::npos);
  EXPECT_NE(refused({.lane = 32}).find("has 32"), std::string::npos);
  EXPECT_NE(refused({.cta = Dim3{2, 0, 0}}).find("outside the grid"), std::string::npos);
  EXPECT_NE(refused({.kind = Stop::writes_register, .name = "%x1"}).find("'%x1'"),
            std::string::npos);
  EXPECT_NE(refused({.kind = Stop::event, .event = EventKind::mma}), "");
  EXPECT_EQ(refused({.kind = Stop::event, .event = EventKind::barrier}), "");
}

}  // namespace
}  // namespace tilescope::emulator::test::step_stop_file

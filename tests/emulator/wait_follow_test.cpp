// CTAs that wait for each other: checks of their order, traces, and where values came from.
#include <algorithm>

#include "emulator/provenance.h"
#include "wait_kernels.h"

namespace tilescope::emulator::test::wait_follow_file {
namespace {

std::vector<Finding> errors_of(RunResult r) {
  std::erase_if(r.findings, [](const Finding& f) { return f.remark; });
  return std::move(r.findings);
}

// Waiting and fencing as it should be is no race; whatever is left out makes one.
TEST(WaitsChecks, OrderBetweenCtasIsFoundAndMissed) {
  RunOptions options;
  options.check = true;
  const auto expect = [](const RunResult& r, const char* entry, bool right) {
    const auto all = errors_of(r);
    if (right) {
      EXPECT_TRUE(all.empty()) << entry << ": " << (all.empty() ? "" : all[0].fault.message);
      return;
    }
    ASSERT_FALSE(all.empty()) << entry;
    for (const Finding& f : all) EXPECT_EQ(f.fault.kind, Kind::cta_conflict) << f.fault.message;
  };
  const std::vector<std::pair<const char*, bool>> splits = {{"split_k_last", true},
                                                            {"split_k_no_count", false},
                                                            {"split_k_no_release", false},
                                                            {"split_k_no_acquire", false},
                                                            {"split_k_atomic", true}};
  for (const auto& [entry, right] : splits) {
    Product p(2, 96);
    expect(p.split(entry, 3, options), entry, right);
  }
  const std::vector<std::pair<const char*, bool>> streams = {{"stream_k_flags", true},
                                                             {"stream_k_no_wait", false},
                                                             {"stream_k_no_release", false},
                                                             {"stream_k_no_acquire", false}};
  for (const auto& [entry, right] : streams) {
    Product p(3, 96);
    expect(p.stream(entry, 7, options), entry, right);
  }
  const std::vector<std::pair<const char*, bool>> barriers = {
      {"grid_barrier", true}, {"grid_barrier_no_wait", false}, {"grid_barrier_no_release", false}};
  for (const auto& [entry, right] : barriers) {
    Neighbours b(5);
    expect(b.start(entry, 3, options), entry, right);
  }
  // What a CTA knows it hands on: nobody but the first meets the others.
  Neighbours b(40);
  expect(run_ctas(b, "grid_barrier_master", {40, 1, 1}, {64, 1, 1},
                  parameters(b.buffers[0], b.buffers[1], b.buffers[2]), options),
         "grid_barrier_master", true);
  for (uint32_t i = 0; i < 40 * 64; ++i) {
    ASSERT_EQ(b.words(0)[40 * 64 + i], (i / 64 + 1) % 40 + 1) << i;
  }
  for (const uint32_t backward : {0u, 1u}) {
    Bench scan;
    scan.add("in", 70 * 64);
    scan.add("out", 70 * 64);
    scan.add("status", 140);
    expect(
        run_ctas(scan, "look_back", {70, 1, 1}, {64, 1, 1},
                 parameters(scan.buffers[0], scan.buffers[1], scan.buffers[2], backward), options),
        "look_back", true);
  }
}

TEST(WaitsChecks, ChosenCtasAreJudgedWithThoseTakenAlong) {
  RunOptions options;
  options.check = true;
  options.ctas = {{2, 0, 0}};
  Product right(3, 96), wrong(3, 96);
  EXPECT_TRUE(errors_of(right.stream("stream_k_flags", 8, options)).empty());
  const auto all = errors_of(wrong.stream("stream_k_no_release", 8, options));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].fault.kind, Kind::cta_conflict);
}

// An element of C, whichever CTA added it up, is the sum of all k products of its row and column.
void expect_whole_sum(const Value& v, const Product& p, uint32_t row, uint32_t col,
                      bool with_c = false) {
  ASSERT_EQ(v.kind, Value::Kind::sum) << to_text(v, p.memory);
  std::vector<int> times(p.k, 0);
  bool c = false;
  for (const Products& products : v.products) {
    if (!products.b) {
      c = true;
      continue;
    }
    ASSERT_EQ(products.a.buffer, 0);
    ASSERT_EQ(products.b.buffer, 1);
    for (uint64_t i = 0; i < products.count; ++i) {
      const int64_t a = static_cast<int64_t>(products.a.offset) + products.a_step * int64_t(i);
      const int64_t b = static_cast<int64_t>(products.b.offset) + products.b_step * int64_t(i);
      const int64_t k = a / 4 - int64_t{row} * p.k;
      ASSERT_EQ(b / 4, k * 16 + col);
      ++times[static_cast<size_t>(k)];
    }
  }
  EXPECT_EQ(c, with_c);
  EXPECT_EQ(times, std::vector<int>(p.k, 1)) << to_text(v, p.memory);
}

Provenance::Options following(Dim3 cta) {
  Provenance::Options options;
  options.ctas = {cta};
  return options;
}

TEST(WaitsProvenance, PassesThroughTheWorkspace) {
  Product stream(3, 96);
  Provenance all;
  RunOptions options;
  options.provenance = &all;
  ASSERT_FALSE(stream.stream("stream_k_flags", 7, options).fault);
  for (const uint32_t i : {0u, 17u, 255u, 256u, 300u, 767u}) {
    expect_whole_sum(all.of_global(stream.buffers[2] + 4 * i, 4), stream, i / 16, i % 16);
  }
  EXPECT_EQ(all.ctas().size(), 7u);

  // Only the CTA that adds up is asked for; those that it waits for are followed all the same.
  Product chosen(3, 96);
  Provenance one(following({2, 0, 0}));
  options.provenance = &one;
  options.ctas = {{2, 0, 0}};
  ASSERT_FALSE(chosen.stream("stream_k_flags", 8, options).fault);
  EXPECT_EQ(one.ctas().size(), 1u);
  for (const uint32_t i : {256u, 300u, 511u}) {
    expect_whole_sum(one.of_global(chosen.buffers[2] + 4 * i, 4), chosen, i / 16, i % 16);
  }

  Product split(2, 96);
  Provenance last(following({1, 3, 0}));
  options = {};
  options.provenance = &last;
  ASSERT_FALSE(split.split("split_k_last", 4, options).fault);
  for (const uint32_t i : {0u, 255u, 256u, 511u}) {
    expect_whole_sum(last.of_global(split.buffers[2] + 4 * i, 4), split, i / 16, i % 16);
  }
  // What the CTA holds in the register that it stores is the same sum.
  bool found = false;
  for (const std::string& name : last.registers()) {
    const Value v = last.of_register({1, 3, 0}, 2, 5, name);
    if (v.kind != Value::Kind::sum || v.terms() != 96) continue;
    found = true;
    expect_whole_sum(v, split, 16 + 4, 5);
  }
  EXPECT_TRUE(found);

  Product atomic(2, 96);
  Provenance added;
  options.provenance = &added;
  ASSERT_FALSE(atomic.split("split_k_atomic", 4, options).fault);
  for (const uint32_t i : {0u, 255u, 256u, 511u}) {  // and what C was before
    expect_whole_sum(added.of_global(atomic.buffers[2] + 4 * i, 4), atomic, i / 16, i % 16, true);
  }
}

// A trace of a CTA that waits shows what it finds, at the same steps, whoever ran before.
TEST(WaitsProvenance, TraceAndMomentsDoNotDependOnThePolls) {
  const Dim3 cta{2, 0, 0};
  const auto traced = [&](Product& p, const std::vector<Dim3>& ctas) {
    RunOptions options;
    options.ctas = ctas;
    options.trace.emplace();
    options.trace->cta = cta;
    const RunResult r = p.stream("stream_k_flags", 8, options);
    EXPECT_FALSE(r.fault);
    return *r.trace;
  };
  Product whole(3, 96), alone(3, 96), ready(3, 96);
  const Trace a = traced(whole, {}), b = traced(alone, {cta});
  ready.stream("stream_k_flags", 8);
  const Trace c = traced(ready, {cta});
  ASSERT_FALSE(a.events.empty());
  const auto of_warp = [](const Trace& t, uint32_t warp) {  // in which order warps run may differ
    std::vector<std::pair<Event, std::array<uint64_t, 32>>> events;
    for (const Event& e : t.events) {
      if (e.warp != warp) continue;
      events.emplace_back(e, e.address_slot < 0 ? std::array<uint64_t, 32>{}
                                                : t.addresses[static_cast<size_t>(e.address_slot)]);
    }
    return events;
  };
  for (const Trace* other : {&b, &c}) {
    for (uint32_t w = 0; w < 8; ++w) {
      const auto x = of_warp(a, w), y = of_warp(*other, w);
      ASSERT_EQ(x.size(), y.size());
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(x[i].first.step, y[i].first.step) << w << ", " << i;
        ASSERT_EQ(x[i].first.ptx_line, y[i].first.ptx_line);
        ASSERT_EQ(x[i].first.active, y[i].first.active);
        ASSERT_TRUE(x[i].second == y[i].second) << w << ", " << i;
      }
    }
  }
  // Just after the first part of another CTA has been loaded.
  const auto line = std::find_if(a.events.begin(), a.events.end(), [&](const Event& e) {
    return e.kind == EventKind::load_global && e.warp == 3 &&
           whole.memory.locate(a.addresses[static_cast<size_t>(e.address_slot)][0]).buffer == 3;
  });
  ASSERT_NE(line, a.events.end());
  Product fresh(3, 96);
  Provenance::Options until_then = following(cta);
  until_then.until = Provenance::Moment{cta, 3, line->step};
  Provenance until(std::move(until_then));
  RunOptions options;
  options.ctas = {cta};
  options.provenance = &until;
  const RunResult r = fresh.stream("stream_k_flags", 8, options);
  ASSERT_FALSE(r.fault) << r.fault->message;
  bool found = false;
  for (const std::string& name : until.registers()) {
    const Value v = until.of_register(cta, 3, 9, name);
    found =
        found || (v.kind == Value::Kind::sum && !v.way.empty() && v.way.back() == line->ptx_line);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace tilescope::emulator::test::wait_follow_file

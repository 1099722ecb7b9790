// Badges, ticks, figures and heat are of what stands now: in any state, whatever stage its work is
// in, whether it failed, and however old the results are.
#include "app/state/present.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "app/features/benchmark/facts.h"
#include "app/features/layer/layer_facts.h"
#include "app/features/source/line_uses.h"
#include "app/features/traffic/traffic_rows.h"
#include "app/state/access_rows.h"
#include "app/state/card_counters.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/residency.h"
#include "app/state/status.h"
#include "app/state/verifying.h"
#include "tests/random_tile.h"
#include "tests/state/tune_support.h"

namespace tilescope {
namespace {

using Kind = StatusItem::Kind;

/// Figures that stand nowhere else: wherever one is shown, it is of these results.
Results marked_results(std::mt19937& random) {
  const auto chance = [&] { return random() % 4 != 0; };
  Results r;
  if (chance()) {
    r.compile.emplace();
    r.compile->registers = 77, r.compile->compile_ms = 1031, r.compile->ptx = "//";
  }
  if (chance()) {
    auto trace = std::make_shared<worker::TraceResult>();
    worker::TraceEvent e;
    e.kind = worker::TraceEvent::Kind::load, e.line = 20, e.ptx_line = 200;
    trace->events.push_back(e);
    r.trace = trace;
  }
  if (r.compile && chance()) {
    r.emulated.emplace();
    r.emulated->counted.shared_load = {.requests = 8, .wavefronts = 16, .ideal = 16};
    worker::CountedTraffic::Line line;
    line.line = 20, line.warp_instructions = 403, line.wavefronts = 16;
    r.emulated->counted.source_lines.push_back(line);
    worker::Verification v;
    v.ok = chance(), v.norm = 1.1e-6, v.tolerance = 1e-3;
    v.elements = v.of = 4096;
    r.emulated->verified = v;
    if (!chance()) {
      worker::CodeFinding f;
      f.kind = "race", f.message = "two warps meet", f.line = 174;
      r.findings.push_back(f);
    }
  }
  if (r.emulated && chance()) {
    r.measured.emplace();
    r.measured->standing = chance() ? "measured" : "recorded";
    r.measured->device = "cuda:0", r.measured->device_name = "NVIDIA H200";
    r.measured->tflops = 987.6, r.measured->time_us = 123.4, r.measured->clock_mhz = 1755;
    r.measured->library_tflops = 999, r.measured->library = "cuBLASLt 13.1";
  }
  if (chance()) {
    r.counters.emplace();
    r.counters->standing = "measured", r.counters->device = "cuda:0";
  }
  return r;
}

struct Case {
  AppState state;
  bool outdated = false, failed = false, impossible = false;
};

Case any_case(std::mt19937& random) {
  Case c;
  c.state = state_with_card();
  AppState& s = c.state;
  const KernelEntry& kernel =
      kernel_table().entries[random() % static_cast<unsigned>(kernel_table().count)];
  set_kernel(s, kernel.info.id);
  set_tile(s, random() % 2 == 0 ? kernel.sliders.defaults() : random_tile(kernel, random));
  s.results = marked_results(random);
  s.results.stage = static_cast<Stage>(random() % (static_cast<int>(Stage::failed) + 1));
  if (s.results.stage == Stage::failed || random() % 4 == 0) s.results.error = "Kernel stopped.";
  switch (random() % 3) {
    case 0:
      s.results.edit_serial = s.edit_serial;
      break;
    case 1:
      s.results.edit_serial = s.edit_serial - 1;  // the tile before
      break;
    default:
      s.results.edit_serial = 0;  // a file was saved, or it does not compile any more
  }
  c.outdated = s.results.edit_serial != s.edit_serial || !s.derived.legal();
  c.failed = s.results.stage == Stage::failed || !s.results.error.empty();
  if (random() % 4 == 0) {
    workload::Layer layer = first_layer();
    layer.out = 1, layer.ranks = 64;
    set_layer(s, layer);
    s.of<LayerView>().looked_at = random() % 2 == 0;
    c.impossible = s.of<LayerView>().looked_at;
  }
  return c;
}

/// All words of a state that may be of the results.
std::string words_of(const AppState& state) {
  std::string text;
  for (const StatusItem& item : status_items(state)) text += item.text + "\n";
  for (const Fact& fact : facts_of(state, point_of(state))) {
    text += fact.figure + " " + fact.caption + "\n";
  }
  return text;
}

TEST(Present, NothingIsShownOfAnotherEditAndNothingIsTickedBesideAFailure) {
  std::mt19937 random(46);
  int outdated = 0, failed = 0, whole = 0, ticked = 0;
  for (int i = 0; i < 3000; ++i) {
    const Case c = any_case(random);
    const AppState& s = c.state;
    const std::string words = words_of(s);
    const auto says = [&](const char* what) { return words.find(what) != std::string::npos; };
    const bool gone = c.outdated;
    ASSERT_EQ(trust_of(s) == Trust::none, gone);
    ASSERT_EQ(has_failed(s), c.failed);
    if (gone) {
      ++outdated;
      for (const char* figure :
           {"77 registers", "1.1e-06", "1031 ms", "line 174", "1755 MHz", "WRONG", "verified"}) {
        ASSERT_FALSE(says(figure)) << figure << " in\n" << words;
      }
      ASSERT_TRUE(line_uses(s, false).empty() && line_uses(s, true).empty()) << "Source's heat";
      ASSERT_EQ(compiled(s), nullptr);
      ASSERT_EQ(counters_of(s), nullptr);
      ASSERT_EQ(verdict_of(s).kind, Verdict::Kind::none);
      for (const TrafficRow& row : traffic_rows(s, model::Count::bytes)) {
        ASSERT_FALSE(row.counted || row.measured) << row.id;
      }
      for (const AccessRow& row : access_rows(s)) ASSERT_FALSE(row.counted || row.measured);
      ASSERT_FALSE(is_timed(point_of(s).standing));
    } else {
      // And what is of it is there.
      ASSERT_EQ(line_uses(s, false).empty(),
                !s.results.trace && !s.results.emulated && s.results.findings.empty());
      ASSERT_EQ(says("77 registers"), s.results.compile.has_value()) << words;
      ASSERT_EQ(is_timed(point_of(s).standing), s.results.measured.has_value());
    }
    const StatusItem legal = legality(s);
    ASSERT_EQ(legal.kind == Kind::kWarning, !s.derived.legal());
    ASSERT_EQ(legal.kind == Kind::kOk, s.derived.legal() && !c.failed && !c.impossible) << words;
    ASSERT_EQ(says("impossible layer"), c.impossible) << words;
    for (const StatusItem& item : status_items(s)) {
      ASSERT_TRUE(item.kind != Kind::kOk || !(c.failed || c.impossible)) << item.text;
    }
    for (const Fact& fact : facts_of(s, point_of(s))) {
      const bool tick = fact.figure.starts_with("✓");
      ASSERT_EQ(tick, fact.kind == Kind::kOk) << fact.figure;
      ASSERT_FALSE(tick && (c.failed || gone)) << fact.figure;
      ticked += tick;
    }
    failed += !gone && c.failed, whole += !gone && !c.failed;
  }
  EXPECT_GT(std::min({outdated, failed, whole, ticked}), 50);
}

}  // namespace
}  // namespace tilescope

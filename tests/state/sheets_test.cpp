// What panels show of the model: accesses and their lines, occupancy over sliders, the L2's tiles,
// the notes' tables as sliders.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/features/l2/l2_picture.h"
#include "app/features/notes/notes_sheet.h"
#include "app/features/occupancy/occupancy_curves.h"
#include "app/state/access_rows.h"
#include "app/state/edit.h"
#include "app/state/hover_traffic.h"
#include "app/state/residency.h"
#include "core/model/formulas.h"
#include "worker/messages/counters.h"

namespace tilescope {
namespace {

AppState at_default(const KernelEntry& kernel) {
  AppState state = initial_state();
  set_kernel(state, kernel.info.id);
  set_tile(state, kernel.sliders.defaults());
  return state;
}

TEST(AccessRows, HaveWhatTheModelCountsOfEachKernel) {
  for (const KernelEntry& kernel : kernel_table()) {
    const AppState state = at_default(kernel);
    const model::Counts& c = state.derived.traffic.counts;
    uint64_t sectors = 0, wavefronts = 0;
    for (const AccessRow& row : access_rows(state)) {
      EXPECT_GT(row.modelled.requests, 0u) << kernel.info.id << " " << row.id;
      EXPECT_LE(row.modelled.ideal, row.modelled.cost) << kernel.info.id << " " << row.id;
      if (row.of_card) continue;  // the same accesses once more
      (row.metric == LineMetric::sectors ? sectors : wavefronts) += row.modelled.cost;
    }
    EXPECT_EQ(sectors, c.global_load().sectors + c.global_store().sectors + c.bulk_load().sectors +
                           c.bulk_store().sectors)
        << kernel.info.id;
    EXPECT_EQ(wavefronts, c.shared_load.wavefronts + c.shared_store.wavefronts +
                              c.shared_copy.wavefronts + c.shared_product.wavefronts)
        << kernel.info.id;
  }
}

// ptxas makes wide loads of the narrow ones that are neighbours in the PTX: what a card counts of
// shared loads stands beside those, with the reason, and not beside the PTX's.
TEST(AccessRows, OfACardStandBesideWhatPtxasMakesOfThePtx) {
  int joined = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    AppState state = at_default(kernel);
    const model::Counts& c = state.derived.traffic.counts;
    worker::CountersResult card;
    card.standing = "measured", card.device = state.device;
    for (const worker::Counter& counter : worker::counter_list()) {
      if (counter.figure == &worker::MeasuredTraffic::shared_load_wavefronts) {
        card.values[counter.metric] =
            static_cast<double>(c.joined_shared_load().wavefronts) / counter.factor;
      }
    }
    state.results.edit_serial = state.edit_serial;
    state.results.counters = card;
    const std::vector<AccessRow> rows = access_rows(state);
    const auto row_of = [&](const std::string& id) {
      return std::find_if(rows.begin(), rows.end(), [&](const AccessRow& r) { return r.id == id; });
    };
    const auto plain = row_of("shared.load"), wide = row_of("shared.load.joined");
    const auto formulas = model::traffic_formulas(
        model::analyse(state.derived.plan, state.edit.problem, state.derived.launch, state.gpu,
                       state.derived.traffic));
    const auto formula = std::find_if(formulas.begin(), formulas.end(), [](const auto& f) {
      return f.key == "shared.read.joined_wavefronts";
    });
    EXPECT_EQ(wide != rows.end(), c.joins_shared_loads()) << kernel.info.id;
    EXPECT_EQ(formula != formulas.end(), c.joins_shared_loads()) << kernel.info.id;
    if (plain == rows.end()) continue;
    EXPECT_EQ(plain->modelled.cost, c.shared_load.wavefronts) << kernel.info.id;
    const AccessRow& measured = wide == rows.end() ? *plain : *wide;
    ASSERT_TRUE(measured.measured) << kernel.info.id;
    EXPECT_EQ(*measured.measured, static_cast<double>(measured.kernel_alone)) << kernel.info.id;
    if (wide == rows.end()) continue;
    ++joined;
    EXPECT_FALSE(plain->measured) << kernel.info.id;
    EXPECT_FALSE(wide->exact || wide->counted) << kernel.info.id;
    EXPECT_LT(wide->modelled.cost, plain->modelled.cost) << kernel.info.id;
    EXPECT_NE(formula->symbols.find("one wide load"), std::string::npos);
    EXPECT_EQ(formula->value, static_cast<double>(wide->modelled.cost)) << kernel.info.id;
  }
  EXPECT_GT(joined, 0);
}

/// A trace and counts of three PTX lines: a copy past the registers, a load, a store.
AppState with_lines() {
  AppState state = at_default(*find_kernel("mma_multistage"));
  using Kind = worker::TraceEvent::Kind;
  auto trace = std::make_shared<worker::TraceResult>();
  worker::EmulateResult emulated;
  struct Line {
    Kind kind;
    int line, ptx_line;
    uint64_t sectors, wavefronts;
  };
  for (const Line& l : {Line{Kind::copy, 10, 100, 64, 32},
                        {Kind::load, 20, 200, 0, 16},
                        {Kind::store, 30, 300, 8, 0},
                        {Kind::mma, 40, 400, 0, 0}}) {
    worker::TraceEvent e;
    e.kind = l.kind, e.line = l.line, e.ptx_line = l.ptx_line;
    trace->events.push_back(e);
    worker::CountedTraffic::Line counted;
    counted.line = l.ptx_line, counted.sectors = l.sectors, counted.wavefronts = l.wavefronts;
    emulated.counted.ptx_lines.push_back(counted);
  }
  state.results.edit_serial = state.edit_serial;
  state.results.trace = trace;
  state.results.emulated = emulated;
  return state;
}

TEST(AccessRows, LeadToTheirLinesAndBack) {
  AppState state = with_lines();
  using Lines = std::vector<int>;
  using Ids = std::vector<std::string>;
  EXPECT_EQ(lines_of_access(state, "global.load", CodeText::kernel), Lines{10});
  EXPECT_EQ(lines_of_access(state, "shared.copy", CodeText::ptx), Lines{100});
  EXPECT_EQ(lines_of_access(state, "shared.load", CodeText::kernel), Lines{20});
  EXPECT_EQ(lines_of_access(state, "global.store", CodeText::ptx), Lines{300});
  EXPECT_EQ(lines_of_access(state, "no such row", CodeText::ptx), Lines{});
  EXPECT_EQ(accesses_at(state, {10, 0}), (Ids{"global.load", "shared.copy"}));
  EXPECT_EQ(accesses_at(state, {0, 200}), Ids{"shared.load"});
  EXPECT_EQ(accesses_at(state, {40, 400}), Ids{});
  EXPECT_EQ(accesses_at(state, {}), Ids{});
  // The same lines of a kernel whose copies are bulk copies.
  worker::EmulateResult bulk = *state.results.emulated;
  bulk.counted.bulk_load.requests = 1;
  state.results.emulated = bulk;
  EXPECT_EQ(accesses_at(state, {10, 0}), (Ids{"global.bulk", "shared.copy"}));
}

// A click on a row goes to the line that the figure is of, not to the first that has such accesses:
// in kernels the loads of the epilogue may stand above those of the main loop.
TEST(AccessRows, LeadToTheHottestOfTheirLines) {
  AppState state = with_lines();
  auto trace = std::make_shared<worker::TraceResult>(*state.results.trace);
  struct More {
    int line, ptx_line;
    uint64_t wavefronts;
  };
  // Line 25 is unrolled: neither of its PTX lines is the hottest, together they are.
  for (const More& m : {More{15, 150, 20}, {25, 250, 15}, {25, 251, 15}, {28, 280, 9}}) {
    worker::TraceEvent e;
    e.kind = worker::TraceEvent::Kind::load, e.line = m.line, e.ptx_line = m.ptx_line;
    trace->events.push_back(e);
    worker::CountedTraffic::Line counted;
    counted.line = m.ptx_line, counted.wavefronts = m.wavefronts;
    state.results.emulated->counted.ptx_lines.push_back(counted);
  }
  state.results.trace = trace;
  EXPECT_EQ(hottest_line_of_access(state, "shared.load", CodeText::kernel), 25);
  EXPECT_EQ(hottest_line_of_access(state, "shared.load", CodeText::ptx), 150);
  EXPECT_EQ(hottest_line_of_access(state, "global.load", CodeText::kernel), 10);
  EXPECT_EQ(hottest_line_of_access(state, "shared.store", CodeText::kernel), 0);
  EXPECT_EQ(hottest_line_of_access(state, "", CodeText::kernel), 0);
}

TEST(AccessRows, AChosenRowIsOfItsEditAndGivesWayToALine) {
  AppState state = with_lines();
  choose_access(state, "shared.load");
  EXPECT_EQ(chosen_access(state), "shared.load");
  EXPECT_EQ(state.view.line_metric, static_cast<int>(LineMetric::wavefronts));
  link_code(state, CodeText::kernel, 10);
  EXPECT_EQ(chosen_access(state), "");
  choose_access(state, "global.load");
  EXPECT_FALSE(linked_code(state).any());
  set_tile_field(state, TileFieldId::stages, 2);
  EXPECT_EQ(chosen_access(state), "");
}

TEST(OccupancyCurves, StandAtThePresentTileAndNameWhatLimits) {
  for (const KernelEntry& kernel : kernel_table()) {
    const AppState state = at_default(kernel);
    const std::vector<OccupancyCurve> curves = occupancy_curves(state);
    EXPECT_EQ(curves.size(), static_cast<size_t>(kernel.sliders.count)) << kernel.info.id;
    for (const OccupancyCurve& curve : curves) {
      ASSERT_EQ(curve.values.size(), curve.picture.points.size());
      ASSERT_EQ(curve.words.size(), curve.values.size());
      int present = 0;
      for (size_t i = 0; i < curve.values.size(); ++i) {
        const viz::CurvePoint& point = curve.picture.points[i];
        present += point.present;
        EXPECT_LE(point.value, 100);
        if (point.letter.empty()) {
          EXPECT_GT(point.value, 0) << kernel.info.id << " " << curve.words[i];
          EXPECT_NE(curve.words[i].find("limited by"), std::string::npos);
        } else {
          EXPECT_EQ(curve.words[i].find("limited by"), std::string::npos);
          EXPECT_GT(curve.words[i].size(), 20u);
        }
        if (point.present) {
          EXPECT_EQ(curve.values[i], get(state.edit.rung().tile, curve.field));
        }
      }
      EXPECT_EQ(present, 1) << kernel.info.id;
    }
  }
}

TEST(L2View, TilesTellWhatTheSimulationSaw) {
  for (const KernelEntry& kernel : kernel_table()) {
    AppState state = at_default(kernel);
    Problem p = state.edit.problem;
    p.m = 700, p.n = 900, p.k = 600;
    set_problem(state, p);
    const model::L2Machine machine{1 << 20, 64, 0.2};
    const model::L2Traffic t = model::simulate_l2(state.derived.plan, p, machine);
    ASSERT_EQ(t.tiles.size(), static_cast<size_t>(state.derived.plan.work.raster.tiles()));
    double asked = 0, read = 0;
    for (const model::L2Tile& tile : t.tiles) {
      EXPECT_GE(tile.begin, 0) << "every tile is worked on";
      EXPECT_LE(tile.begin, tile.end);
      EXPECT_LE(tile.end, t.steps + 1e-3);
      EXPECT_LE(tile.read, tile.asked * (1 + 1e-9));
      asked += tile.asked, read += tile.read;
    }
    EXPECT_NEAR(asked, t.asked, 1e-6 * t.asked) << kernel.info.id;
    EXPECT_NEAR(read, t.read, 1e-6 * t.asked) << kernel.info.id;
    const auto tiles = l2_tiles(t);
    ASSERT_NE(tiles, nullptr);
    for (const viz::L2TileState& tile : *tiles) {
      EXPECT_GE(tile.begin, 0);
      EXPECT_LE(tile.end, 1.0001f);
    }
    state.derived.l2 = std::make_shared<const model::L2Traffic>(t);
    EXPECT_NE(l2_tile_words(state, {0, 0}).find("from DRAM"), std::string::npos);
    EXPECT_EQ(l2_tile_words(state, {-1, 0}), "");
    EXPECT_EQ(l2_tile_words(state, {0, 1 << 20}), "");
  }
}

TEST(HoverTraffic, EachLevelSaysWhatMoves) {
  using Kind = viz::Pick::Kind;
  const auto words = [](const AppState& state, Kind kind) {
    viz::Pick pick;
    pick.kind = kind;
    return traffic_words(state, pick);
  };
  const auto element = [](const AppState& state, int matrix, int row) {
    viz::Pick pick;
    pick.kind = Kind::element, pick.matrix = static_cast<int8_t>(matrix);
    pick.row = row, pick.col = 0;
    return traffic_words(state, pick);
  };
  for (const KernelEntry& kernel : kernel_table()) {
    const AppState state = at_default(kernel);
    const bool shared = state.derived.plan.stages() > 0;
    EXPECT_EQ(words(state, Kind::warp).empty(), !shared) << kernel.info.id;
    EXPECT_EQ(words(state, Kind::stage).empty(), !shared) << kernel.info.id;
    EXPECT_EQ(words(state, Kind::mma).empty(), state.derived.plan.math() != Math::mma);
    EXPECT_NE(element(state, 0, 0).find(shared ? "from shared memory" : "the L1 has it"),
              std::string::npos);
    EXPECT_NE(element(state, 2, 0).find("to the L2"), std::string::npos);
    EXPECT_EQ(element(state, 0, state.edit.problem.m), "") << "outside the matrix";
  }
  // 4096 / 128 tiles; each of 2 × 2 warps reads its rows by ldmatrix.
  EXPECT_EQ(element(at_default(*find_kernel("mma_multistage")), 0, 0),
            "feeds 4,096 outputs: row 0 of C\n"
            "32 CTAs fetch it from the L2; each reads it 2 times from shared memory");
}

TEST(NotesSheet, EveryRowSetsSliders) {
  for (const NotesTable& table : notes_tables()) {
    for (const model::Count count : {model::Count::elements, model::Count::bytes}) {
      const NotesSheet sheet = table.sheet(count);
      ASSERT_FALSE(sheet.rows.empty());
      for (const NotesRow& row : sheet.rows) {
        EXPECT_EQ(row.cells.size(), sheet.heads.size());
        AppState state = at_default(*kernel_table().begin());
        go_to(state, row);
        EXPECT_FALSE(state.said.empty());
        if (row.problem.m > 0) {
          EXPECT_EQ(state.edit.problem.m, row.problem.m);
        }
        if (state.said.find("Nearest") == std::string::npos) {
          EXPECT_TRUE(stands_at(state, row)) << row.cells[0] << " " << row.cells[1];
        }
      }
    }
  }
}

TEST(NotesSheet, ARowOfTheSharedTableIsTheTile) {
  AppState state = at_default(*find_kernel("mma_multistage"));
  const NotesSheet sheet = notes_tables()[1].sheet(model::Count::elements);
  const auto row = std::find_if(sheet.rows.begin(), sheet.rows.end(), [](const NotesRow& r) {
    return r.cells[1] == "128×128×32" && r.cells[0] == "64×64×32";
  });
  ASSERT_NE(row, sheet.rows.end());
  go_to(state, *row);
  EXPECT_EQ(state.edit.rung().tile.block_m, 128);
  EXPECT_EQ(state.edit.rung().tile.block_k, 32);
  EXPECT_EQ(state.edit.rung().tile.warp_m, 64);
  EXPECT_TRUE(stands_at(state, *row));
}

}  // namespace
}  // namespace tilescope

// The accesses of a launch by element: windows, cells and touches against a plain walk over all
// lanes and bytes; and what is shown is of the present choice.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>

#include "app/features/access/access_picture.h"
#include "app/features/access/access_view.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/present_launch.h"
#include "viz/scene/scene.h"

namespace tilescope {
namespace {

using worker::AccessAnswer;
using worker::AccessBuffer;
using worker::AccessPattern;
using worker::AccessRecord;

constexpr uint64_t kFirstBuffer = uint64_t{1} << 40;

/// Buffers of any shape, and accesses to places in and behind them.
AccessAnswer random_answer(std::mt19937& random) {
  const auto below = [&](uint32_t n) { return random() % n; };
  AccessAnswer a;
  a.warps = 1 + below(8);
  a.shared_bytes = below(3) == 0 ? 0 : 128 * (1 + below(8)) + 4 * below(8);
  const uint32_t buffers = 1 + below(3);
  for (uint32_t i = 0; i < buffers; ++i) {
    AccessBuffer b;
    b.name = std::string(1, static_cast<char>('A' + i));
    b.address = kFirstBuffer * (i + 1);
    b.element_bytes = 1u << below(4);
    b.rows = 1 + below(40), b.cols = 1 + below(40);
    b.by_columns = below(2) == 1;
    b.line = (b.by_columns ? b.rows : b.cols) + below(3) * below(9);
    b.first = b.element_bytes * below(5);
    b.bytes = b.first + b.line * (b.by_columns ? b.cols : b.rows) * b.element_bytes;
    b.shaped = below(2) == 1;
    a.buffers.push_back(b);
  }
  for (int i = 0; i < 6; ++i) a.instructions.push_back({.ptx_line = 10 + i, .line = 3 + i / 2});
  for (int i = 0; i < 12; ++i) {
    AccessPattern p;
    p.lanes = random() | 1u;
    p.bytes = 1u << below(5);
    const uint32_t kind = below(4);
    for (size_t lane = 0; lane < 32; ++lane) {
      if ((p.lanes >> lane & 1u) == 0) continue;
      const auto step = static_cast<int64_t>(p.bytes);
      const auto n = static_cast<int64_t>(lane);
      p.difference[lane] = kind == 0   ? n * step
                           : kind == 1 ? n / 4 * step
                           : kind == 2 ? n * step * 5
                                       : static_cast<int64_t>(below(300)) * step;
    }
    a.patterns.push_back(p);
  }
  for (int i = 0; i < 200; ++i) {
    AccessRecord r;
    const bool shared = a.shared_bytes > 0 && below(3) == 0;
    r.pattern = below(12);
    const uint32_t bytes = a.patterns[r.pattern].bytes;
    r.address = shared ? below(static_cast<uint32_t>(a.shared_bytes)) / bytes * bytes
                       : kFirstBuffer * (1 + below(buffers)) + below(4000) / bytes * bytes;
    r.moment = static_cast<uint32_t>(i / 3), r.step = static_cast<uint32_t>(i);
    r.warp = static_cast<uint16_t>(below(a.warps));
    r.instruction = below(6);
    r.flags = static_cast<uint16_t>((shared ? AccessRecord::kShared : 0) |
                                    (below(2) ? AccessRecord::kReads : AccessRecord::kWrites));
    r.cost = static_cast<uint16_t>(1 + below(32)), r.ideal = static_cast<uint16_t>(1 + below(4));
    a.records.push_back(r);
  }
  a.moments = 67;
  return a;
}

AccessFilter random_filter(std::mt19937& random) {
  AccessFilter f;
  if (random() % 2) f.from = random() % 60, f.to = f.from + 1 + random() % 30;
  f.reads = random() % 3 != 0, f.writes = !f.reads || random() % 2 == 0;
  return f;
}

/// Of one element: (record, lane), each touch of a lane once.
using Touches = std::map<std::pair<uint64_t, uint64_t>, std::vector<std::pair<size_t, unsigned>>>;
Touches walk(const AccessData& data, size_t matrix, const AccessFilter& f) {
  Touches touches;
  const AccessBuffer& m = data.matrices[matrix];
  for (size_t i = 0; i < data.answer.records.size(); ++i) {
    const AccessRecord& r = data.answer.records[i];
    if (r.moment < f.from || r.moment >= f.to) continue;
    if (!((r.reads() && f.reads) || (r.writes() && f.writes))) continue;
    if (r.shared() != data.is_shared(matrix)) continue;
    if (!r.shared() && r.address >> 40 != m.address >> 40) continue;
    const AccessPattern& p = data.answer.patterns[r.pattern];
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((p.lanes >> lane & 1u) == 0) continue;
      std::set<std::pair<uint64_t, uint64_t>> elements;
      for (uint32_t byte = 0; byte < p.bytes; ++byte) {
        const auto at = static_cast<int64_t>(r.address - (r.shared() ? 0 : m.address)) +
                        p.difference[lane] + byte - static_cast<int64_t>(m.first);
        if (at < 0) continue;
        const uint64_t element = static_cast<uint64_t>(at) / m.element_bytes;
        const uint64_t line = element / m.line, along = element % m.line;
        const uint64_t row = m.by_columns ? along : line, col = m.by_columns ? line : along;
        if (row < m.rows && col < m.cols) elements.insert({row, col});
      }
      for (const auto& e : elements) touches[e].emplace_back(i, lane);
    }
  }
  return touches;
}

TEST(Access, CellsAreWhatAWalkOverAllLanesFinds) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const auto shared = std::make_shared<const AccessData>(random_answer(random));
    const AccessData& data = *shared;
    for (size_t matrix = 0; matrix < data.matrices.size(); ++matrix) {
      const AccessBuffer& m = data.matrices[matrix];
      const AccessFilter filter = random_filter(random);
      const Touches touches = walk(data, matrix, filter);
      AccessWindow all{~0ull, ~0ull, 0, 0};
      for (const auto& [at, list] : touches) {
        all.row = std::min(all.row, at.first), all.col = std::min(all.col, at.second);
        all.rows = std::max(all.rows, at.first + 1), all.cols = std::max(all.cols, at.second + 1);
      }
      if (touches.empty()) all = {};
      if (!touches.empty()) all.rows -= all.row, all.cols -= all.col;
      ASSERT_EQ(touched_window(data, matrix, filter), all) << "seed " << seed;

      AccessWindow w{random() % m.rows, random() % m.cols, 0, 0};
      w.rows = 1 + random() % (m.rows - w.row), w.cols = 1 + random() % (m.cols - w.col);
      const AccessLight light{.instructions = {static_cast<uint32_t>(random() % 6)}};
      AccessWalk walk_over({shared, matrix, filter, light, w, static_cast<int>(1 + random() % 30),
                            static_cast<int>(1 + random() % 30)});
      // A part at a time comes to the same.
      for (int part = 0; part < 3 && random() % 2; ++part) walk_over.go_on({});
      walk_over.finish();
      EXPECT_TRUE(walk_over.is_done());
      const AccessCells& cells = walk_over.cells();
      ASSERT_GE(cells.per_row * static_cast<uint64_t>(cells.rows), w.rows);
      std::map<std::pair<uint64_t, uint64_t>, std::tuple<uint32_t, size_t, bool>> expected;
      for (const auto& [at, list] : touches) {
        const uint64_t i = at.first - w.row, j = at.second - w.col;
        if (at.first < w.row || at.second < w.col || i >= w.rows || j >= w.cols) continue;
        auto& [count, last, lit] = expected[{i / cells.per_row, j / cells.per_col}];
        for (const auto& [record, lane] : list) {
          ++count, last = std::max(last, record + 1);
          lit = lit || is_lit(light, data.answer.records[record]);
        }
      }
      for (int row = 0; row < cells.rows; ++row) {
        for (int col = 0; col < cells.cols; ++col) {
          const auto& cell = cells.cells[static_cast<size_t>(row * cells.cols + col)];
          const auto& [count, last, lit] =
              expected[{static_cast<uint64_t>(row), static_cast<uint64_t>(col)}];
          ASSERT_EQ(std::tuple(cell.touches, cell.last, cell.lit),
                    std::tuple(count, static_cast<uint32_t>(last), lit))
              << "seed " << seed << ", matrix " << matrix << ", cell " << row << "," << col;
        }
      }
    }
  }
}

TEST(Access, TouchesOfAnElementAreWhatAWalkFinds) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const AccessData data(random_answer(random));
    const size_t matrix = random() % data.matrices.size();
    const AccessFilter filter = random_filter(random);
    Touches touches = walk(data, matrix, filter);
    const AccessBuffer& m = data.matrices[matrix];
    for (int i = 0; i < 30; ++i) {
      const uint64_t row = random() % m.rows, col = random() % m.cols;
      const ElementTouches t = touches_of(data, matrix, row, col, filter);
      uint64_t reads = 0, writes = 0;
      std::map<uint32_t, uint32_t> readers;
      std::set<size_t> records;
      for (const auto& [record, lane] : touches[{row, col}]) {
        const AccessRecord& r = data.answer.records[record];
        reads += r.reads(), writes += r.writes();
        if (r.reads()) readers[r.warp] |= 1u << lane;
        records.insert(record);
      }
      EXPECT_EQ(std::pair(t.reads, t.writes), std::pair(reads, writes)) << "seed " << seed;
      EXPECT_EQ(t.warp_reads + t.warp_writes, records.size());
      EXPECT_EQ(t.first, records.empty() ? -1 : static_cast<int64_t>(*records.begin()));
      EXPECT_EQ(t.last, records.empty() ? -1 : static_cast<int64_t>(*records.rbegin()));
      EXPECT_TRUE(std::ranges::equal(t.readers, readers, [](const auto& a, const auto& b) {
        return a.first == b.first && a.second == b.second;
      }));
      if (!records.empty()) {
        EXPECT_NE(element_words(data, {matrix, row, col}, filter).find("first: "),
                  std::string::npos);
      }
    }
  }
}

TEST(Access, WindowsStayInTheirMatrix) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    AccessBuffer m;
    m.rows = 1 + random() % 5000, m.cols = 1 + random() % 5000;
    AccessWindow w{0, 0, m.rows, m.cols};
    for (int step = 0; step < 20; ++step) {
      const AccessWindow before = w;
      const double row = static_cast<double>(w.row + random() % w.rows);
      const double col = static_cast<double>(w.col + random() % w.cols);
      const double factor = random() % 2 ? 0.7 : 1 / 0.7;
      w = zoomed(m, w, factor, row, col);
      EXPECT_TRUE(factor > 1 ? w.rows >= before.rows : w.rows <= before.rows);
      w = moved(m, w, static_cast<int64_t>(random() % 200) - 100,
                static_cast<int64_t>(random() % 200) - 100);
      ASSERT_GE(w.rows, std::min<uint64_t>(m.rows, 4));
      ASSERT_LE(w.row + w.rows, m.rows);
      ASSERT_LE(w.col + w.cols, m.cols);
    }
  }
}

AppState with_answer(std::mt19937& random) {
  AppState state = initial_state();
  open_own_kernel(state, {"/some/kernel.cu", "{}"});
  worker::LaunchRequest launch;
  launch.grid = {4, 3, 2};
  confirm_launch(state, launch);
  take_accesses(state.of<AccessView>(), *access_question(state), random_answer(random));
  return state;
}

TEST(Access, IsOfThePresentChoiceAlone) {
  std::mt19937 random(1);
  AppState state = with_answer(random);
  EXPECT_TRUE(present_accesses(state));
  EXPECT_EQ(access_grid(state), (BlockIndex{4, 3, 2}));
  AccessView& view = state.of<AccessView>();
  const BlockIndex first = chosen_block(state);
  select_cta(state, {first.y, first.x == 0 ? 1 : 0});
  EXPECT_FALSE(present_accesses(state)) << "another CTA";
  select_cta(state, {first.y, first.x}, first.z);
  view.whole_grid = true;
  EXPECT_FALSE(present_accesses(state)) << "all of them";
  view.whole_grid = false;
  EXPECT_TRUE(present_accesses(state));
  confirm_launch(state, *state.own_launch);
  EXPECT_FALSE(present_accesses(state)) << "run again";
  EXPECT_NE(access_question(state), std::nullopt);
  open_own_kernel(state, {"/some/other.ptx", ""});
  EXPECT_FALSE(state.own_launch) << "another file";
  EXPECT_EQ(access_question(state), std::nullopt);
  EXPECT_NE(why_no_accesses(state).find("Launch sheet"), std::string::npos);
  leave_own_kernel(state);
  EXPECT_FALSE(present_accesses(state));
  EXPECT_NE(why_no_accesses(state), "");
}

// Whatever is chosen of whatever was answered: a picture whose texts have room.
TEST(Access, ThePictureBearsAnything) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    AppState state = with_answer(random);
    AccessView& view = state.of<AccessView>();
    view.mode = static_cast<int>(random() % 4);
    const auto data = present_accesses(state);
    ASSERT_TRUE(data);
    view.first = static_cast<int>(random() % 5);
    if (random() % 2) {
      const uint32_t from = random() % 60;
      brush(state, span_of_moments(*data, from, from + 1 + random() % 9));
    } else if (random() % 4 == 0) {
      brush(state, {{{1000, 1001}}});  // where nothing is touched
    }
    const size_t matrix = random() % data->matrices.size();
    const AccessBuffer& m = data->matrices[matrix];
    const AccessElement element{matrix, random() % m.rows, random() % m.cols};
    if (random() % 2) view.hovered = element;
    if (random() % 2) choose_element(state, element);
    view.windows[matrix] = AccessWindow{0, 0, m.rows, m.cols};
    AccessPicture maker;
    for (const viz::Size size : {viz::Size{1200, 500}, {700, 260}, {300, 150}, {130, 75}}) {
      const viz::AccessState picture = maker.make(state, data, size);
      const viz::AccessState again = maker.make(state, data, size);
      EXPECT_EQ(picture, again);
      const viz::Scene scene =
          viz::build_access(picture, viz::dark_palette(), viz::FixedMeasure(), size);
      for (const viz::TextProblem& problem : viz::find_text_problems(scene)) {
        ADD_FAILURE() << "seed " << seed << ", " << size.w << "×" << size.h << ": "
                      << to_string(problem);
      }
    }
  }
}

// A stretch of the bar is the accesses at its moments and no others, by their steps alone.
TEST(Access, ABrushedStretchIsTheAccessesAtItsMoments) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    AppState state = with_answer(random);
    const auto data = present_accesses(state);
    EXPECT_EQ(access_filter(state, *data).to, ~0u);
    EXPECT_EQ(accesses_of(*data, access_filter(state, *data)), data->answer.records.size());
    const uint32_t from = random() % 66, to = from + 1 + random() % 20;
    brush(state, span_of_moments(*data, from, to));
    const AccessFilter f = access_filter(state, *data);
    uint32_t least = ~0u, most = 0;
    size_t count = 0;
    for (const AccessRecord& r : data->answer.records) {
      const bool inside = r.moment >= from && r.moment < to;
      ASSERT_EQ(f.has(r), inside) << "seed " << seed << ", moment " << r.moment;
      if (!inside) continue;
      least = std::min(least, r.moment), most = std::max(most, r.moment), ++count;
    }
    EXPECT_EQ(std::pair(f.from, f.to), std::pair(least, most + 1));
    EXPECT_EQ(accesses_of(*data, f), count);
    EXPECT_NE(brush_words(*data, f).find(std::to_string(count) + " accesses"), std::string::npos);
  }
}

TEST(Access, WhereNothingIsTouchedTheBrushSaysSo) {
  std::mt19937 random(2);
  AppState state = with_answer(random);
  const auto data = present_accesses(state);
  const uint32_t end = data->answer.records.back().step + 1;
  brush(state, {{{end, end + 5}}});
  const AccessFilter f = access_filter(state, *data);
  EXPECT_EQ(std::pair(f.from, f.to), std::pair(data->answer.moments, data->answer.moments));
  EXPECT_EQ(brush_words(*data, f), "nothing is touched in what is brushed");
  const viz::AccessState picture = AccessPicture().make(state, data, {900, 400});
  for (const viz::AccessMatrix& m : picture.matrices) {
    EXPECT_EQ(m.none, "not touched in this stretch");
  }
  // Of the bar there is always something to hold.
  brush(state, span_of_moments(*data, data->answer.moments + 7, data->answer.moments + 8));
  EXPECT_GT(accesses_of(*data, access_filter(state, *data)), 0u);
}

// Of several CTAs, which come to a step at different moments, each has the steps that are brushed.
TEST(Access, OfAGridABrushHasTheStepsOfEachCta) {
  std::mt19937 random(5);
  AccessAnswer answer = random_answer(random);
  answer.whole_grid = true;
  for (AccessRecord& r : answer.records) r.cta = random() % 3, r.step = r.moment / 2 + r.cta;
  AppState state = with_answer(random);
  state.of<AccessView>().whole_grid = true;
  take_accesses(state.of<AccessView>(), *access_question(state), std::move(answer));
  const auto data = present_accesses(state);
  ASSERT_TRUE(data);
  brush(state, {{{3, 9}, {3, 9}, {3, 9}, {3, 9}, {3, 9}, {3, 9}, {3, 9}, {3, 9}}});
  const AccessFilter f = access_filter(state, *data);
  size_t count = 0;
  for (const AccessRecord& r : data->answer.records) {
    ASSERT_EQ(f.has(r), r.step >= 3 && r.step < 9);
    if (!f.has(r)) continue;
    ++count;
    EXPECT_GE(r.moment, f.from);
    EXPECT_LT(r.moment, f.to);
  }
  EXPECT_GT(count, 0u);
  EXPECT_EQ(accesses_of(*data, f), count);
}

TEST(Access, WhatIsMarkedInTheCodeIsLit) {
  std::mt19937 random(3);
  AppState state = with_answer(random);
  const auto data = present_accesses(state);
  bool dims = false;
  EXPECT_FALSE(access_light(state, *data, &dims).any());
  choose_instruction(state, data->answer.instructions[2]);
  EXPECT_EQ(linked_code(state), (CodeLink{4, 12}));
  const AccessLight light = access_light(state, *data, &dims);
  EXPECT_EQ(light.instructions, std::vector<uint32_t>{2});
  EXPECT_TRUE(dims);
  link_code(state, CodeText::kernel, 4);  // a line of the source has two of them
  EXPECT_EQ(access_light(state, *data, &dims).instructions, (std::vector<uint32_t>{2, 3}));
}

}  // namespace
}  // namespace tilescope

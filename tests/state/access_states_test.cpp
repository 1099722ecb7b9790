// What Access shows where there is little, much or nothing to show: a right picture, or one
// sentence that says why and what to do.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/features/access/access_picture.h"
#include "app/features/access/access_view.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "viz/scene/scene.h"

namespace tilescope {
namespace {

using worker::AccessAnswer;
using worker::AccessBuffer;
using worker::AccessRecord;

constexpr uint64_t kFirst = uint64_t{1} << 40;
constexpr viz::Size kSizes[] = {{1240, 560}, {600, 300}, {300, 180}, {130, 75}};

/// One sentence: it ends, and once.
void expect_sentence(const std::string& text) {
  EXPECT_TRUE(text.ends_with(".") || text.ends_with("…")) << text;
  EXPECT_EQ(text.find(". "), std::string::npos) << text;
}

/// Without an answer the picture is that sentence alone.
void expect_why(const AppState& state, const char* part) {
  const std::string why = why_no_accesses(state);
  expect_sentence(why);
  EXPECT_NE(why.find(part), std::string::npos) << why;
  const viz::AccessState picture = AccessPicture().make(state, present_accesses(state), kSizes[0]);
  EXPECT_TRUE(picture.matrices.empty());
  EXPECT_EQ(picture.what, why);
}

TEST(AccessStates, WithoutAnswersASentenceSaysWhy) {
  AppState state = initial_state();
  expect_why(state, "being compiled");  // nothing has run yet
  state.results.edit_serial = state.edit_serial;
  state.results.error = "line 3: expected a ';'", state.results.stage = Stage::failed;
  expect_why(state, "Live benchmark says why");  // it does not compile, or there is no worker
  set_tile_field(state, TileFieldId::stages, 8);
  ASSERT_FALSE(state.derived.legal());
  expect_why(state, "nearest legal");
  open_own_kernel(state, {"/some/kernel.cu", ""});
  expect_why(state, "Once Launch sheet says");  // without a sheet
  open_own_kernel(state, {"/some/kernel.cu", R"({"entry": "k", "args": ["?"]})"});
  expect_why(state, "Launch sheet says why");  // with one that cannot run yet
}

/// A launch of one's own whose accesses these are.
AppState with(AccessAnswer answer) {
  AppState state = initial_state();
  open_own_kernel(state, {"/some/kernel.cu", "{}"});
  confirm_launch(state, {});
  take_accesses(state.of<AccessView>(), *access_question(state), std::move(answer));
  return state;
}

AccessBuffer words(const char* name, uint64_t number, uint64_t rows, uint64_t cols) {
  AccessBuffer b;
  b.name = name, b.address = kFirst * (number + 1), b.type = "f32";
  b.rows = rows, b.cols = b.line = cols, b.bytes = rows * cols * 4, b.shaped = true;
  return b;
}

/// One warp reads 32 words from each of these on.
AccessAnswer reads(std::vector<AccessBuffer> buffers, const std::vector<uint64_t>& from) {
  AccessAnswer a;
  a.warps = 1, a.grid = {1, 1, 1};
  a.buffers = std::move(buffers);
  a.instructions = {{.ptx_line = 20, .line = 7, .opcode = "ld.global.f32"}};
  worker::AccessPattern& p = a.patterns.emplace_back();
  p.lanes = ~0u, p.bytes = 4;
  for (size_t lane = 0; lane < 32; ++lane) p.difference[lane] = static_cast<int64_t>(lane) * 4;
  for (const uint64_t word : from) {
    AccessRecord& r = a.records.emplace_back();
    r.address = kFirst + word * 4;
    r.step = r.moment = a.moments++;
    r.flags = AccessRecord::kReads, r.cost = r.ideal = 4;
  }
  return a;
}

/// The first matrix of the picture, once all its texts have room at each size.
viz::AccessMatrix clean_picture(const AppState& state) {
  const auto data = present_accesses(state);
  for (const viz::Size size : kSizes) {
    const viz::Scene scene = viz::build_access(AccessPicture().make(state, data, size),
                                               viz::dark_palette(), viz::FixedMeasure(), size);
    for (const viz::TextProblem& problem : viz::find_text_problems(scene)) {
      ADD_FAILURE() << size.w << "×" << size.h << ": " << to_string(problem);
    }
  }
  return AccessPicture().make(state, data, kSizes[0]).matrices.at(0);
}

int painted(const viz::AccessMatrix& m) {
  return m.cells ? static_cast<int>(std::ranges::count(*m.cells, uint32_t{0})) : 0;
}

TEST(AccessStates, SkinnyMatricesAreRowsAndColumnsOfCells) {
  const viz::AccessMatrix row = clean_picture(with(reads({words("x", 0, 1, 64)}, {0, 32})));
  EXPECT_EQ(std::pair(row.cell_rows, row.cell_cols), std::pair(1, 64));
  EXPECT_EQ(painted(row), 2);  // lane 0 of either read
  const viz::AccessMatrix column = clean_picture(with(reads({words("x", 0, 64, 1)}, {0, 32})));
  EXPECT_EQ(std::pair(column.cell_rows, column.cell_cols), std::pair(64, 1));
  EXPECT_EQ(painted(column), 2);
  const viz::AccessMatrix one = clean_picture(with(reads({words("x", 0, 1, 1)}, {0})));
  EXPECT_EQ(std::pair(one.cell_rows, one.cell_cols), std::pair(1, 1));
}

TEST(AccessStates, HugeMatricesAreAsManyCellsAsThereArePixels) {
  constexpr uint64_t kMany = 1'000'000;
  const struct { uint64_t rows, cols; } shapes[] = {{4096, 4096}, {1, kMany}, {kMany, 1}};
  for (const auto& [rows, cols] : shapes) {
    SCOPED_TRACE(std::to_string(rows) + "×" + std::to_string(cols));
    AppState state = with(reads({words("x", 0, rows, cols)}, {0, rows * cols - 32}));
    const viz::AccessMatrix m = clean_picture(state);
    // Both ends are touched, so all of it is shown.
    EXPECT_EQ(m.shown_rows, static_cast<long long>(rows));
    EXPECT_EQ(m.shown_cols, static_cast<long long>(cols));
    EXPECT_LE(m.cell_rows, 600);
    EXPECT_LE(m.cell_cols, 1240);
    ASSERT_TRUE(m.cells);
    EXPECT_NE(m.cells->front(), m.cells->at(m.cells->size() / 2));
    EXPECT_EQ(m.type,
              std::string("f32[") + std::to_string(rows) + "," + std::to_string(cols) + "]");
    const AccessElement last{0, rows - 1, cols - 1};
    EXPECT_NE(element_words(*present_accesses(state), last, {}).find("lane 31"), std::string::npos);
  }
}

TEST(AccessStates, ABufferThatNoLaneTouchesIsNamed) {
  AppState state = with(reads({words("x", 0, 8, 8), words("bias", 1, 1, 8)}, {0}));
  const auto data = present_accesses(state);
  EXPECT_EQ(shown_matrices(state.of<AccessView>(), *data, kSizes[0]), std::vector<size_t>{0});
  EXPECT_NE(access_words(*data).find("bias is not touched"), std::string::npos)
      << access_words(*data);
  state = with(reads({words("x", 0, 8, 8), words("y", 1, 1, 8), words("z", 2, 1, 8)}, {0}));
  EXPECT_NE(access_words(*present_accesses(state)).find("y and 1 more are not touched"),
            std::string::npos);
  EXPECT_EQ(
      access_words(*present_accesses(with(reads({words("x", 0, 8, 8)}, {0})))).find("touched"),
      std::string::npos);
  // Nor does anything: there is no matrix to show, and none to choose an element of.
  state = with(reads({words("x", 0, 8, 8)}, {}));
  EXPECT_TRUE(present_accesses(state)->touched.empty());
  EXPECT_TRUE(AccessPicture().make(state, present_accesses(state), kSizes[0]).matrices.empty());
}

}  // namespace
}  // namespace tilescope

// The scene itself: picking, shortening, the dump, and the check of texts.
#include <gtest/gtest.h>

#include "tests/viz/scene_checks.h"
#include "viz/scene/builder.h"
#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace {

TEST(Scene, TopmostPrimitiveIsPicked) {
  SceneBuilder b({100, 100}, dark_palette(), kMeasure);
  Pick low, high;
  low.kind = high.kind = Pick::Kind::lane;
  low.lane = 1, high.lane = 2;
  b.rect({10, 10, 50, 50}, rgb(0xff0000));
  b.pickable(low);
  b.rect({30, 30, 50, 50}, rgb(0x00ff00));
  b.pickable(high);
  b.rect({0, 0, 100, 100}, rgb(0x0000ff));  // not pickable: the pointer sees through it
  const Scene scene = b.finish();
  EXPECT_EQ(pick(scene, 20, 20)->lane, 1);
  EXPECT_EQ(pick(scene, 40, 40)->lane, 2);
  EXPECT_FALSE(pick(scene, 95, 95).has_value());
}

TEST(Scene, ClipHidesFromThePointer) {
  SceneBuilder b({100, 100}, dark_palette(), kMeasure);
  b.push_clip({0, 0, 20, 20});
  Pick p;
  p.kind = Pick::Kind::lane, p.lane = 3;
  b.rect({0, 0, 100, 100}, rgb(0xffffff));
  b.pickable(p);
  b.pop_clip();
  const Scene scene = b.finish();
  EXPECT_TRUE(pick(scene, 10, 10).has_value());
  EXPECT_FALSE(pick(scene, 50, 50).has_value());
}

TEST(Scene, EveryCellOfAGridIsPickedAtItsCentre) {
  for (const Size size : {Size{130, 70}, Size{64, 64}, Size{33, 301}}) {
    SceneBuilder b(size, dark_palette(), kMeasure);
    CellGrid grid;
    grid.box = {3, 5, size.w - 7, size.h - 9};
    grid.columns = 13, grid.rows = 11;
    grid.color = CellColor::solid;
    grid.cells.assign(13 * 11, 0);
    grid.pick_mode = CellPick::element;
    grid.pick.kind = Pick::Kind::element;
    grid.pick.row = 100, grid.pick.col = 200;
    const CellGrid copy = grid;
    b.cells(std::move(grid));
    const Scene scene = b.finish();
    for (int row = 0; row < 11; ++row) {
      for (int col = 0; col < 13; ++col) {
        const Box box = cell_box(copy, row, col);
        const auto found = pick(scene, box.x + box.w / 2, box.y + box.h / 2);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->row, 100 + row);
        EXPECT_EQ(found->col, 200 + col);
      }
    }
  }
}

TEST(Scene, TextIsShortenedAndRemembersTheWhole) {
  SceneBuilder b({200, 50}, dark_palette(), kMeasure);
  b.text(0, 10, "a rather long sentence", {rgb(0xffffff), 10, Weight::regular, Align::left, 60});
  const Scene scene = b.finish();
  const Text& text = std::get<Text>(scene.primitives.front().shape);
  EXPECT_LE(text.width, 60);
  EXPECT_EQ(text.full, "a rather long sentence");
  EXPECT_EQ(text.string.substr(text.string.size() - 3), "…");
}

TEST(Scene, AShorterChoiceRemembersTheWhole) {
  SceneBuilder b({400, 100}, dark_palette(), kMeasure);
  TextStyle style{rgb(0xffffff), 11};
  style.max_width = 60;
  b.text_that_fits(0, 10, {"rows 192 to 255", "row 192"}, style);
  style.max_width = 300;
  b.text_that_fits(0, 30, {"rows 192 to 255", "row 192"}, style);
  const Scene scene = b.finish();
  const Text& brief = std::get<Text>(scene.primitives.at(0).shape);
  EXPECT_EQ(brief.string, "row 192");
  EXPECT_EQ(brief.full, "rows 192 to 255");
  const Text& whole = std::get<Text>(scene.primitives.at(1).shape);
  EXPECT_EQ(whole.string, "rows 192 to 255");
  EXPECT_EQ(whole.full, "");
}

TEST(Scene, ShorteningDoesNotCutCharacters) {
  SceneBuilder b({200, 50}, dark_palette(), kMeasure);
  b.text(0, 10, "××××××××××", {rgb(0xffffff), 10, Weight::regular, Align::left, 20});
  const Scene scene = b.finish();
  const std::string& s = std::get<Text>(scene.primitives.front().shape).string;
  EXPECT_EQ(s, "××…");
}

TEST(Scene, ProblemsOfTextsAreFound) {
  SceneBuilder b({100, 40}, dark_palette(), kMeasure);
  b.text(2, 10, "first", {rgb(0xffffff), 10});
  b.text(10, 12, "second", {rgb(0xffffff), 10});
  b.text(90, 30, "leaves", {rgb(0xffffff), 10});
  const std::vector<TextProblem> problems = find_text_problems(b.finish());
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].kind, TextProblem::Kind::clipped);
  EXPECT_EQ(problems[1].kind, TextProblem::Kind::overlap);
}

TEST(Scene, DumpIsStable) {
  SceneBuilder b({50, 40}, dark_palette(), kMeasure);
  b.rect({1, 2, 3, 4}, rgb(0x102030));
  b.text(5, 6, "hi", {rgb(0xffffff), 10, Weight::mono});
  EXPECT_EQ(to_text(b.finish()),
            "scene 50x40\n"
            "rect 1.0,2.0 3.0x4.0 fill #102030\n"
            "text 5.0,6.0 left 10.0 mono color #ffffff \"hi\"\n");
}

TEST(Palette, InkStandsOutOnEveryLane) {
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    for (int lane = 0; lane < 32; ++lane) {
      const Color ground = palette->lane(lane), ink = ink_on(ground);
      const float a = luminance(ground) + 0.05f, b = luminance(ink) + 0.05f;
      EXPECT_GE(std::max(a, b) / std::min(a, b), 4.5f) << lane;
    }
  }
}

TEST(Palette, TextsOfAllRolesAreReadable) {
  for (const Palette* p : {&dark_palette(), &light_palette()}) {
    for (Color ink : {p->text, p->dim, p->warning, p->ok, p->a_text, p->b_text, p->c_text}) {
      const float a = luminance(p->panel) + 0.05f, b = luminance(ink) + 0.05f;
      EXPECT_GE(std::max(a, b) / std::min(a, b), 4.5f);
    }
  }
}

TEST(Numbers, AreGroupedAndShort) {
  EXPECT_EQ(grouped(232448), "232,448");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(figure(309.21), "309.2");
  EXPECT_EQ(figure(1896.3), "1,896");
  EXPECT_EQ(range_text(464, 479), "464–479");
  EXPECT_EQ(range_text(7, 7), "7");
}

float ratio(Color x, Color y) {
  const float a = luminance(x) + 0.05f, b = luminance(y) + 0.05f;
  return std::max(a, b) / std::min(a, b);
}

TEST(Palette, AllThatIsReadStandsOutFromAllThatIsBelowIt) {
  for (const Palette* p :
       {&dark_palette(), &light_palette(), &contrast_palette(true), &contrast_palette(false)}) {
    std::vector<Color> grounds = {hovered_ground(*p), popup_ground(*p)};
    for (const auto ground : kGrounds) grounds.push_back(p->*ground);
    for (const auto read : kReads) {
      for (const Color& ground : grounds) {
        EXPECT_GE(ratio(p->*read, ground), kReadable)
            << (p->dark ? "dark" : "light") << ", ground " << &ground - grounds.data();
      }
    }
  }
}

TEST(Palette, MoreContrastReachesAllThatIsRead) {
  for (const bool dark : {true, false}) {
    const Palette& more = contrast_palette(dark);
    const Palette& usual = dark ? dark_palette() : light_palette();
    EXPECT_GE(ratio(more.text, more.panel), 15);
    for (const auto read : {&Colors::dim, &Colors::faint, &Colors::accent, &Colors::warning,
                            &Colors::ok, &Colors::a_text, &Colors::b_text, &Colors::c_text}) {
      EXPECT_GE(ratio(more.*read, more.panel), 7) << dark;  // WCAG 2.1, AAA
      EXPECT_GT(ratio(more.*read, more.panel), ratio(usual.*read, usual.panel));
    }
    EXPECT_GE(ratio(more.border, more.panel), 2);
  }
}

}  // namespace
}  // namespace tilescope::viz

// The widgets' colours and the scenes' are two tables, because viz may not include app: they agree.
#include "app/theme.h"

#include <gtest/gtest.h>

#include "viz/scene/palette.h"

namespace tilescope {
namespace {

void expect_same(const Theme& theme, const viz::Palette& palette) {
  const auto same = [](Color a, viz::Color b) { return a.r == b.r && a.g == b.g && a.b == b.b; };
  EXPECT_TRUE(same(theme.panel, palette.panel));
  EXPECT_TRUE(same(theme.text, palette.text));
  EXPECT_TRUE(same(theme.dim, palette.dim));
  EXPECT_TRUE(same(theme.accent, palette.accent));
  EXPECT_TRUE(same(theme.warning, palette.warning));
  EXPECT_TRUE(same(theme.ok, palette.ok));
  EXPECT_TRUE(same(theme.a, palette.a));
  EXPECT_TRUE(same(theme.b, palette.b));
  EXPECT_TRUE(same(theme.c, palette.c));
  EXPECT_TRUE(same(theme.copy, palette.copy));
  EXPECT_TRUE(same(theme.ldmatrix, palette.load));
  EXPECT_TRUE(same(theme.mma, palette.mma));
  EXPECT_TRUE(same(theme.store, palette.store));
}

TEST(Theme, WidgetsAndScenesShareTheirColours) {
  expect_same(kDarkTheme, viz::dark_palette());
  expect_same(kLightTheme, viz::light_palette());
}

}  // namespace
}  // namespace tilescope

// What the page writes files with, which has no cairo: PDF as operators, text as the fonts'
// outlines.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "page/vector/font_outlines.h"
#include "tests/viz/example_states.h"
#include "viz/vector/pdf_text.h"
#include "viz/vector/svg_text.h"

namespace tilescope::viz {
namespace {

const web::FontOutlines& fonts() {
  static const web::FontOutlines all(TILESCOPE_TEST_FONTS);
  return all;
}

std::vector<Scene> scenes_of_kernels() {
  std::vector<Scene> scenes;
  for (const KernelEntry& kernel : kernel_table()) {
    scenes.push_back(
        build_tiling(example_tiling(kernel.info.id), dark_palette(), fonts(), {900, 500}));
    scenes.push_back(
        build_fragment(example_fragment(kernel.info.id), light_palette(), fonts(), {495, 652}));
  }
  return scenes;
}

TEST(PlainFiles, TextIsAsWideAsCairoMakesIt) {
  const CairoMeasure cairo;
  for (const Weight weight :
       {Weight::regular, Weight::semibold, Weight::mono, Weight::mono_semibold}) {
    for (const char* text : {"T31", "block_m 128 × 256", "naïve · Größe µ → ≤ 3", "wWiIl.,;:"}) {
      for (const float size : {9.f, 13.f, 40.f}) {
        // cairo's advances are hinted to whole pixels.
        const float expected = cairo.width(text, size, weight);
        EXPECT_NEAR(fonts().width(text, size, weight), expected,
                    1 + 0.5f * static_cast<float>(std::string_view(text).size()))
            << text << " " << size;
      }
    }
  }
}

TEST(PlainFiles, OutlinesStayWhereTheTextIs) {
  const Point at{100, 200};
  for (const Weight weight :
       {Weight::regular, Weight::semibold, Weight::mono, Weight::mono_semibold}) {
    const auto steps = fonts().outlines("Hxg10", 20, weight, at);
    ASSERT_FALSE(steps.empty());
    int open = 0;
    const float right = at.x + fonts().width("Hxg10", 20, weight);
    for (const PathStep& s : steps) {
      open += s.kind == PathStep::Kind::move ? 1 : s.kind == PathStep::Kind::close ? -1 : 0;
      if (s.kind == PathStep::Kind::close) continue;
      EXPECT_GE(s.to.x, at.x - 2);
      EXPECT_LE(s.to.x, right + 2);
      EXPECT_GE(s.to.y, at.y - 20);
      EXPECT_LE(s.to.y, at.y + 8);
    }
    EXPECT_EQ(open, 0);
  }
}

TEST(PlainFiles, TextThatIsNoUtf8IsMeasuredAllTheSame) {
  for (const std::string text : {"\xff\xfe", "\xe2\x82", "\xf0", "a\x80z", ""}) {
    EXPECT_GE(fonts().width(text, 12, Weight::regular), 0);
    fonts().outlines(text, 12, Weight::mono, {});
  }
}

TEST(PlainFiles, WhatTheFontsLackHasTheLanguagesFont) {
  if (!std::filesystem::exists(TILESCOPE_TEST_FONTS "/wqy-microhei-subset.ttf")) {
    GTEST_SKIP() << "hb-subset (Debian: libharfbuzz-bin) was not there to make it";
  }
  for (const Weight weight : {Weight::regular, Weight::mono}) {
    EXPECT_NEAR(fonts().width("\u77e9\u9635", 20, weight), 40, 2);  // two squares
    const auto alone = fonts().outlines("\u77e9", 20, weight, {});
    const auto behind = fonts().outlines("M\u77e9", 20, weight, {});
    ASSERT_GT(behind.size(), alone.size());
    // Where it begins, behind what is another font's.
    const PathStep& first = behind[behind.size() - alone.size()];
    EXPECT_NEAR(first.to.x - alone[0].to.x, fonts().width("M", 20, weight), 0.01f);
    EXPECT_NEAR(first.to.y, alone[0].to.y, 0.01f);
  }
  const web::FontOutlines none("/nowhere");
  EXPECT_TRUE(none.outlines("\u77e9", 20, Weight::regular, {}).empty());
}

TEST(PlainFiles, FontsThatAreMissingHaveAnAverageWidth) {
  const web::FontOutlines none("/nowhere");
  EXPECT_GT(none.width("abc", 10, Weight::regular), 10);
  EXPECT_TRUE(none.outlines("abc", 10, Weight::regular, {}).empty());
}

std::string inflated(const std::string& bytes) {
  std::string out(bytes.size() * 60 + 100000, '\0');
  uLongf size = static_cast<uLong>(out.size());
  if (uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                 reinterpret_cast<const Bytef*>(bytes.data()),
                 static_cast<uLong>(bytes.size())) != Z_OK) {
    return {};
  }
  out.resize(size);
  return out;
}

/// The operators of a PDF's page; empty if its stream is none.
std::string operators_of(const std::string& pdf) {
  const size_t begin = pdf.find("stream\n") + 7, end = pdf.find("\nendstream");
  if (end == pdf.npos || begin >= end) return {};
  return inflated(pdf.substr(begin, end - begin));
}

TEST(PlainFiles, APdfsTableSaysWhereItsObjectsAre) {
  for (const Scene& scene : scenes_of_kernels()) {
    const std::string pdf = pdf_text(scene, {}, fonts());
    ASSERT_TRUE(pdf.starts_with("%PDF-1.4\n"));
    const size_t table = std::stoul(pdf.substr(pdf.rfind("startxref\n") + 10));
    std::istringstream lines(pdf.substr(table));
    std::string line;
    std::getline(lines, line);
    ASSERT_EQ(line, "xref");
    std::getline(lines, line);
    const int count = std::stoi(line.substr(2));
    std::getline(lines, line);
    for (int i = 1; i < count; ++i) {
      std::getline(lines, line);
      ASSERT_EQ(line.size(), 19u);
      const std::string head = std::to_string(i) + " 0 obj\n";
      EXPECT_EQ(pdf.substr(std::stoul(line), head.size()), head);
    }
  }
}

TEST(PlainFiles, APdfsOperatorsHaveTheirOperands) {
  const std::map<std::string, int> operands = {
      {"q", 0}, {"Q", 0}, {"re", 4}, {"W", 0},  {"n", 0}, {"m", 2}, {"l", 2},  {"c", 6}, {"h", 0},
      {"f", 0}, {"S", 0}, {"rg", 3}, {"RG", 3}, {"w", 1}, {"d", 2}, {"gs", 1}, {"cm", 6}};
  for (const Scene& scene : scenes_of_kernels()) {
    const std::string pdf = pdf_text(scene, {.scale = 2}, fonts());
    const std::string operators = operators_of(pdf);
    ASSERT_FALSE(operators.empty());
    std::istringstream words(operators);
    std::string word;
    int before = 0, depth = 0, array = 0;
    while (words >> word) {
      if (word.front() == '[') array = 1;
      if (array != 0) {
        if (word.back() == ']') array = 0, ++before;
        continue;
      }
      const auto known = operands.find(word);
      if (known == operands.end()) {
        if (word.front() == '/') {
          EXPECT_NE(pdf.find(word + " <<"), pdf.npos) << word << " is not declared";
        } else {
          char* end = nullptr;
          std::strtod(word.c_str(), &end);
          ASSERT_EQ(*end, '\0') << word;
        }
        ++before;
        continue;
      }
      ASSERT_EQ(before, known->second) << word;
      before = 0;
      depth += word == "q" ? 1 : word == "Q" ? -1 : 0;
      ASSERT_GE(depth, 0);
    }
    EXPECT_EQ(depth, 0);
  }
}

TEST(PlainFiles, AnSvgWithOutlinesNeedsNoFont) {
  for (const Scene& scene : scenes_of_kernels()) {
    const std::string svg = svg_text(scene, {}, &fonts());
    EXPECT_EQ(svg.find("<text"), svg.npos);
    EXPECT_EQ(svg.find("font"), svg.npos);
    EXPECT_NE(svg.find("<path"), svg.npos);
  }
}

}  // namespace
}  // namespace tilescope::viz

// Files that cairo writes: whole, well formed, of the size asked for.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/viz/example_states.h"
#include "tests/viz/scene_checks.h"
#include "viz/vector/fonts_of_folder.h"
#include "viz/vector/vector.h"

namespace tilescope::viz {
namespace {

/// Every tag is closed, in order; attributes are quoted; no bare "&" or "<". Empty if well formed.
std::string xml_problem(const std::string& xml) {
  std::vector<std::string> open;
  size_t i = 0;
  while (i < xml.size()) {
    if (xml[i] == '&') {
      const size_t end = xml.find(';', i);
      if (end == std::string::npos || end - i > 10) return "bare &";
    }
    if (xml[i] != '<') {
      ++i;
      continue;
    }
    const size_t end = xml.find('>', i);
    if (end == std::string::npos) return "an open <";
    const std::string tag = xml.substr(i + 1, end - i - 1);
    i = end + 1;
    if (tag.empty() || tag[0] == '?' || tag[0] == '!') continue;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1))
        return "unexpected </" + tag.substr(1) + ">";
      open.pop_back();
      continue;
    }
    size_t quotes = 0;
    for (char c : tag) quotes += c == '"' ? 1 : 0;
    if (quotes % 2 != 0) return "an open quote in <" + tag + ">";
    if (tag.back() != '/') open.push_back(tag.substr(0, tag.find_first_of(" \n\t")));
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

std::vector<Scene> all_scenes(const TextMeasure& measure) {
  std::vector<Scene> scenes;
  for (const KernelEntry& kernel : kernel_table()) {
    scenes.push_back(
        build_tiling(example_tiling(kernel.info.id), light_palette(), measure, {842, 412}));
    scenes.push_back(
        build_fragment(example_fragment(kernel.info.id), light_palette(), measure, {495, 652}));
  }
  scenes.push_back(build_tiling(example_illegal(), dark_palette(), measure, {600, 328}));
  scenes.push_back(build_roofline(example_roofline(), dark_palette(), measure, {300, 260}));
  return scenes;
}

TEST(Vector, SvgIsWellFormed) {
  const CairoMeasure measure;
  for (const Scene& scene : all_scenes(measure)) {
    const std::string svg = render(scene, FileKind::svg, {});
    ASSERT_FALSE(svg.empty());
    EXPECT_EQ(xml_problem(svg), "");
    EXPECT_NE(svg.find("<svg"), std::string::npos);
  }
}

TEST(Vector, PdfAndPngAreWhole) {
  const CairoMeasure measure;
  for (const Scene& scene : all_scenes(measure)) {
    const std::string pdf = render(scene, FileKind::pdf, {});
    EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
    EXPECT_NE(pdf.rfind("%%EOF"), std::string::npos);
    ExportOptions twice;
    twice.scale = 2;
    const std::string png = render(scene, FileKind::png, twice);
    ASSERT_GT(png.size(), 24u);
    EXPECT_EQ(png.substr(1, 3), "PNG");
    const auto byte = [&](size_t i) {
      return static_cast<unsigned>(static_cast<unsigned char>(png[i]));
    };
    EXPECT_EQ(byte(18) << 8 | byte(19), static_cast<unsigned>(scene.size.w * 2));
    EXPECT_EQ(byte(22) << 8 | byte(23), static_cast<unsigned>(scene.size.h * 2));
  }
}

TEST(Vector, TextsAreCleanInTheRealFonts) {
  const CairoMeasure measure;
  for (const KernelEntry& kernel : kernel_table()) {
    for (const Size size : kTilingSizes) {
      expect_clean_texts(
          build_tiling(example_tiling(kernel.info.id), light_palette(), measure, size),
          kernel.info.id);
    }
    for (const Size size : kFragmentSizes) {
      FragmentState state = example_fragment(kernel.info.id);
      for (int tab = 0; tab < 4; ++tab) {
        state.tab = static_cast<FragmentTab>(tab);
        expect_clean_texts(build_fragment(state, light_palette(), measure, size), kernel.info.id);
      }
    }
  }
}

Scene scene_of_text(const std::string& string, Weight weight) {
  Scene scene;
  scene.size = {90, 40};
  scene.palette = light_palette();
  scene.clips = {{0, 0, 90, 40}};
  scene.primitives.push_back({Text{.string = string,
                                   .full = {},
                                   .x = 5,
                                   .y = 20,
                                   .size = 20,
                                   .weight = weight,
                                   .color = scene.palette.text}});
  return scene;
}

TEST(Vector, WhatAFontLacksIsSetInTheLanguagesFont) {
#ifdef TILESCOPE_TEST_FONTS
  if (!std::filesystem::exists(TILESCOPE_TEST_FONTS "/wqy-microhei.ttc")) {
    GTEST_SKIP() << "wqy-microhei.ttc (Debian: fonts-wqy-microhei) was not there";
  }
  use_fonts_of(TILESCOPE_TEST_FONTS);
  const CairoMeasure measure;
  for (const Weight weight :
       {Weight::regular, Weight::semibold, Weight::mono, Weight::mono_semibold}) {
    EXPECT_NEAR(measure.width("\u77e9\u9635", 20, weight), 40, 2);  // two squares
    // As it is drawn: run by run.
    const float parts = measure.width("A ", 20, weight) +
                        measure.width("\u77e9\u9635", 20, weight) + measure.width(" 2", 20, weight);
    EXPECT_NEAR(measure.width("A \u77e9\u9635 2", 20, weight), parts, 0.01f);
    // Boxes are all alike; characters are not.
    for (const FileKind kind : {FileKind::png, FileKind::svg}) {
      const std::string one = render(scene_of_text("A \u77e9 2", weight), kind, {});
      const std::string other = render(scene_of_text("A \u9635 2", weight), kind, {});
      ASSERT_FALSE(one.empty());
      EXPECT_NE(one, other);
    }
    EXPECT_EQ(render(scene_of_text("A \u77e9", weight), FileKind::pdf, {}).substr(0, 5), "%PDF-");
  }
#else
  GTEST_SKIP() << "there are no fonts without the window";
#endif
}

TEST(Vector, WhatNoFontHasIsMeasuredAllTheSame) {
  const CairoMeasure measure;
  EXPECT_GT(measure.width("\U000F0000", 20, Weight::regular), 0);  // nobody's
  EXPECT_FALSE(render(scene_of_text("a\U000F0000b", Weight::mono), FileKind::png, {}).empty());
}

TEST(Vector, FilesAreWrittenByTheEndingOfTheirName) {
  const CairoMeasure measure;
  const Scene scene = build_roofline(example_roofline(), dark_palette(), measure, {200, 200});
  const std::string folder = ::testing::TempDir();
  std::string error;
  for (const char* name : {"scene.svg", "scene.pdf", "scene.png"}) {
    const std::string path = folder + name;
    EXPECT_TRUE(write_file(scene, path, {}, &error)) << error;
    EXPECT_TRUE(std::ifstream(path).good());
    std::remove(path.c_str());
  }
  EXPECT_FALSE(write_file(scene, folder + "scene.gif", {}, &error));
  EXPECT_NE(error.find(".svg, .pdf or .png"), std::string::npos);
  EXPECT_FALSE(write_file(scene, folder + "no/such/folder/scene.svg", {}, &error));
}

}  // namespace
}  // namespace tilescope::viz

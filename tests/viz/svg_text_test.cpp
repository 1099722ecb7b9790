// SVG as text, which the page writes: whole, well-formed, with all that the scene says.
#include "viz/vector/svg_text.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/viz/example_states.h"

namespace tilescope::viz {
namespace {

/// Empty, or what is wrong with the nesting of the tags.
std::string badly_nested(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t at = xml.find('<'); at != xml.npos; at = xml.find('<', at + 1)) {
    const size_t end = xml.find('>', at);
    if (end == xml.npos) return "a tag without an end";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != tag.npos) return "a tag in a tag: " + tag;
    if (tag.back() == '/') continue;
    const std::string name = tag.substr(tag[0] == '/', tag.find(' ') - (tag[0] == '/'));
    if (tag[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "not open: " + tag;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

TEST(SvgText, EachKernelsTilingIsWellFormed) {
  for (const KernelEntry& kernel : kernel_table()) {
    const Scene scene =
        build_tiling(example_tiling(kernel.info.id), dark_palette(), FixedMeasure(), {900, 500});
    const std::string svg = svg_text(scene, {});
    EXPECT_EQ(badly_nested(svg), "") << kernel.info.id;
    EXPECT_TRUE(svg.starts_with("<svg "));
    for (const Primitive& p : scene.primitives) {
      const auto* text = std::get_if<Text>(&p.shape);
      if (!text || text->string.find_first_of("&<>\"") != text->string.npos) continue;
      EXPECT_NE(svg.find(">" + text->string + "<"), svg.npos) << text->string;
    }
  }
}

TEST(SvgText, WhatXmlMeansSomethingByIsEscaped) {
  Scene scene;
  scene.size = {10, 10};
  scene.clips = {{0, 0, 10, 10}};
  Primitive p;
  p.shape = Text{.string = "a<b> & \"c\"\x01"};
  scene.primitives.push_back(p);
  const std::string svg = svg_text(scene, {});
  EXPECT_EQ(badly_nested(svg), "");
  EXPECT_NE(svg.find(">a&lt;b&gt; &amp; &quot;c&quot;<"), svg.npos);
}

TEST(SvgText, AScaleChangesTheSizeAlone) {
  const Scene scene =
      build_tiling(example_tiling("naive"), dark_palette(), FixedMeasure(), {900, 500});
  const std::string once = svg_text(scene, {}), twice = svg_text(scene, {.scale = 2});
  EXPECT_NE(twice.find("width=\"1800\" height=\"1000\" viewBox=\"0 0 900 500\""), twice.npos);
  EXPECT_EQ(once.substr(once.find('\n')), twice.substr(twice.find('\n')));
}

}  // namespace
}  // namespace tilescope::viz

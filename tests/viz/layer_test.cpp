// A layer's pictures: whatever the layer and the size, no text is cut or touches another, every
// step can be picked, and what is drawn says how it is known.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "tests/viz/example_layers.h"
#include "tests/viz/scene_checks.h"
#include "tests/workload/layers.h"
#include "viz/scene/layer/formula.h"
#include "viz/scene/layer/layer_words.h"

namespace tilescope::viz {
namespace {

using workload::kLayerKinds;
using workload::Layer;
using workload::LayerKind;

constexpr Size kSizes[] = {{300, 240}, {600, 328},  {690, 390},
                           {820, 460}, {1280, 800}, {2560, 1440}};

/// Layers that pictures are hard of: split over many, tiny, flat and high ones.
std::vector<Layer> hard_layers() {
  std::vector<Layer> all;
  for (const LayerKind kind : kLayerKinds) {
    for (const int ranks : {1, 2, 3, 8, 64}) all.push_back(example_layer(kind, ranks));
    all.push_back({kind, 8, 8, 8, 1, 1});
    all.push_back({kind, 1000000, 64, 64, 3, 4});
    all.push_back({kind, 64, 1000000, 64, 8, 64});
    all.push_back({kind, 64, 64, 1000000, 2, 1});
  }
  Layer gathered = example_layer(LayerKind::column, 4);
  gathered.gather = true;
  all.push_back(gathered);
  return all;
}

/// Values that can be picked anywhere.
std::set<int> picked(const Scene& scene) {
  std::set<int> found;
  for (const Pick& pick : scene.picks) {
    if (pick.kind == Pick::Kind::point) found.insert(pick.value);
  }
  return found;
}

std::set<int> steps_of(const Layer& layer) {
  std::set<int> steps;
  for (size_t i = 0; i < make_workload(layer).steps.size(); ++i) steps.insert(static_cast<int>(i));
  return steps;
}

std::string name_of_case(const Layer& l) {
  return std::string(workload::name_of(l.kind)) + " " + std::to_string(l.tokens) + " " +
         std::to_string(l.in) + " " + std::to_string(l.out) + " on " + std::to_string(l.ranks);
}

void expect_clean_layer(const LayerState& state, Size size) {
  size.h = std::max(size.h, layer_height(state, kMeasure, size.w));
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    const Scene scene = build_layer(state, *palette, kMeasure, size);
    expect_clean_texts(scene, name_of_case(state.layer));
    expect_finite(scene);
    EXPECT_EQ(picked(scene), steps_of(state.layer)) << name_of_case(state.layer);
  }
}

TEST(LayerPicture, IsCleanWhateverTheLayer) {
  for (const Layer& layer : hard_layers()) {
    for (const Size size : kSizes) {
      LayerState state{.layer = layer, .chosen = 1, .hovered = 0, .stale = {}, .legend = true};
      expect_clean_layer(state, size);
    }
  }
}

TEST(LayerPicture, IsCleanOfAnyLayer) {
  EXPECT_TRUE(rc::check("clean", [] {
    LayerState state;
    state.layer = workload::any_layer(5000);
    state.chosen = 0;
    const float width = *rc::gen::element(300.0f, 690.0f, 1280.0f);
    const Size size{width, std::max(380.0f, layer_height(state, kMeasure, width))};
    RC_ASSERT(find_text_problems(build_layer(state, dark_palette(), kMeasure, size)).empty());
  }));
}

/// All matrices but those that would be mere lines have one scale.
TEST(LayerPicture, MatricesAreToOneScale) {
  const LayerState state = example_layer_state(LayerKind::column, 1);
  const Scene scene = build_layer(state, dark_palette(), kMeasure, {820, 460});
  std::vector<Box> boxes;
  for (const Primitive& p : scene.primitives) {
    const auto* r = std::get_if<Rect>(&p.shape);
    if (r && r->stroke == dark_palette().lanes[0]) boxes.push_back(r->box);
  }
  // Wᵀ, X, Y of the forward pass, the first three.
  ASSERT_GE(boxes.size(), 3u);
  const float scale = boxes[0].w / 29696;
  EXPECT_NEAR(boxes[0].h, 8192 * scale, 1.5);
  EXPECT_NEAR(boxes[1].w, 8192 * scale, 1.5);
  EXPECT_NEAR(boxes[1].h, 4096 * scale, 1.5);
  EXPECT_NEAR(boxes[2].w, 29696 * scale, 1.5);
}

TEST(LayerPicture, SaysWhatEachRankHasAndWhatTravels) {
  const std::string text = to_text(
      build_layer(example_layer_state(LayerKind::column), dark_palette(), kMeasure, {900, 500}));
  for (const char* part : {"rank 0: 14,848 columns", "all-reduce, 4 chunks", "134.2 MB each way",
                           "each rank: its columns of Y; nothing travels", "0.9964 TFLOP"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST(LayerPicture, OfAnotherLayerSaysSo) {
  LayerState state = example_layer_state(LayerKind::row);
  state.stale = "of the layer before";
  const std::string text = to_text(build_layer(state, dark_palette(), kMeasure, {900, 500}));
  EXPECT_NE(text.find("of the layer before"), std::string::npos);
}

TEST(LayerTimeline, IsCleanWhateverTheLayer) {
  for (const Layer& layer : hard_layers()) {
    for (const bool measured : {false, true}) {
      LayerTimelineState state = example_layer_timeline(layer, measured);
      for (const Size size :
           {Size{300, 90}, Size{600, 140}, Size{1020, 135}, Size{1350, 200}, Size{2560, 1440}}) {
        const Scene scene = build_layer_timeline(state, light_palette(), kMeasure, size);
        expect_clean_texts(scene, name_of_case(layer));
        expect_finite(scene);
        EXPECT_EQ(picked(scene), steps_of(layer)) << name_of_case(layer);
      }
    }
  }
}

/// Measured bars are filled, modelled ones dashed outlines below them, in the same lane.
TEST(LayerTimeline, MeasuredStandsAboveModelled) {
  const Layer layer = example_layer(LayerKind::column);
  const LayerTimelineState state = example_layer_timeline(layer, true);
  const Scene scene = build_layer_timeline(state, dark_palette(), kMeasure, {1200, 220});
  float lowest_measured = 0, highest_modelled = 1e9f;
  size_t modelled = 0;
  for (const Primitive& p : scene.primitives) {
    const auto* r = std::get_if<Rect>(&p.shape);
    if (!r || r->box.y > 50) continue;  // the first lane
    if (r->dash.on > 0) ++modelled, highest_modelled = std::min(highest_modelled, r->box.y);
    if (r->fill.a == 255 && r->box.w > 20 && r->radius == 0)
      lowest_measured = std::max(lowest_measured, r->box.bottom());
  }
  EXPECT_GE(modelled, 7u) << "Y, four chunks, dW and db";
  EXPECT_LT(lowest_measured, highest_modelled + 1);
}

TEST(Scaling, IsCleanAtEverySize) {
  ScalingState slow = example_scaling();
  for (ScalingPoint& point : slow.points) {
    if (point.ranks > 1) point.modelled.backward_us = 90000;
  }
  ScalingState slowest = slow;
  for (ScalingPoint& point : slowest.points) {
    if (point.ranks > 1) point.modelled.forward_us = 2e6, point.modelled.backward_us = 3e6;
  }
  ScalingState many = example_scaling();
  many.points.push_back({.ranks = 64, .modelled = {90, 1400}, .measured = {}, .why_not = {}});
  ScalingState stale = example_scaling();
  stale.stale = "of the layer before; modelling the chosen one …";
  for (const ScalingState& state : {example_scaling(), slow, slowest, many, stale}) {
    for (const Size size : {Size{220, 200}, Size{300, 390}, Size{390, 480}, Size{1280, 800}}) {
      const Scene scene = build_scaling(state, dark_palette(), kMeasure, size);
      expect_clean_texts(scene, "scaling");
      expect_finite(scene);
      for (const ScalingPoint& point : state.points) {
        EXPECT_TRUE(picked(scene).contains(point.ranks)) << point.ranks;
      }
    }
  }
}

/// A small layer is a hundred times slower over many ranks: each mark stands where its value is,
/// and no value is written as another one.
TEST(Scaling, ValuesHoweverSmallStandApart) {
  std::mt19937 random(47);
  std::uniform_real_distribution<double> power(-4, 0.9);
  for (int i = 0; i < 200; ++i) {
    ScalingState state;
    std::vector<double> values;
    for (const int ranks : {1, 2, 4, 8}) {
      const double value = ranks == 1 ? 1 : std::pow(10.0, power(random));
      if (ranks > 1) values.push_back(value);
      state.points.push_back(
          {.ranks = ranks, .modelled = {1000, 1000 / value}, .measured = {}, .why_not = {}});
    }
    const Size size{390, 480};
    const Scene scene = build_scaling(state, dark_palette(), kMeasure, size);
    expect_clean_texts(scene, "scaling");
    // Of the backward pass, modelled: dashed squares, the one of one rank first.
    std::vector<float> height;
    for (const Primitive& p : scene.primitives) {
      const auto* r = std::get_if<Rect>(&p.shape);
      if (r && r->box.w == 8 && r->box.h == 8 && r->dash.on > 0) height.push_back(r->box.y);
    }
    ASSERT_EQ(height.size(), 4u);
    for (size_t a = 0; a < values.size(); ++a) {
      for (size_t b = 0; b < values.size(); ++b) {
        if (values[a] <= 1.3 * values[b]) continue;
        EXPECT_LT(height[a + 1], height[b + 1] - 2) << values[a] << " beside " << values[b];
      }
    }
    // At the left end of the axis no number stands twice.
    std::set<std::string> ticks;
    for (const Primitive& p : scene.primitives) {
      const auto* t = std::get_if<Text>(&p.shape);
      if (!t || !t->string.ends_with("×")) continue;
      EXPECT_TRUE(ticks.insert(t->string).second) << t->string;
    }
    EXPECT_GE(ticks.size(), 2u);
  }
}

/// A speed-up is over one rank of the same account; what was measured is never mixed with what is
/// modelled.
TEST(Scaling, MeasuredIsOverMeasured) {
  const std::string text =
      to_text(build_scaling(example_scaling(), dark_palette(), kMeasure, {390, 480}));
  EXPECT_NE(text.find("1.95"), std::string::npos) << "3700 / 1900";
  EXPECT_EQ(text.find("~1.9"), std::string::npos) << "measured stands instead of modelled";
  EXPECT_NE(text.find("~3.87"), std::string::npos) << "3600 / 930";
  ScalingState without = example_scaling();
  without.points[0].measured = {};
  const std::string modelled =
      to_text(build_scaling(without, dark_palette(), kMeasure, {390, 480}));
  EXPECT_EQ(modelled.find("1.95"), std::string::npos);
  EXPECT_NE(modelled.find("~1.97"), std::string::npos);
}

TEST(Formula, RaisesTsAndTellsThemWhereItCannot) {
  EXPECT_EQ(plain_formula("Y = X·Wᵀ + b"), "Y = X·W^T + b");
  EXPECT_EQ(formula_parts("dYᵀ·X").size(), 2u);
  EXPECT_EQ(formula_parts("Wᵀ").back(), "");
}

}  // namespace
}  // namespace tilescope::viz

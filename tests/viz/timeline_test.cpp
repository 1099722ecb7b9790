// The Timeline and the Roofline.
#include <gtest/gtest.h>

#include "tests/viz/example_states.h"
#include "tests/viz/scene_checks.h"

namespace tilescope::viz {
namespace {

int count_events(const Scene& scene) {
  int events = 0;
  for (const Pick& p : scene.picks) events += p.kind == Pick::Kind::event ? 1 : 0;
  return events;
}

TEST(TimelineIndex, EpochsAreAlignedOverTheWarps) {
  const std::vector<TimelineEvent> events = example_events();
  const TimelineIndex index(events, 4);
  ASSERT_EQ(index.epochs().size(), 10u);
  for (size_t i = 1; i < index.epochs().size(); ++i) {
    const auto& before = index.epochs()[i - 1];
    EXPECT_GE(index.epochs()[i].start, before.start + before.width);
  }
  EXPECT_TRUE(index.epochs()[5].after_gap);   // 4 → 16
  EXPECT_FALSE(index.epochs()[6].after_gap);  // 16 → 17
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(index.event_at(events[i].warp, index.position(i) + 0.5), static_cast<int>(i));
  }
}

TEST(TimelineIndex, KnowsTheSliceAtAPlace) {
  const std::vector<TimelineEvent> events = example_events();
  const TimelineIndex index(events, 4);
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != EventKind::mma || events[i].warp != 0) continue;
    EXPECT_EQ(index.k_slice_at(index.position(i)), events[i].k_slice);
  }
}

TEST(Timeline, APlaceOnThePlotIsTheEventThatIsPickedThere) {
  const std::vector<TimelineEvent> events = example_events();
  const TimelineIndex index(events, 4);
  const TimelineState state = example_timeline(index);
  const Size size{842, 116};
  const Scene scene = build_timeline(state, dark_palette(), kMeasure, size);
  const TimelineView view = timeline_view(state, size);
  int found_events = 0;
  for (int row = 0; row < view.rows; ++row) {
    for (float x = view.plot.x + 1; x < view.plot.right(); x += 7) {
      const auto found =
          pick(scene, x, view.plot.y + (static_cast<float>(row) + 0.5f) * view.row_height);
      if (!found || found->kind != Pick::Kind::event) continue;
      EXPECT_EQ(found->event, index.event_at(view.first_warp + row, view.at(x)));
      ++found_events;
    }
  }
  EXPECT_GT(found_events, 300);
}

TEST(Timeline, OnlyVisibleEventsBecomePrimitives) {
  std::vector<TimelineEvent> events;
  for (int epoch = 0; epoch < 2000; ++epoch) {
    for (int warp = 0; warp < 8; ++warp) {
      for (int i = 0; i < 40; ++i)
        events.push_back({.epoch = epoch,
                          .index = i,
                          .warp = warp,
                          .kind = static_cast<EventKind>(i % 7),
                          .count = 1,
                          .k_slice = epoch,
                          .stage = 0,
                          .line = 1,
                          .shared = true});
    }
  }
  const TimelineIndex index(events, 8);
  TimelineState state;
  state.index = borrowed(index);
  state.k_slices = 2000, state.k_end = 2000;
  state.event = 300000;
  const auto drawn = [&](double visible) {
    state.visible = visible;
    return count_events(build_timeline(state, dark_palette(), kMeasure, {1280, 400}));
  };
  EXPECT_LT(drawn(100), 8 * 110);
  EXPECT_LT(drawn(80000), 8 * 1280);  // at most one per pixel
  EXPECT_GT(drawn(80000), 8 * 900);
}

TEST(Timeline, TextsAreCleanAtAllPlacesOfThePlayhead) {
  for (int warps : {1, 4, 32}) {
    const std::vector<TimelineEvent> events = example_events(warps);
    const TimelineIndex index(events, warps);
    TimelineState state = example_timeline(index);
    state.event_name.clear();
    for (size_t i = 0; i < events.size(); i += 1 + events.size() / 60) {
      state.event = static_cast<int>(i);
      state.within = 0;
      state.legend = i % 2 == 0;
      for (const Size size : kTimelineSizes) {
        const Scene scene = build_timeline(state, light_palette(), kMeasure, size);
        expect_clean_texts(scene, "timeline");
        expect_finite(scene);
      }
    }
  }
}

TEST(Timeline, AGapSaysHowManySlicesItLeavesOut) {
  const std::vector<TimelineEvent> events = example_events();
  const TimelineIndex index(events, 4);
  TimelineState state = example_timeline(index);
  state.event_name.clear();
  state.visible = 900;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].epoch == 16 && events[i].warp == 2) {
      state.event = static_cast<int>(i);
      break;
    }
  }
  const std::string early = to_text(build_timeline(state, dark_palette(), kMeasure, {842, 116}));
  EXPECT_NE(early.find("\"11 k slices left out\""), std::string::npos) << early;  // 4 to 16
  state.event = static_cast<int>(events.size()) - 1;
  const std::string late = to_text(build_timeline(state, dark_palette(), kMeasure, {842, 116}));
  EXPECT_NE(late.find("\"44 k slices left out\""), std::string::npos) << late;  // 18 to 63
  EXPECT_EQ(slices_left_out(index, index.length()), 0);
}

/// Boxes of rectangles with a fill.
std::vector<Box> filled(const Scene& scene, Color fill) {
  std::vector<Box> boxes;
  for (const Primitive& p : scene.primitives) {
    const auto* r = std::get_if<Rect>(&p.shape);
    if (r && r->fill == fill) boxes.push_back(r->box);
  }
  return boxes;
}

TEST(Timeline, WhatIsNotBrushedStepsBackInEachRow) {
  const std::vector<TimelineEvent> events = example_events();
  const TimelineIndex index(events, 4);
  TimelineState state = example_timeline(index);
  state.first = 0, state.visible = 100;
  const Size size{842, 160};
  const Color veil = fade(dark_palette().panel, 0.66f);
  EXPECT_TRUE(filled(build_timeline(state, dark_palette(), kMeasure, size), veil).empty());
  // A warp of its own stretch, one that ends outside, one that has none, one that is not told.
  state.brushed = {{20, 40}, {90, 300}, {}};
  const Scene scene = build_timeline(state, dark_palette(), kMeasure, size);
  expect_clean_texts(scene, "brushed");
  const TimelineView v = timeline_view(state, size);
  ASSERT_EQ(v.rows, 4);
  const std::vector<Box> veils = filled(scene, veil);
  const auto row_of = [&](const Box& box) {
    return static_cast<int>((box.y - v.plot.y) / v.row_height + 0.5f);
  };
  float covered[4] = {};
  for (const Box& box : veils) {
    ASSERT_LT(row_of(box), 4);
    covered[row_of(box)] += box.w;
    EXPECT_GE(box.x, v.plot.x);
    EXPECT_LE(box.right(), v.plot.right() + 0.5f);
  }
  EXPECT_NEAR(covered[0], v.plot.w * 0.8f, 2);
  EXPECT_NEAR(covered[1], v.plot.w * 0.9f, 2);
  EXPECT_NEAR(covered[2], v.plot.w, 1);
  EXPECT_NEAR(covered[3], v.plot.w, 1);
}

TEST(Timeline, WhatIsHoveredElsewhereIsRinged) {
  const std::vector<TimelineEvent> events = example_events();
  const TimelineIndex index(events, 4);
  TimelineState state = example_timeline(index);
  state.first = 0;
  const auto rings = [&] {
    int count = 0;
    for (const Primitive& p :
         build_timeline(state, dark_palette(), kMeasure, {842, 160}).primitives) {
      const auto* r = std::get_if<Rect>(&p.shape);
      count += r && r->fill.a == 0 && r->stroke == dark_palette().select ? 1 : 0;
    }
    return count;
  };
  state.visible = 60;
  EXPECT_EQ(rings(), 0);
  for (size_t i = 0; i < events.size(); ++i) {
    if (index.position(i) < 20 && events[i].warp < 2) state.lit.push_back(static_cast<int>(i));
  }
  ASSERT_GT(state.lit.size(), 1u);
  EXPECT_EQ(rings(), static_cast<int>(state.lit.size()));
  // Of many that share few pixels there are bars, at most one for each pixel.
  state.lit.clear();
  for (size_t i = 0; i < events.size(); ++i) state.lit.push_back(static_cast<int>(i));
  state.visible = index.length();
  const Scene scene = build_timeline(state, dark_palette(), kMeasure, {300, 160});
  EXPECT_LT(filled(scene, dark_palette().select).size(), 4u * 300u);
  state.lit = {-1, 1 << 30};  // of another trace
  EXPECT_EQ(rings(), 0);
}

TEST(Timeline, WhatBelongsToAnotherTileIsDimmedAndSaysSo) {
  const std::vector<TimelineEvent> events = example_events();
  const TimelineIndex index(events, 4);
  TimelineState state = example_timeline(index);
  const auto brightest = [](const Scene& scene) {
    int most = 0;
    for (size_t i = 0; i < scene.primitives.size(); ++i) {
      const auto* r = std::get_if<Rect>(&scene.primitives[i].shape);
      const int at = scene.primitives[i].pick;
      if (r && at >= 0 && scene.picks[static_cast<size_t>(at)].kind == Pick::Kind::event) {
        most = std::max<int>(most, r->fill.a);
      }
    }
    return most;
  };
  EXPECT_EQ(brightest(build_timeline(state, dark_palette(), kMeasure, {842, 116})), 255);
  state.stale = "of the tile before";
  for (const Size size : kTimelineSizes) {
    const Scene scene = build_timeline(state, dark_palette(), kMeasure, size);
    EXPECT_LT(brightest(scene), 128);
    EXPECT_NE(to_text(scene).find("of the tile before"), std::string::npos);
    expect_clean_texts(scene, "stale timeline");
  }
}

TEST(Timeline, AnEmptyOneSaysWhy) {
  TimelineState state;
  state.empty_reason = "The emulator runs legal tiles only; the picture above is still to scale.";
  const Scene scene = build_timeline(state, dark_palette(), kMeasure, {600, 116});
  EXPECT_NE(to_text(scene).find("legal tiles only"), std::string::npos);
  expect_clean_texts(scene, "empty timeline");
}

TEST(Roofline, TextsAreClean) {
  RooflineState state = example_roofline();
  for (const Size size : {Size{120, 150}, Size{150, 260}, Size{600, 400}, Size{2560, 1440}}) {
    for (const std::optional<double> achieved : {std::optional<double>(), {1e11}, {309.2e12}}) {
      for (const std::optional<double> modelled : {std::optional<double>(), {5e12}, {900e12}}) {
        state.achieved = achieved, state.modelled = modelled;
        const Scene scene = build_roofline(state, dark_palette(), kMeasure, size);
        expect_clean_texts(scene, "roofline");
        expect_finite(scene);
      }
    }
  }
  expect_finite(build_roofline({}, dark_palette(), kMeasure, {300, 200}));
}

TEST(Roofline, MeasuredRoofsAndTheWayAreDrawn) {
  const auto text_of = [](const RooflineState& state) {
    return to_text(build_roofline(state, dark_palette(), kMeasure, {600, 400}));
  };
  RooflineState state = example_roofline();
  const std::string all = text_of(state);
  EXPECT_NE(all.find("mma.sync measured 621"), std::string::npos);
  state.measured_peak = 0;
  EXPECT_EQ(text_of(state).find("mma.sync"), std::string::npos);
  state = example_roofline();
  state.levels[3].measured = 0;
  EXPECT_NE(text_of(state), all);
  state = example_roofline();
  state.way.clear();
  EXPECT_NE(text_of(state), all);
  // What nobody timed is not joined: the way's first step is modelled.
  const auto lines = [&](const RooflineState& s) {
    const std::string text = text_of(s);
    size_t count = 0;
    for (size_t at = text.find("\nline"); at != text.npos; at = text.find("\nline", at + 1))
      ++count;
    return count;
  };
  const size_t joined = lines(example_roofline());
  state = example_roofline();
  for (RooflineStep& step : state.way) step.standing = Standing::modelled;
  EXPECT_EQ(lines(state) + 2, joined) << "recorded to measured, measured to where it stands";
}

TEST(Roofline, WhatWasMeasuredIsSolidAndTheModelHollow) {
  RooflineState state = example_roofline();
  const Size size{600, 400};
  const auto points = [&] {
    int solid = 0, hollow = 0;
    const Scene scene = build_roofline(state, dark_palette(), kMeasure, size);
    for (const Primitive& p : scene.primitives) {
      if (p.pick < 0 || scene.picks[static_cast<size_t>(p.pick)].kind != Pick::Kind::point)
        continue;
      const Rect& r = std::get<Rect>(p.shape);
      (r.fill == dark_palette().panel ? hollow : solid) += 1;
    }
    return std::pair(solid, hollow);
  };
  EXPECT_EQ(points(), std::pair(4, 4));
  state.achieved.reset();
  EXPECT_EQ(points(), std::pair(0, 4));
  state = example_roofline();
  state.modelled.reset();
  EXPECT_EQ(points(), std::pair(4, 0));
  // Roofs are named, two of one rate together; the date of a record stands beside its sign.
  const std::string text = to_text(build_roofline(state, dark_palette(), kMeasure, size));
  for (const char* name : {"shared, L1 29.7 TB/s", "L2 10.8 TB/s", "DRAM 4.8 TB/s",
                           "tensor cores 989", "recorded 2026-11-20", "FLOP / B"}) {
    EXPECT_NE(text.find(name), std::string::npos) << name << "\n" << text;
  }
}

}  // namespace
}  // namespace tilescope::viz

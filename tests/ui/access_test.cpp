// Access in the window: of a rung and of a kernel of one's own; the pointer tells an element, a
// click leads to its line, the wheel and the brush choose a part.
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "app/features/access/access_hover.h"
#include "app/features/access/access_view.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/hovered.h"
#include "app/state/playback.h"
#include "app/state/scene_words.h"
#include "tests/ui/by_mouse.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

bool point_at(ImGuiTestContext* ctx, const std::function<bool(const viz::Pick&)>& wanted,
              const char* panel = "access") {
  return point_in_picture(ctx, *find_panel(panel), wanted);
}

auto element_of(const char* name) {
  return [name](const viz::Pick& p) {
    const auto data = present_accesses(state());
    return data && p.kind == viz::Pick::Kind::element &&
           data->matrices[static_cast<size_t>(p.value)].name == name;
  };
}

bool there() { return present_accesses(state()) != nullptr; }
/// Of a rung, with all else that is known of it.
bool found(ImGuiTestContext* ctx) { return eventually(ctx, there) && settled(ctx); }

UI_TEST("access", "a_rungs_matrices_are_shown_and_an_element_leads_to_its_line") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 512;
  set_problem(state(), p);
  select_cta(state(), {1, 1});
  show_panel(ctx, *find_panel("access"));
  IM_CHECK(found(ctx));
  const auto data = present_accesses(state());
  IM_CHECK_EQ(data->touched.size(), 4u);  // A, B, C and shared memory
  screenshot(ctx, "access_lanes");
  IM_CHECK(point_at(ctx, element_of("A")));
  AccessView& view = state().of<AccessView>();
  IM_CHECK(view.hovered.has_value());
  IM_CHECK(state().hover_before.pick && state().hover_before.pick->matrix == 0);
  // Of the second block tile's rows.
  IM_CHECK(view.hovered->row >= static_cast<uint64_t>(state().derived.plan.block_m));
  ctx->MouseClick();
  ctx->Yield(2);
  IM_CHECK(linked_code(state()).ptx_line > 0);
  IM_CHECK(linked_code(state()).line > 0);
  for (int mode = 1; mode < 4; ++mode) {
    view.mode = mode;
    ctx->Yield(2);
    screenshot(ctx, ("access_" + std::to_string(mode)).c_str());
  }
  view.mode = 0;
  // Another choice is another CTA's accesses, and none until they are there.
  select_cta(state(), {0, 0});
  IM_CHECK(!present_accesses(state()));
  IM_CHECK(found(ctx));
  IM_CHECK_EQ(present_accesses(state())->answer.cta.x, 0);
}

UI_TEST("access", "the_wheel_a_drag_and_the_brush_choose_a_part") {
  reset_layout(ctx);
  set_kernel(state(), "block_tile");
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 128;
  set_problem(state(), p);
  select_cta(state(), {0, 0});
  show_panel(ctx, *find_panel("access"));
  IM_CHECK(found(ctx));
  AccessView& view = state().of<AccessView>();
  const auto data = present_accesses(state());
  const AccessWindow before = shown_window(view, *data, 0);
  IM_CHECK(point_at(ctx, element_of("A")));
  ctx->MouseWheelY(2);
  ctx->Yield(2);
  const AccessWindow after = shown_window(view, *data, 0);
  IM_CHECK(after.rows < before.rows || after.cols < before.cols);
  ctx->MouseDoubleClick();  // what is touched
  ctx->Yield(2);
  IM_CHECK(shown_window(view, *data, 0) == data->windows[0]);

  const ImRect bar = ctx->ItemInfo("//Access/access_brush").RectFull;
  const float middle = bar.GetCenter().y;
  ctx->MouseMoveToPos({bar.Min.x + bar.GetWidth() * 0.2f, middle});
  ctx->MouseDown();
  ctx->MouseMoveToPos({bar.Min.x + bar.GetWidth() * 0.4f, middle});
  ctx->MouseUp();
  ctx->Yield(2);
  const AccessFilter f = access_filter(state(), *data);
  const auto moments = static_cast<float>(data->answer.moments);
  IM_CHECK(std::abs(static_cast<float>(f.from) / moments - 0.2f) < 0.05f);
  IM_CHECK(std::abs(static_cast<float>(f.to) / moments - 0.4f) < 0.05f);
  screenshot(ctx, "access_brushed");
  ctx->MouseMoveToPos({bar.Min.x + bar.GetWidth() * 0.7f, middle});
  ctx->MouseDoubleClick();
  ctx->Yield(3);
  IM_CHECK(!brushed(state()));
}

UI_TEST("access", "an_illegal_tile_says_why_and_offers_the_nearest_legal_one") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  set_tile_field(state(), TileFieldId::stages, 8);
  IM_CHECK(!state().derived.legal());
  show_panel(ctx, *find_panel("access"));
  ctx->Yield(3);
  screenshot(ctx, "access_illegal");
  ctx->ItemClick("//Access/###nearest_legal");
  ctx->Yield(3);
  IM_CHECK(state().derived.legal());
}

UI_TEST("access", "timeline_and_access_have_one_brush") {
  reset_layout(ctx);
  set_kernel(state(), "mma_sync");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 256;
  set_problem(state(), p);
  select_cta(state(), {1, 0});
  show_panel(ctx, *find_panel("access"));
  show_panel(ctx, *find_panel("timeline"));
  IM_CHECK(found(ctx));
  const auto data = present_accesses(state());
  IM_CHECK(eventually(ctx, [] { return trace_is_of_choice(state()); }));
  const ImRect axis = ctx->ItemInfo("//Timeline/timeline_scene").RectFull;
  const float y = axis.GetCenter().y;
  ctx->KeyDown(ImGuiMod_Shift);
  ctx->MouseMoveToPos({axis.Min.x + axis.GetWidth() * 0.4f, y});
  ctx->MouseDown();
  ctx->MouseMoveToPos({axis.Min.x + axis.GetWidth() * 0.6f, y});
  ctx->MouseUp();
  ctx->KeyUp(ImGuiMod_Shift);
  ctx->Yield(3);
  IM_CHECK(brushed(state()) != nullptr);
  // Access has the accesses of just those events that are brushed.
  const AccessFilter f = access_filter(state(), *data);
  const worker::TraceResult& trace = *state().results.trace;
  const std::vector<TimelineColumns> columns = columns_of_brush(state());
  std::set<std::pair<int, uint64_t>> steps;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const worker::TraceEvent& e = trace.events[i];
    if (e.first_raw < 0) continue;
    const int at = state().results.timeline->placed(static_cast<int>(i)).column;
    for (int k = 0; k < static_cast<int>(e.count); ++k) {
      const auto raw = static_cast<size_t>(e.first_raw + k);
      if (at + k >= columns[e.warp].from && at + k < columns[e.warp].to && raw < trace.raw.size()) {
        steps.insert({e.warp, trace.raw[raw].step});
      }
    }
  }
  size_t count = 0;
  for (const worker::AccessRecord& r : data->answer.records) {
    if (!f.has(r)) continue;
    ++count;
    IM_CHECK(steps.contains({r.warp, r.step}));
  }
  IM_CHECK_GT(count, 0u);
  screenshot(ctx, "brushed_in_timeline");
  // And the other way: what Access brushes is marked in Timeline.
  const RunSpanPointer before = brushed(state());
  const ImRect bar = ctx->ItemInfo("//Access/access_brush").RectFull;
  ctx->MouseMoveToPos({bar.Min.x + 2, bar.GetCenter().y});
  ctx->MouseDown();
  ctx->MouseMoveToPos({bar.Min.x + bar.GetWidth() * 0.1f, bar.GetCenter().y});
  ctx->MouseUp();
  ctx->Yield(3);
  IM_CHECK(brushed(state()) && brushed(state()) != before);
  IM_CHECK(!columns_of_brush(state()).empty());
  IM_CHECK(!columns_of_brush(state())[0].empty());
  screenshot(ctx, "brushed_in_access");
  ctx->ItemClick("//Timeline/×###unbrush");
  ctx->Yield(2);
  IM_CHECK(!brushed(state()));
}

UI_TEST("access", "what_is_hovered_in_one_is_marked_in_the_two_others") {
  reset_layout(ctx);
  set_kernel(state(), "mma_sync");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  Problem p = state().edit.problem;
  p.m = p.n = p.k = 256;
  set_problem(state(), p);
  select_cta(state(), {0, 0});
  for (const char* panel : {"access", "timeline", "source"}) show_panel(ctx, *find_panel(panel));
  IM_CHECK(found(ctx));
  IM_CHECK(eventually(ctx, [] { return trace_is_of_choice(state()); }));
  const auto data = present_accesses(state());
  // An element of Access.
  IM_CHECK(point_at(ctx, element_of("A")));
  IM_CHECK(eventually(ctx, [] { return !hovered_lines(state(), CodeText::kernel).empty(); }));
  IM_CHECK(!hovered_events(state()).empty());
  screenshot(ctx, "hovered_in_access");
  // An event of Timeline: the one of the playhead moves accesses.
  const worker::TraceResult& trace = *state().results.trace;
  const auto copies = [&](const viz::Pick& pick) {
    return pick.kind == viz::Pick::Kind::event && pick.event >= 0 &&
           trace.events[static_cast<size_t>(pick.event)].kind == worker::TraceEvent::Kind::load;
  };
  IM_CHECK(point_at(ctx, copies, "timeline"));
  IM_CHECK(!hovered_lines(state(), CodeText::kernel).empty());
  IM_CHECK(hovered_light(state(), *data).any());
  IM_CHECK(hovered_events(state()).empty());  // its own ring is another
  screenshot(ctx, "hovered_in_timeline");
  // A line of Source, of an event.
  const CodeLink selected = linked_code(state());
  const ImRect text = ctx->WindowInfo("//Source/##kernel_source").RectFull;
  bool there = false;
  for (float y = text.Min.y + 4; y < text.Max.y && !there; y += 8) {
    ctx->MouseMoveToPos({text.Min.x + text.GetWidth() * 0.6f, y});
    ctx->Yield(2);
    there = !hovered_events(state()).empty();
  }
  IM_CHECK(there);
  IM_CHECK(state().hover_before.code.line > 0);
  IM_CHECK(linked_code(state()) == selected);  // nothing was selected
  screenshot(ctx, "hovered_in_source");
  ctx->MouseMoveToPos({2, 2});
  ctx->Yield(3);
  IM_CHECK(hovered_events(state()).empty());
}

constexpr const char* kScale = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<5>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r4, %r2, 64, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  st.global.f32 [%rd5], %f1;
  ret;
}
)";

UI_TEST("access", "a_kernel_of_ones_own_is_shown_by_its_sheet") {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_access";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "scale.ptx").string();
  std::ofstream(file) << kScale;
  reset_layout(ctx);
  open_own_kernel(state(), {file, R"({"entry":"scale","grid":[4,1,1],"block":[64,1,1],
    "args":["buf:f32:8x32:index:in","out:1024"]})"});
  select_cta(state(), {0, 0});
  show_panel(ctx, *find_panel("access"));
  IM_CHECK(eventually(ctx, there));
  auto data = present_accesses(state());
  IM_CHECK_EQ(data->touched.size(), 2u);
  IM_CHECK(data->windows[0] == (AccessWindow{0, 0, 2, 32}));
  IM_CHECK(!data->matrices[1].shaped);
  screenshot(ctx, "access_own");
  IM_CHECK(eventually(ctx, [] { return state().results.timeline && trace_is_of_choice(state()); }));
  scrub(state(), 0), select_warp(state(), 0);
  IM_CHECK(point_at(ctx, element_of("in")));
  const AccessElement clicked = *state().of<AccessView>().hovered;
  ctx->MouseClick();
  ctx->Yield(2);
  IM_CHECK_EQ(state().selection.warp, static_cast<int>(clicked.row));  // 32 elements of each
  IM_CHECK_EQ(state().selection.lane, static_cast<int>(clicked.col));
  const auto& timeline = *state().results.timeline;
  const auto& events = state().results.trace->events;
  const bool loads = std::ranges::any_of(events, [&](const worker::TraceEvent& e) {
    return e.warp == state().selection.warp && e.kind == worker::TraceEvent::Kind::load &&
           !e.shared &&
           timeline.placed(static_cast<int>(&e - events.data())).column == state().playhead.column;
  });
  IM_CHECK(loads);
  IM_CHECK(linked_code(state()) == (CodeLink{17, 17}));  // its text is the PTX
  link_code(state(), CodeText::kernel, 18);
  bool dims = false;
  IM_CHECK_EQ(access_light(state(), *data, &dims).instructions.size(), 1u);
  select_cta(state(), {0, 3});
  ctx->Yield(2);
  IM_CHECK(eventually(ctx, there));
  IM_CHECK(present_accesses(state())->windows[0] == (AccessWindow{6, 0, 2, 32}));
  ctx->ItemClick("//Access/all CTAs");
  IM_CHECK(eventually(ctx, there));
  IM_CHECK(present_accesses(state())->windows[0] == (AccessWindow{0, 0, 8, 32}));
  state().of<AccessView>().whole_grid = false;
  leave_own_kernel(state());
}

}  // namespace
}  // namespace tilescope::ui_test

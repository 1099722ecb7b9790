#include "app/kit/scene_view.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/kit/cell_layer.h"
#include "app/kit/picture_cursor.h"
#include "app/kit/widgets.h"

namespace tilescope::widgets {
namespace {

using viz::Color;

ImU32 color(Color c) { return IM_COL32(c.r, c.g, c.b, c.a); }

ImFont* font_of(const AppContext& context, viz::Weight weight) {
  switch (weight) {
    case viz::Weight::semibold:
      return context.fonts.bold;
    case viz::Weight::mono:
      return context.fonts.mono;
    case viz::Weight::mono_semibold:
      return context.fonts.mono_bold;
    case viz::Weight::regular:
      break;
  }
  return context.fonts.text;
}

/// One scene being drawn: origin and scale of the panel.
class Painter {
 public:
  Painter(AppContext& context, ImGuiID id, const viz::Scene& scene, ImDrawList* draw, ImVec2 origin)
      : context_(context),
        id_(id),
        scene_(scene),
        draw_(draw),
        origin_(origin),
        s_(context.scale) {}

  void paint() {
    for (const viz::Primitive& p : scene_.primitives) {
      const viz::Box clip = scene_.clips[static_cast<size_t>(p.clip)];
      const ImVec2 from = at(clip.x, clip.y), to = at(clip.right(), clip.bottom());
      draw_->PushClipRect(from, to, true);
      std::visit([&](const auto& shape) { one(shape, clip); }, p.shape);
      draw_->PopClipRect();
    }
  }

 private:
  ImVec2 at(float x, float y) const { return {origin_.x + x * s_, origin_.y + y * s_}; }
  ImVec2 at(viz::Point p) const { return at(p.x, p.y); }

  void one(const viz::Rect& r, const viz::Box&) {
    const ImVec2 a = at(r.box.x, r.box.y), b = at(r.box.right(), r.box.bottom());
    const float radius = r.radius * s_;
    if (r.fill.a) draw_->AddRectFilled(a, b, color(r.fill), radius);
    if (r.hatch.a && r.hatch_step > 0) {
      draw_->PushClipRect(a, b, true);
      const float h = b.y - a.y;
      for (float x = a.x - h; x < b.x; x += r.hatch_step * s_) {
        draw_->AddLine({x, b.y}, {x + h, a.y}, color(r.hatch), s_);
      }
      draw_->PopClipRect();
    }
    if (!r.stroke.a || r.stroke_width <= 0) return;
    const float w = r.stroke_width * s_, h = w / 2;
    if (r.dash.on > 0) {
      const viz::Box box = r.box;
      const float in = r.stroke_width / 2;
      const viz::Point c[4] = {{box.x + in, box.y + in},
                               {box.right() - in, box.y + in},
                               {box.right() - in, box.bottom() - in},
                               {box.x + in, box.bottom() - in}};
      for (int i = 0; i < 4; ++i) dashed(c[i], c[(i + 1) % 4], r.stroke, r.stroke_width, r.dash);
      return;
    }
    // ImGui insets by half a pixel itself.
    const float in = h - 0.5f;
    draw_->AddRect({a.x + in, a.y + in}, {b.x - in, b.y - in}, color(r.stroke), radius, 0, w);
  }
  void one(const viz::Line& l, const viz::Box&) { dashed(l.from, l.to, l.color, l.width, l.dash); }
  void one(const viz::Polyline& l, const viz::Box&) {
    if (l.dash.on > 0) {
      for (size_t i = 1; i < l.points.size(); ++i) {
        dashed(l.points[i - 1], l.points[i], l.color, l.width, l.dash);
      }
      return;
    }
    points_.clear();
    for (const viz::Point& p : l.points) points_.push_back(at(p));
    draw_->AddPolyline(points_.data(), static_cast<int>(points_.size()), color(l.color), 0,
                       l.width * s_);
  }
  void one(const viz::Polygon& g, const viz::Box&) {
    points_.clear();
    for (const viz::Point& p : g.points) points_.push_back(at(p));
    const int n = static_cast<int>(points_.size());
    if (g.fill.a) draw_->AddConvexPolyFilled(points_.data(), n, color(g.fill));
    if (g.stroke.a) {
      draw_->AddPolyline(points_.data(), n, color(g.stroke), ImDrawFlags_Closed,
                         g.stroke_width * s_);
    }
  }
  void one(const viz::Text& t, const viz::Box&) { text(t); }
  void one(const viz::CellGrid& grid, const viz::Box&) {
    const uint64_t name = (static_cast<uint64_t>(id_) << 16) + static_cast<uint64_t>(grids_++);
    draw_cells(context_, draw_, name, grid, scene_.palette, origin_);
  }

  void text(const viz::Text& t) {
    if (t.string.empty() || !t.color.a) return;
    ImFont* font = font_of(context_, t.weight);
    const float size = t.size * s_;
    const float ascent = font->GetFontBaked(size)->Ascent;
    const ImVec2 p = at(t.left(), t.baseline());
    draw_->AddText(font, size, {std::round(p.x), std::round(p.y - ascent)}, color(t.color),
                   t.string.c_str());
  }

  void dashed(viz::Point from, viz::Point to, Color c, float width, viz::Dash dash) {
    if (!c.a) return;
    const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
    // ImGui moves both ends by half a pixel: right for odd widths only.
    const float back = std::lround(width * s_) % 2 == 0 ? 0.5f : 0.0f;
    const auto place = [&](float x, float y) {
      const ImVec2 p = at(x, y);
      return ImVec2(p.x - back, p.y - back);
    };
    if (dash.on <= 0 || length <= 0) {
      draw_->AddLine(place(from.x, from.y), place(to.x, to.y), color(c), width * s_);
      return;
    }
    const float step = std::max(dash.on + dash.off, 0.5f);
    for (float d = 0; d < length; d += step) {
      const float e = std::min(d + dash.on, length);
      draw_->AddLine(place(from.x + dx * d / length, from.y + dy * d / length),
                     place(from.x + dx * e / length, from.y + dy * e / length), color(c),
                     width * s_);
    }
  }

  AppContext& context_;
  ImGuiID id_;
  int grids_ = 0;
  const viz::Scene& scene_;
  ImDrawList* draw_;
  ImVec2 origin_;
  float s_;
  std::vector<ImVec2> points_;
};

/// The shortened text under the pointer, if any: its full form is the tooltip.
const viz::Text* shortened_at(const viz::Scene& scene, viz::Point mouse) {
  for (const viz::Primitive& p : scene.primitives) {
    const viz::Text* t = std::get_if<viz::Text>(&p.shape);
    if (!t || t->full.empty()) continue;
    const viz::Box box{t->left(), t->y - t->size / 2, t->width, t->size};
    if (box.contains(mouse.x, mouse.y)) return t;
  }
  return nullptr;
}

}  // namespace

float FontMeasure::width(std::string_view text, float size, viz::Weight weight) const {
  if (text.empty()) return 0;
  return font_of(context_, weight)
             ->CalcTextSizeA(size * context_.scale, FLT_MAX, 0, text.data(),
                             text.data() + text.size())
             .x /
         context_.scale;
}

const viz::Palette& palette_of(const AppContext& context) {
  const bool dark = context.theme->kind == ThemeKind::kDark;
  if (context.theme->contrast) return viz::contrast_palette(dark);
  return dark ? viz::dark_palette() : viz::light_palette();
}

viz::Size room_for_scene(const AppContext& context, viz::Size least) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  return {std::max(least.w, std::floor(room.x / context.scale)),
          std::max(least.h, std::floor(room.y / context.scale))};
}

namespace {
struct ShownScene {
  const viz::Scene* scene = nullptr;
  ImVec2 at;
};
std::map<std::string, ShownScene>& shown_scenes() {
  static std::map<std::string, ShownScene> scenes;
  return scenes;
}
}  // namespace

const viz::Scene* shown_scene(const std::string& id) {
  const auto at = shown_scenes().find(id);
  return at == shown_scenes().end() ? nullptr : at->second.scene;
}

ImVec2 shown_at(const std::string& id) {
  const auto at = shown_scenes().find(id);
  return at == shown_scenes().end() ? ImVec2() : at->second.at;
}

namespace {
struct CursorPlace {
  int frame = -1;
  ImVec2 at;
};
CursorPlace& cursor_place() {
  static CursorPlace place;
  return place;
}
}  // namespace

void place_picture_tooltip(const AppContext& context) {
  if (cursor_place().frame != ImGui::GetFrameCount()) return;
  const float apart = 12 * context.scale;
  ImGui::SetNextWindowPos({cursor_place().at.x + apart, cursor_place().at.y + apart});
}

SceneInput show_scene(AppContext& context, const char* id, const viz::Scene& scene) {
  SceneInput input;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  shown_scenes()[id] = {&scene, origin};
  const ImVec2 size = {std::max(1.0f, scene.size.w * context.scale),
                       std::max(1.0f, scene.size.h * context.scale)};
  ImGui::InvisibleButton(id, size, ImGuiButtonFlags_EnableNav);
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  Painter(context, ImGui::GetItemID(), scene, ImGui::GetWindowDrawList(), origin).paint();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  input.mouse = {(mouse.x - origin.x) / context.scale, (mouse.y - origin.y) / context.scale};
  if (hovered && !context.rendering) {
    input.hovered = viz::pick(scene, input.mouse.x, input.mouse.y);
    input.clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    input.double_clicked = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    input.wheel = ImGui::GetIO().MouseWheel;
    if (const viz::Text* t = shortened_at(scene, input.mouse)) tooltip(context, t->full);
  }
  input.dragging = active && ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (context.rendering) return input;
  if (const auto keys = picture_cursor(scene)) {
    input = {.hovered = viz::pick(scene, keys->at.x, keys->at.y),
             .mouse = keys->at,
             .clicked = keys->enter,
             .double_clicked = keys->twice,
             .wheel = keys->wheel};
    const ImVec2 at{origin.x + keys->at.x * context.scale, origin.y + keys->at.y * context.scale};
    cursor_place() = {ImGui::GetFrameCount(), at};
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->AddCircle(at, 5 * context.scale, to_imgui(context.theme->halo), 0, 4 * context.scale);
    draw->AddCircle(at, 5 * context.scale, to_imgui(context.theme->accent), 0, 2 * context.scale);
  }
  return input;
}

}  // namespace tilescope::widgets

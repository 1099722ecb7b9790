#include "app/kit/cell_layer.h"

#include <algorithm>
#include <deque>

#include "app/kit/gl_loader.h"
#include "viz/gl/cell_renderer.h"
#include "viz/scene/cells.h"

namespace tilescope::widgets {
namespace {

ImU32 pack(viz::Color c, float opacity) {
  return IM_COL32(c.r, c.g, c.b, static_cast<int>(static_cast<float>(c.a) * opacity + 0.5f));
}

/// Few and large cells: rectangles, so that lines and ticks fall on whole pixels.
class CellPainter {
 public:
  CellPainter(ImDrawList* draw, const viz::CellGrid& grid, const viz::Palette& palette,
              ImVec2 origin, float scale)
      : draw_(draw), g_(grid), palette_(palette), origin_(origin), s_(scale) {}

  void paint() {
    for (int row = 0; row < g_.rows; ++row) {
      for (int col = 0; col < g_.columns; ++col) one(row, col);
    }
  }

 private:
  ImVec2 at(float x, float y) const { return {origin_.x + x * s_, origin_.y + y * s_}; }

  void fill(const viz::Box& b, ImU32 color) {
    draw_->AddRectFilled(at(b.x, b.y), at(b.right(), b.bottom()), color);
  }
  void one(int row, int col) {
    const uint32_t cell = g_.cells[static_cast<size_t>(row) * static_cast<size_t>(g_.columns) +
                                   static_cast<size_t>(col)];
    if (cell & viz::kCellEmpty) return;
    const viz::Box whole = viz::cell_box(g_, row, col);
    viz::Box box = whole;
    const bool run_right = (col + 1) % g_.run_columns == 0 || col + 1 == g_.columns;
    const bool run_low = (row + 1) % g_.run_rows == 0 || row + 1 == g_.rows;
    const float line = std::min(box.w, box.h) >= 3 ? g_.line_width : 0;
    if (run_right) box.w -= line;
    if (run_low) box.h -= line;
    const viz::Color color = viz::cell_color(g_, cell, palette_);
    fill(box, pack(color, g_.opacity));
    const ImU32 white = pack(viz::rgb(0xffffff), 0.75f * g_.opacity);
    if (cell & viz::kCellEdgeRight) fill({whole.right() - 1, whole.y, 1, whole.h}, white);
    if (cell & viz::kCellEdgeBottom) fill({whole.x, whole.bottom() - 1, whole.w, 1}, white);
    if (g_.inner_lines) {
      const ImU32 ink = pack(viz::ink_on(color), 0.16f);
      if (!run_right) fill({box.right() - 1, box.y + box.h * 0.45f, 1, box.h * 0.55f - 2}, ink);
      if (!run_low) fill({box.x + 3, box.bottom() - 1, box.w - 6, 1}, ink);
    }
    if (row % g_.run_rows != 0 || col % g_.run_columns != 0) return;
    const std::vector<viz::Point> tick = viz::cell_tick(g_, row, col);
    if (tick.size() == 3) {
      draw_->AddTriangleFilled(at(tick[0].x, tick[0].y), at(tick[1].x, tick[1].y),
                               at(tick[2].x, tick[2].y),
                               pack(viz::ink_on(color), 0.55f * g_.opacity));
    }
  }

  ImDrawList* draw_;
  const viz::CellGrid& g_;
  const viz::Palette& palette_;
  ImVec2 origin_;
  float s_;
};

/// Many cells: one quad with a texture, drawn inside ImGui's own rendering.
struct Job {
  uint64_t id;
  const viz::CellGrid* grid;
  const viz::Palette* palette;
  ImVec2 origin;
  float scale;
};

viz::gl::CellRenderer& renderer() {
  // Never destroyed: at exit the context is gone before statics are.
  static auto* one = new viz::gl::CellRenderer(gl_loader(), gl_dialect());
  return *one;
}

std::deque<Job>& jobs_of_this_frame() {
  static std::deque<Job> jobs;
  static int frame = -1;
  if (frame != ImGui::GetFrameCount()) {
    frame = ImGui::GetFrameCount();
    if (!jobs.empty()) renderer().end_frame();
    jobs.clear();
  }
  return jobs;
}

void run_job(const ImDrawList*, const ImDrawCmd* command) {
  const Job& job = *static_cast<const Job*>(command->UserCallbackData);
  const ImGuiIO& io = ImGui::GetIO();
  const float fx = io.DisplayFramebufferScale.x, fy = io.DisplayFramebufferScale.y;
  viz::gl::Target target;
  target.framebuffer_w = static_cast<int>(io.DisplaySize.x * fx);
  target.framebuffer_h = static_cast<int>(io.DisplaySize.y * fy);
  target.x = job.origin.x * fx;
  target.y = job.origin.y * fy;
  target.scale = job.scale * fx;
  const ImVec4 clip = command->ClipRect;
  target.clip = {clip.x * fx, clip.y * fy, (clip.z - clip.x) * fx, (clip.w - clip.y) * fy};
  renderer().draw(job.id, *job.grid, *job.palette, target);
}

constexpr size_t kRectangles = 1500;  // cells that ImGui may draw itself

}  // namespace

void draw_cells(AppContext& context, ImDrawList* draw, uint64_t id, const viz::CellGrid& grid,
                const viz::Palette& palette, ImVec2 origin) {
  const size_t cells =
      static_cast<size_t>(std::max(0, grid.columns)) * static_cast<size_t>(std::max(0, grid.rows));
  if (cells == 0 || grid.cells.size() < cells) return;
  if (cells <= kRectangles) {
    CellPainter(draw, grid, palette, origin, context.scale).paint();
    return;
  }
  std::deque<Job>& jobs = jobs_of_this_frame();
  jobs.push_back({id, &grid, &palette, origin, context.scale});
  draw->AddCallback(run_job, &jobs.back());
  draw->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace tilescope::widgets

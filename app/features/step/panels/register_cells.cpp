#include "app/features/step/panels/register_cells.h"

#include <algorithm>

namespace tilescope::widgets {

LaneColumns columns_for(const AppContext& context, float room, NumberForm form) {
  const float s = context.scale;
  LaneColumns c;
  const float character = ImGui::CalcTextSize("0").x;
  c.characters = cell_characters(form);
  c.name = std::min(9.5f * character + 6 * s, room * 0.3f);
  c.line = ImGui::GetTextLineHeight() + 2 * s;
  const float least = static_cast<float>(c.characters) * character + 3 * s;
  c.lanes = 4;
  for (const int lanes : {8, 16, 32}) {
    if (c.name + static_cast<float>(lanes) * least <= room) c.lanes = lanes;
  }
  c.cell = std::max(4.0f, (room - c.name) / static_cast<float>(c.lanes));
  return c;
}

ImVec2 cell_at(const LaneColumns& c, float left, float top, int lane) {
  const int row = lane / c.lanes, col = lane % c.lanes;
  return {left + c.name + static_cast<float>(col) * c.cell, top + static_cast<float>(row) * c.line};
}

float height_of(const LaneColumns& c, const RegisterRow& row) {
  const bool folded = row.uniform || row.bits == 1;
  return (folded ? c.line : c.line * static_cast<float>(c.rows())) + 2;
}

std::vector<CellLine> cell_lines(const LaneColumns& c, const std::vector<RegisterRow>& rows,
                                 float left, float right, float top) {
  std::vector<CellLine> lines;
  for (size_t i = 0; i < rows.size(); ++i) {
    const int row = static_cast<int>(i);
    if (rows[i].uniform) {
      lines.push_back({row, 0, 1, {left + c.name, top}, right - left - c.name});
    } else if (rows[i].bits == 1) {
      lines.push_back(
          {row, 0, kWarpLanes, {left + c.name, top}, (right - left - c.name) / kWarpLanes});
    } else {
      for (int line = 0; line < c.rows(); ++line) {
        lines.push_back(
            {row, line * c.lanes, c.lanes, cell_at(c, left, top, line * c.lanes), c.cell});
      }
    }
    top += height_of(c, rows[i]);
  }
  return lines;
}

CellUnder under_keys(const LaneColumns& c, const std::vector<CellLine>& lines,
                     const CellKeys& keys) {
  const CellLine& line = lines[static_cast<size_t>(keys.line)];
  const int column = std::min(keys.column, line.lanes - 1);
  const ImVec2 from{line.from.x + static_cast<float>(column) * line.cell, line.from.y};
  return {line.row, line.first + column, from, {from.x + line.cell, from.y + c.line}};
}

CellUnder under_pointer(const LaneColumns& c, const std::vector<RegisterRow>& rows, float left,
                        float right, float top) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (size_t i = 0; i < rows.size(); ++i) {
    const float height = height_of(c, rows[i]);
    if (mouse.y >= top && mouse.y < top + height) {
      CellUnder under{.row = static_cast<int>(i),
                      .lane = 0,
                      .from = {left, top},
                      .to = {right, top + height - 2}};
      if (mouse.x < left + c.name || rows[i].uniform) return under;
      if (rows[i].bits == 1) {
        const float width = (right - left - c.name) / kWarpLanes;
        under.lane =
            std::clamp(static_cast<int>((mouse.x - left - c.name) / width), 0, kWarpLanes - 1);
        return under;
      }
      const int column =
          std::clamp(static_cast<int>((mouse.x - left - c.name) / c.cell), 0, c.lanes - 1);
      const int line = std::clamp(static_cast<int>((mouse.y - top) / c.line), 0, c.rows() - 1);
      under.lane = line * c.lanes + column;
      under.from = cell_at(c, left, top, under.lane);
      under.to = {under.from.x + c.cell, under.from.y + c.line};
      return under;
    }
    top += height;
  }
  return {};
}

}  // namespace tilescope::widgets

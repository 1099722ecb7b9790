#include "app/kit/core/line_heat.h"

#include <fmt/format.h>

#include <cmath>

#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"

namespace tilescope::widgets {

std::string short_count(uint64_t value) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P"};
  auto v = static_cast<double>(value);
  int unit = 0;
  while (v >= 999.5 && unit < 5) v /= 1000, ++unit;
  if (unit == 0) return std::to_string(value);
  return v < 9.995   ? fmt::format("{:.2f}{}", v, kUnits[unit])
         : v < 99.95 ? fmt::format("{:.1f}{}", v, kUnits[unit])
                     : fmt::format("{:.0f}{}", v, kUnits[unit]);
}

std::string line_sentence(const std::string& line, const LineFigures& f) {
  const auto grouped = [](uint64_t value) { return model::grouped(static_cast<long long>(value)); };
  std::string text =
      wording("{}, whole problem: {} warp instructions", line, grouped(f.instructions));
  if (f.sectors > 0) {
    text += wording("\n{} sectors of 32 B, {:.2f} per warp instruction", grouped(f.sectors),
                    static_cast<double>(f.sectors) / static_cast<double>(f.instructions));
  }
  if (f.wavefronts > 0) {
    text += wording("\n{} wavefronts of shared memory, {} at best", grouped(f.wavefronts),
                    grouped(f.ideal));
  }
  if (f.conflicts()) {
    text += wording(
        "\nBank conflicts: {:.3g} times the wavefronts that would do. XOR the 16-byte chunk with "
        "the row "
        "(swizzle XOR), or pad the rows.",
        static_cast<double>(f.wavefronts) / static_cast<double>(f.ideal > 0 ? f.ideal : 1));
  }
  return text;
}

std::string finding_text(const worker::CodeFinding& f) {
  const std::string said = retold(f.message);
  std::string text = f.remark ? wording("slow: {}", said) : wording("wrong: {}", said);
  if (f.count > 1) {
    text += wording(" ({} times)", model::grouped(static_cast<long long>(f.count)));
  }
  return text;
}

void draw_finding_mark(const AppContext& context, ImVec2 at, ImVec2 size, bool wrong) {
  const Theme& theme = *context.theme;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float r = std::min(size.x, size.y) * 0.42f;
  const ImVec2 c{at.x + size.x / 2, at.y + size.y / 2};
  if (wrong) {
    const ImU32 color = to_imgui(theme.warning);
    draw->AddLine({c.x - r, c.y - r}, {c.x + r, c.y + r}, color, 2 * context.scale);
    draw->AddLine({c.x - r, c.y + r}, {c.x + r, c.y - r}, color, 2 * context.scale);
  } else {
    draw->AddTriangleFilled({c.x, c.y - r}, {c.x + r, c.y + r}, {c.x - r, c.y + r},
                            to_imgui(theme.warning));
  }
}

void draw_line_heat(const AppContext& context, ImVec2 at, ImVec2 size, const LineFigures& figures,
                    LineMetric metric, uint64_t most) {
  const uint64_t value = figure_of(figures, metric);
  if (value == 0 || most == 0) return;
  const Theme& theme = *context.theme;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const bool bad = metric == LineMetric::wavefronts && figures.conflicts();
  // The square root keeps a line with a hundredth of the most visible.
  const auto share =
      static_cast<float>(std::sqrt(static_cast<double>(value) / static_cast<double>(most)));
  ImVec4 ground = to_vec4(bad ? theme.warning : theme.accent);
  ground.w = 0.08f + 0.42f * share;
  draw->AddRectFilled({at.x, at.y + 1}, {at.x + size.x, at.y + size.y - 1},
                      ImGui::ColorConvertFloat4ToU32(ground));
  const std::string text = short_count(value);
  draw->AddText({at.x + size.x - ImGui::CalcTextSize(text.c_str()).x - 2, at.y},
                to_imgui(theme.text), text.c_str());
}

}  // namespace tilescope::widgets

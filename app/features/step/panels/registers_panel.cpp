// Registers: what each lane of a warp holds, before its next instruction.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "app/features/step/panels/register_cells.h"
#include "app/features/step/panels/step_parts.h"
#include "app/features/step/step_words.h"
#include "app/kit/cell_cursor.h"
#include "app/kit/header_row.h"
#include "app/kit/item_keys.h"
#include "app/kit/scene_view.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "app/state/origins.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

constexpr float kCellText = 10;  // pixels at scale 1

struct Painter {
  AppContext& context;
  const LaneColumns& c;
  NumberForm chosen;
  WarpLanes lanes;
  ImDrawList* draw;
  float left, right;

  ImU32 ink(bool active) const {
    return to_imgui(active ? context.theme->text : context.theme->dim);
  }
  void text(ImVec2 at, ImU32 color, const std::string& words) const {
    draw->AddText(at, color, words.c_str());
  }

  void lane_head(float top) const {
    const viz::Palette& palette = palette_of(context);
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const ImVec2 at = cell_at(c, left, top, lane);
      const ImVec2 end{at.x + c.cell - 1, at.y + c.line - 1};
      const Color ground = palette.lane(lane, 0.8f);
      draw->AddRectFilled(at, end, to_imgui(ground));
      const std::string number = std::to_string(lane);
      const float width = ImGui::CalcTextSize(number.c_str()).x;
      text({at.x + (c.cell - 1 - width) / 2, at.y}, to_imgui(viz::ink_on(ground)), number);
      if (lane == context.state->selection.lane) {
        draw->AddRect(at, end, to_imgui(context.theme->select));
      }
    }
    text({left, top}, to_imgui(context.theme->dim), "lane");
  }

  /// All lanes that count have the same: one cell.
  void folded(const RegisterRow& row, float top, const emulator::StepRegister& r) const {
    const auto lane = static_cast<size_t>(std::countr_zero(lanes.alive ? lanes.alive : 1u));
    const NumberForm form = form_of_register(chosen, r);
    const std::string value = row.bits == 1 ? (row.values[lane] ? "true" : "false")
                                            : whole_number(form, row.bits, row.values[lane]);
    text({left + c.name, top}, ink(true), value);
    const char* same = "the same in all lanes";
    const float width = ImGui::CalcTextSize(same).x;
    const float from = left + c.name + ImGui::CalcTextSize(value.c_str()).x + 10 * context.scale;
    if (right - width > from) text({right - width, top}, to_imgui(context.theme->dim), same);
  }

  void predicate(const RegisterRow& row, float top) const {
    const float width = (right - left - c.name) / kWarpLanes;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const float x = left + c.name + static_cast<float>(lane) * width;
      const ImVec2 from{x + 1, top + 2}, to{x + width - 1, top + c.line - 2};
      if ((lanes.alive >> lane & 1u) == 0) {
        hatch(draw, from, to, to_imgui(context.theme->faint));
      } else if (row.values[static_cast<size_t>(lane)] != 0) {
        draw->AddRectFilled(from, to, to_imgui(context.theme->accent));
      } else {
        draw->AddRect(from, to, to_imgui(context.theme->faint));
      }
    }
  }

  void cells(const RegisterRow& row, float top, const emulator::StepRegister& r) const {
    const NumberForm form = form_of_register(chosen, r);
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const ImVec2 at = cell_at(c, left, top, lane);
      if ((lanes.alive >> lane & 1u) == 0) {
        hatch(draw, {at.x + 1, at.y + 1}, {at.x + c.cell - 2, at.y + c.line - 1},
              to_imgui(context.theme->faint));
        continue;
      }
      if (row.changed != ~0u && (row.changed >> lane & 1u) != 0) {
        draw->AddRectFilled(at, {at.x + c.cell - 1, at.y + c.line},
                            to_imgui(mix(context.theme->panel, context.theme->accent, 45)));
      }
      const std::string value =
          short_number(form, row.bits, row.values[static_cast<size_t>(lane)], c.characters);
      const float width = ImGui::CalcTextSize(value.c_str()).x;
      text({at.x + std::max(1.0f, c.cell - 3 * context.scale - width), at.y},
           ink((lanes.active >> lane & 1u) != 0), value);
    }
  }

  void row(const RegisterRow& row, float top, const emulator::StepRegister& r) const {
    if (row.changed != 0) {
      draw->AddRectFilled({left, top}, {right, top + height_of(c, row) - 2},
                          to_imgui(context.theme->accent_ground));
    }
    const std::string name = (row.changed != 0 ? "▶" : "") + row.name;
    const Color color = row.is_live || row.changed != 0 ? context.theme->text : context.theme->dim;
    text({left, top}, to_imgui(color), elide(name, c.name - 4 * context.scale));
    if (row.uniform) return folded(row, top, r);
    if (row.bits == 1) return predicate(row, top);
    cells(row, top, r);
  }
};

void value_tooltip(AppContext& context, const RegisterRow& row, const CellUnder& under, int warp,
                   const emulator::StepWarp& ran) {
  AppState& state = *context.state;
  const uint64_t value = row.values[static_cast<size_t>(under.lane)];
  std::string text = row.uniform ? wording("{}, the same in all lanes", row.name)
                                 : wording("{} of lane {}", row.name, under.lane);
  if (row.bits == 1) {
    text += value ? " = true" : " = false";
  } else {
    text +=
        wording("\nf32 {}\nf16 {}\nint {}\nhex {}", whole_number(NumberForm::f32, row.bits, value),
                whole_number(NumberForm::f16, row.bits, value),
                whole_number(NumberForm::integer, row.bits, value),
                whole_number(NumberForm::hex, row.bits, value));
  }
  if ((row.changed >> under.lane & 1u) != 0) {
    text += wording("\nwritten by the warp's last instruction, PTX line {}", ran.ran_ptx_line);
  }
  if (!row.is_live) text += tr("\nnobody reads this value any more");
  if (row.bits != 1) {
    if (const auto question = origin_of_register(state, warp, row.ptx_name, under.lane)) {
      text += "\n" + origin_words(state, *question);
    }
  }
  ImGui::BeginTooltip();
  ImGui::PushFont(context.fonts.text, Fonts::kText);
  ImGui::PushTextWrapPos(340 * context.scale);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  ImGui::EndTooltip();
}

struct Clicked {
  std::string name;
  int lane = 0;
  bool predicate = false;
};
Clicked& clicked() {
  static Clicked c;
  return c;
}

void popup(AppContext& context, int warp) {
  if (!ImGui::BeginPopup("register")) return;
  const Clicked& c = clicked();
  const std::string one = fmt::format("{}.{}", c.name, c.lane);
  until_items(context, "register", one, wording("{} of lane {} is written", c.name, c.lane));
  until_items(context, "register", c.name, wording("{} is written in any lane", c.name));
  if (!c.predicate) {
    origin_items(context, origin_of_register(*context.state, warp, c.name, c.lane));
  }
  ImGui::EndPopup();
}

/// What was written last comes into view, once for each place.
void show_changed(const std::vector<RegisterRow>& rows, const LaneColumns& c,
                  const std::shared_ptr<const worker::StepAnswer>& answer) {
  static std::weak_ptr<const worker::StepAnswer> shown;
  if (shown.lock() == answer) return;
  shown = answer;
  float top = 0;
  for (const RegisterRow& row : rows) {
    const float height = height_of(c, row);
    if (row.changed != 0) {
      const float from = ImGui::GetScrollY(), room = ImGui::GetWindowHeight();
      if (top < from || top + height > from + room) {
        ImGui::SetScrollY(std::max(0.0f, top - room / 3));
      }
      return;
    }
    top += height;
  }
}

void draw_rows(AppContext& context, const std::vector<RegisterRow>& rows,
               const emulator::StepRegisters& of, const LaneColumns& c, const WarpLanes& lanes,
               const emulator::StepWarp& warp) {
  AppState& state = *context.state;
  const StepView& view = state.of<StepView>();
  float height = 0;
  for (const RegisterRow& row : rows) height += height_of(c, row);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + c.name + c.cell * static_cast<float>(c.lanes);
  ImGui::InvisibleButton("##values", {std::max(1.0f, right - at.x), std::max(1.0f, height)},
                         ImGuiButtonFlags_EnableNav);
  const bool hovered = ImGui::IsItemHovered() && !context.rendering;
  const bool rests = hovered && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal);
  const bool pressed = ImGui::IsItemClicked();
  const std::vector<CellLine> lines =
      by_keyboard() ? cell_lines(c, rows, at.x, right, at.y) : std::vector<CellLine>();
  const auto keys = cell_cursor(kWarpLanes, static_cast<int>(lines.size()));
  const CellUnder under = keys      ? under_keys(c, lines, *keys)
                          : hovered ? under_pointer(c, rows, at.x, right, at.y)
                                    : CellUnder{};
  const Painter painter{
      context, c,    static_cast<NumberForm>(view.number_form), lanes, ImGui::GetWindowDrawList(),
      at.x,    right};
  const float first = ImGui::GetWindowPos().y, last = first + ImGui::GetWindowHeight();
  show_changed(rows, c, state.of<StepView>().answer);
  float top = at.y;
  for (const RegisterRow& row : rows) {
    const float bottom = top + height_of(c, row);
    if (bottom >= first && top <= last) {
      // The row's own register: the form that its name asks for.
      emulator::StepRegister r;
      r.name = row.ptx_name, r.bits = row.bits;
      painter.row(row, top, r);
    }
    top = bottom;
  }
  if (under.row >= 0) {
    ImGui::GetWindowDrawList()->AddRect(under.from, under.to, to_imgui(context.theme->select));
    if (keys) draw_cell_cursor(context, *keys, under.from, under.to);
    const RegisterRow& row = rows[static_cast<size_t>(under.row)];
    if (keys ? keys->enter : pressed) {
      clicked() = {row.ptx_name, under.lane, row.bits == 1};
      if (state.derived.kernel && !row.uniform) select_lane(state, under.lane);
      ImGui::OpenPopup("register");
    } else if ((keys || rests) && !ImGui::IsPopupOpen("register")) {
      if (keys) place_tooltip_beside(under.from, under.to);
      value_tooltip(context, row, under, static_cast<int>(of.warp), warp);
    }
  }
  popup(context, static_cast<int>(of.warp));
}

void draw_registers(AppContext& context) {
  AppState& state = *context.state;
  StepView& view = state.of<StepView>();
  view.wanted.registers = true;
  const worker::StepAnswer* answer = step_answer_or_why(context);
  if (!answer) return;
  const int warp = shown_warp(view, *answer);
  const auto of = std::ranges::find(answer->state.registers, static_cast<uint32_t>(warp),
                                    &emulator::StepRegisters::warp);
  if (of == answer->state.registers.end() || answer->state.warps.empty()) {
    elided(context,
           answer->state.warps.empty() ? "The run has ended: no warp is left."
                                       : "The registers are on their way.",
           Tone::dim);
    return;
  }
  const WarpLanes lanes = lanes_of(answer->state, warp);
  const std::vector<RegisterRow> rows = register_rows(*of, lanes.alive);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context,
         lanes.alive == 0
             ? wording("warp {} has ended", warp)
             : wording("{} of warp {}: {} next; dim: not active, hatched: ended · {} registers",
                       cta_name(answer->state.cta), warp, lanes_words(lanes.active), rows.size()),
         Tone::dim);
  ImGui::PopFont();
  if (rows.empty()) {
    elided(context, "No register has a value that is still read.", Tone::dim);
    return;
  }
  ImGui::PushFont(context.fonts.mono, kCellText);
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const LaneColumns c = columns_for(context, ImGui::GetContentRegionAvail().x - bar,
                                    static_cast<NumberForm>(view.number_form));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Painter head{context,
                     c,
                     NumberForm::automatic,
                     lanes,
                     ImGui::GetWindowDrawList(),
                     at.x,
                     at.x + c.name + c.cell * static_cast<float>(c.lanes)};
  head.lane_head(at.y);
  ImGui::Dummy({1, c.line * static_cast<float>(c.rows())});
  if (ImGui::BeginChild("##registers", {0, 0}, ImGuiChildFlags_NavFlattened))
    draw_rows(context, rows, *of, c, lanes, answer->state.warps[static_cast<size_t>(warp)]);
  ImGui::EndChild();
  ImGui::PopFont();
}

void registers_header(AppContext& context) {
  StepView& view = context.state->of<StepView>();
  const HeaderItem items[] = {
      {segmented_width(context, kNumberForms),
       [&] { segmented(context, "number_form", kNumberForms, &view.number_form); }},
      {ImGui::CalcTextSize(tr("live only")).x + 2 * ImGui::GetFrameHeight(), [&] {
         ImGui::Checkbox(tr_id("live only"), &view.live_only);
         tooltip(context,
                 "Only registers whose value some lane may still read, or that were just written");
       }}};
  header_row(context, items);
}

constexpr Gesture kGestures[] = {
    {"hover", "all digits, every form, and where the value came from"},
    {"click", "runs until it is written, back to where it was, or to the elements it is made of"},
    {"arrows, Enter", "the same by keyboard, once F6 and Tab have come to it"}};

}  // namespace

extern const Panel registers_panel = {
    .id = "registers",
    .title = "Registers",
    .docks = {.step = Dock::kRightTop},
    .draw = draw_registers,
    .draw_header = registers_header,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope

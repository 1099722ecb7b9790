// Shared memory of a stepped CTA: rows of 32 banks, what the next instruction accesses, and what
// the last motion changed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "app/features/step/panels/shared_words.h"
#include "app/features/step/panels/step_parts.h"
#include "app/features/step/step_words.h"
#include "app/kit/cell_cursor.h"
#include "app/kit/header_row.h"
#include "app/kit/scene_view.h"
#include "app/kit/widgets.h"
#include "app/state/origins.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

constexpr float kWordText = 10;  // pixels at scale 1
constexpr int kRowBytes = kBanks * kBankBytes;

Color operand_color(const Theme& theme, Operand operand) {
  switch (operand) {
    case Operand::a:
      return theme.a;
    case Operand::b:
      return theme.b;
    default:
      return theme.c;
  }
}

struct Grid {
  float name = 0, cell = 0, line = 0;
  size_t characters = 0;  // 0: no room for values
  int first = 0, words = 0;
  int rows() const { return (words + kBanks - 1) / kBanks; }
};

Grid grid_for(const AppContext& context, float room, const SharedPart& part, bool wide,
              NumberForm form) {
  const float s = context.scale, character = ImGui::CalcTextSize("0").x;
  Grid g;
  g.name = 7 * character + 4 * s;
  g.line = ImGui::GetTextLineHeight() + 2 * s;
  g.first = part.first / kRowBytes * kRowBytes;  // rows begin at bank 0
  g.words = (part.first + part.bytes - g.first + 3) / 4;
  const size_t needs = std::max<size_t>(5, cell_characters(form));
  const float values = static_cast<float>(needs) * character + 4 * s;
  const float shared = std::floor((room - g.name) / kBanks);
  g.cell = wide ? std::max(values, shared) : std::max(3.0f, shared);
  if (g.cell >= values) g.characters = needs;
  return g;
}

void word_tooltip(AppContext& context, const emulator::StepState& stepped, int byte, uint32_t word,
                  int lane, bool changed) {
  AppState& state = *context.state;
  std::string text = wording("bytes {} to {} of shared memory, bank {}", byte, byte + 3,
                             byte / kBankBytes % kBanks);
  if (const auto what = shared_byte(state, byte)) {
    text += "\n";
    text += what->element_bytes < 4 ? wording("{} and what follows it", what->words) : what->words;
  }
  text +=
      wording("\nf32 {}\nf16 {}\nint {}\nhex {}", whole_number(NumberForm::f32, 32, word),
              whole_number(NumberForm::f16, 32, word), whole_number(NumberForm::integer, 32, word),
              whole_number(NumberForm::hex, 32, word));
  if (lane >= 0) text += wording("\nlane {} accesses it next", lane);
  if (changed) text += tr("\nit is another value than before the last motion");
  const std::vector<ByteWriter> writers = writers_of_bytes(stepped, byte, kBankBytes);
  for (const ByteWriter& w : writers) text += wording("\nwritten by {}", w.words);
  if (writers.empty()) text += tr("\nnobody has written it");
  if (const auto question = origin_of_shared(state, byte)) {
    text += "\n" + origin_words(state, *question);
  }
  ImGui::BeginTooltip();
  ImGui::PushFont(context.fonts.text, Fonts::kText);
  ImGui::PushTextWrapPos(380 * context.scale);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  ImGui::EndTooltip();
}

int& clicked_byte() {
  static int byte = 0;
  return byte;
}

void word_popup(AppContext& context, const emulator::StepState& stepped) {
  if (!ImGui::BeginPopup("word")) return;
  const int byte = clicked_byte();
  for (const ByteWriter& w : writers_of_bytes(stepped, byte, kBankBytes)) {
    const std::string back =
        fmt::format("{}###writer{}", wording("Back to its last writer: {}", w.words), w.byte);
    if (ImGui::MenuItem(back.c_str())) {
      step_to_writer(*context.state, w.byte, w.by);
    }
  }
  const std::string place = fmt::format("s+{}:4", byte);
  until_items(context, "written", place, wording("bytes {} to {} are written", byte, byte + 3));
  until_items(context, "read", place, wording("bytes {} to {} are read", byte, byte + 3));
  origin_items(context, origin_of_shared(*context.state, byte));
  ImGui::EndPopup();
}

void draw_words(AppContext& context, const StepView& view, const SharedWords& p, const Grid& g,
                const SharedPart& part, const SharedForm& form) {
  AppState& state = *context.state;
  const Theme& theme = *context.theme;
  const viz::Palette& palette = palette_of(context);
  const std::vector<std::byte>& bytes = view.answer->state.shared;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = g.name + g.cell * kBanks;
  ImGui::InvisibleButton("##words", {width, std::max(1.0f, g.line * static_cast<float>(g.rows()))},
                         ImGuiButtonFlags_EnableNav);
  const auto keys = cell_cursor(kBanks, g.rows());
  const bool hovered = ImGui::IsItemHovered() && !context.rendering;
  const bool rests = hovered && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal);
  const bool pressed = ImGui::IsItemClicked();
  const bool padded = state.derived.legal();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float top = ImGui::GetWindowPos().y, height = ImGui::GetWindowHeight();
  const int first = std::max(0, static_cast<int>((top - at.y) / g.line));
  const int last = std::min(g.rows(), static_cast<int>((top + height - at.y) / g.line) + 1);
  for (int row = first; row < last; ++row) {
    const float y = at.y + static_cast<float>(row) * g.line;
    draw->AddText({at.x, y}, to_imgui(theme.dim),
                  fmt::format("{:>6}", g.first + row * kRowBytes).c_str());
    for (int bank = 0; bank < kBanks; ++bank) {
      const int byte = g.first + row * kRowBytes + bank * kBankBytes;
      if (byte + 3 < part.first || byte >= part.first + part.bytes ||
          static_cast<size_t>(byte) >= bytes.size()) {
        continue;
      }
      const auto word = static_cast<size_t>(byte / 4);
      const ImVec2 from{at.x + g.name + static_cast<float>(bank) * g.cell, y};
      const ImVec2 to{from.x + g.cell - 1, y + g.line - 1};
      const uint32_t value = word_at(bytes, byte);
      const int lane = word < p.lane.size() ? p.lane[word] : -1;
      const auto what = shared_byte(state, byte);
      const double share = p.most > 0 ? magnitude(form, value) / p.most : 0;
      const Color hue = operand_color(theme, what ? what->operand : part.operand);
      Color ground = mix(theme.panel, hue, 10 + static_cast<int>(60 * std::sqrt(share)));
      if (padded && !what) ground = mix(theme.panel, theme.dim, 8);  // no element of the plan
      if (lane >= 0) ground = palette.lane(lane);
      draw->AddRectFilled(from, to, to_imgui(ground));
      if (lane >= 0) draw->AddRect(from, to, to_imgui(theme.select));
      if (p.changed[word]) {
        draw->AddRectFilled({from.x, to.y - 2 * context.scale}, to, to_imgui(theme.warning));
      }
      if (g.characters > 0) {
        draw->AddText({from.x + 2 * context.scale, y}, to_imgui(viz::ink_on(ground)),
                      short_number(form.form, 32, value, g.characters).c_str());
      }
    }
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int bank = keys ? keys->column : static_cast<int>((mouse.x - at.x - g.name) / g.cell);
  const int row = keys ? keys->line : static_cast<int>((mouse.y - at.y) / g.line);
  const int byte = g.first + row * kRowBytes + 4 * bank;
  const bool under = keys || (hovered && mouse.x >= at.x + g.name && bank < kBanks);
  const bool inside = under && byte >= 0 && static_cast<size_t>(byte) < bytes.size();
  const ImVec2 from{at.x + g.name + static_cast<float>(bank) * g.cell,
                    at.y + static_cast<float>(row) * g.line};
  const ImVec2 to{from.x + g.cell - 1, from.y + g.line - 1};
  if (keys) draw_cell_cursor(context, *keys, from, to);
  if (inside && (keys ? keys->enter : pressed)) {
    clicked_byte() = byte;
    ImGui::OpenPopup("word");
  } else if (inside && (keys || rests) && !ImGui::IsPopupOpen("word")) {
    const auto word = static_cast<size_t>(byte / 4);
    if (keys) place_tooltip_beside(from, to);
    word_tooltip(context, view.answer->state, byte, word_at(bytes, byte),
                 word < p.lane.size() ? p.lane[word] : -1, p.changed[word]);
  }
  word_popup(context, view.answer->state);
}

/// The rows of the present access come into view once they are others.
void follow_access(const SharedWords& p, const Grid& g) {
  static std::weak_ptr<const worker::StepAnswer> shown;
  if (shown.lock() == p.of) return;
  shown = p.of;
  if (p.first_accessed < g.first) return;
  const int row = (p.first_accessed - g.first) / kRowBytes;
  const float y = static_cast<float>(row) * g.line;
  const float from = ImGui::GetScrollY(), room = ImGui::GetWindowHeight();
  if (y < from || y + g.line > from + room) ImGui::SetScrollY(std::max(0.0f, y - room / 3));
}

/// How many words of the present access lie on each bank.
void draw_banks(AppContext& context, const emulator::StepState& s, float height) {
  const auto access = shared_access(s);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Dummy({width, height});
  if (!access) return;
  const std::array<int, kBanks> banks = words_on_banks(*access);
  const int most = *std::ranges::max_element(banks);
  const float cell = width / kBanks, unit = (height - 2) / static_cast<float>(std::max(most, 4));
  ImDrawList* draw = ImGui::GetWindowDrawList();
  for (int bank = 0; bank < kBanks; ++bank) {
    const int n = banks[static_cast<size_t>(bank)];
    const float x = at.x + static_cast<float>(bank) * cell;
    const float top = at.y + height - 1 - unit * static_cast<float>(n);
    if (n > 0) {
      draw->AddRectFilled({x, top}, {x + cell - 1, at.y + height - 1},
                          to_imgui(viz::viridis(static_cast<float>(n) / 8.0f)));
    }
    draw->AddLine({x, at.y + height}, {x + cell - 1, at.y + height},
                  to_imgui(context.theme->faint));
  }
  tooltip(context,
          "Distinct words of the next access on each of the 32 banks: a bank serves one "
          "word at a time, and all lanes that want it");
}

void draw_shared(AppContext& context) {
  AppState& state = *context.state;
  StepView& view = state.of<StepView>();
  view.wanted.shared = true;
  const worker::StepAnswer* answer = step_answer_or_why(context);
  if (!answer) return;
  const emulator::StepState& s = answer->state;
  if (!view.known.shared) {
    return elided(context, "Shared memory is on its way.", Tone::dim);
  }
  if (s.shared.empty()) {
    empty_panel(context, "No shared memory",
                s.warps.empty() ? "The run has ended: no CTA is left."
                                : "This kernel's CTAs have no shared memory.");
    return;
  }
  const std::vector<SharedPart> parts = shared_parts(state, s.shared.size());
  view.region = std::clamp(view.region, 0, static_cast<int>(parts.size()) - 1);
  const SharedPart& part = parts[static_cast<size_t>(view.region)];
  const SharedForm form = shared_form(state, static_cast<NumberForm>(view.memory_form));
  const SharedWords& p = shared_words(view, form);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, shared_access_words(s));
  const float below = ImGui::GetTextLineHeightWithSpacing();
  ImGui::PopFont();
  const float bars = 26 * context.scale;
  ImGui::PushFont(context.fonts.mono, kWordText);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool low = room.y < 110 * context.scale;  // then the words need it
  const float lower = low ? 0 : bars + below + ImGui::GetStyle().ItemSpacing.y;
  const Grid g =
      grid_for(context, room.x - ImGui::GetStyle().ScrollbarSize, part, view.wide, form.form);
  if (ImGui::BeginChild("##shared", {0, std::max(1.0f, room.y - lower)},
                        ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_HorizontalScrollbar)) {
    follow_access(p, g);
    draw_words(context, view, p, g, part, form);
  }
  ImGui::EndChild();
  ImGui::PopFont();
  if (low) return;
  draw_banks(context, s, bars);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context,
         "banks 0 to 31 · in a lane's colour: accessed next · underlined: changed by the last "
         "motion · strength: magnitude",
         Tone::dim);
  ImGui::PopFont();
}

void region_choice(AppContext& context) {
  AppState& state = *context.state;
  StepView& view = state.of<StepView>();
  const worker::StepAnswer* answer = step_answer(state);
  const std::vector<SharedPart> parts =
      shared_parts(state, answer ? answer->state.shared.size() : 0);
  view.region = std::clamp(view.region, 0, static_cast<int>(parts.size()) - 1);
  const std::string now = parts[static_cast<size_t>(view.region)].name;
  ImGui::SetNextItemWidth(70 * context.scale);
  if (!ImGui::BeginCombo("##region", now.c_str())) return;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string label = wording("{}: bytes {} to {}", parts[i].name, parts[i].first,
                                      parts[i].first + parts[i].bytes - 1);
    if (ImGui::Selectable(label.c_str(), static_cast<int>(i) == view.region)) {
      view.region = static_cast<int>(i);
    }
  }
  ImGui::EndCombo();
}

void shared_header(AppContext& context) {
  StepView& view = context.state->of<StepView>();
  const HeaderItem items[] = {
      {70 * context.scale, [&] { region_choice(context); }},
      {ImGui::CalcTextSize(tr("values")).x + 2 * ImGui::GetFrameHeight(),
       [&] {
         ImGui::Checkbox(tr_id("values"), &view.wide);
         tooltip(context, "Words as wide as their values; else 32 banks share the panel's width");
       }},
      {segmented_width(context, kNumberForms),
       [&] { segmented(context, "memory_form", kNumberForms, &view.memory_form); }}};
  header_row(context, items);
}

constexpr Gesture kGestures[] = {
    {"hover", "which bytes, all forms of the value, who wrote it last, where it came from"},
    {"click", "back to its last writer or to where it was read; on until it is written or read"},
    {"arrows, Enter", "the same by keyboard, once F6 and Tab have come to it"}};

}  // namespace

extern const Panel shared_memory_panel = {
    .id = "shared_memory",
    .title = "Shared memory",
    .docks = {.step = Dock::kRightBottom},
    .draw = draw_shared,
    .draw_header = shared_header,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope

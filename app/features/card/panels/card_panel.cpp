// Card sheet: a card by its data sheet, for the model and for the limits of the emulator.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/common/config_folder.h"
#include "app/common/own_cards.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/own_devices.h"

namespace tilescope {
namespace {

using namespace widgets;

struct CardDraft {
  model::OwnDevice card = model::device_like(model::known_devices().front());
  std::string said;  // what is wrong with it
};
CardDraft& card_draft() {
  static CardDraft d;
  return d;
}

/// Empty: nothing of this session is kept.
std::string cards_file(const AppState& state) {
  const std::string folder = config_folder();
  return state.store.empty() || folder.empty() ? "" : folder + "/" + kCardsFile;
}

void start_from(CardDraft& d, const std::string& name, const model::OwnDevice& card) {
  d.card = card;
  d.card.name = name;
  d.said.clear();
}

void base_row(const AppContext& context, CardDraft& d) {
  ImGui::SetNextItemWidth(std::min(260 * context.scale, ImGui::GetContentRegionAvail().x));
  if (!ImGui::BeginCombo("##card_base", wording("Start from {}", d.card.like).c_str())) return;
  for (const model::DeviceRow& row : model::known_devices()) {
    if (ImGui::Selectable(row.name, d.card.like == row.name)) {
      start_from(d, d.card.name, model::device_like(row));
    }
  }
  ImGui::EndCombo();
}

void field_rows(const AppContext& context, CardDraft& d) {
  const float s = context.scale;
  const float width = std::min(420 * s, ImGui::GetContentRegionAvail().x);
  if (!ImGui::BeginTable("##card_fields", 3, ImGuiTableFlags_RowBg, {width, 0})) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 96 * s);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 52 * s);
  for (const model::DeviceField& field : model::device_fields()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    elided(context, field.label);
    if (*field.tip) tooltip(context, field.tip);
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-FLT_MIN);
    double value = field.get(d.card.row);
    if (ImGui::InputDouble(fmt::format("##{}", field.key).c_str(), &value, 0, 0,
                           field.whole ? "%.0f" : "%.6g") &&
        std::isfinite(value)) {
      value = std::clamp(field.whole ? std::round(value) : value, -1e6, 1e6);
      field.set(d.card.row, value);
      d.said.clear();
    }
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    elided(context, field.unit, Tone::dim);
  }
  ImGui::EndTable();
}

void save(AppState& state, CardDraft& d) {
  d.said = add_own_card(d.card, cards_file(state));
  if (!d.said.empty()) return;
  choose_gpu_of_emulator(state, d.card.name);
  say(state, wording("{} is among the cards; the emulator has its limits now.", d.card.name));
}

void own_rows(AppContext& context, CardDraft& d) {
  AppState& state = *context.state;
  const std::vector<model::OwnDevice> own = model::own_devices();
  if (own.empty()) return;
  heading(context, "Cards of yours");
  for (const model::OwnDevice& card : own) {
    ImGui::PushID(card.name.c_str());
    const float button = ImGui::CalcTextSize(tr("Forget")).x + 16 * context.scale;
    const float room = ImGui::GetContentRegionAvail().x - button - 8 * context.scale;
    if (ImGui::Selectable(elide(card.name, room).c_str(), d.card.name == card.name,
                          ImGuiSelectableFlags_AllowOverlap, {room, 0})) {
      start_from(d, card.name, card);
    }
    ImGui::SameLine(0, 8 * context.scale);
    if (ImGui::SmallButton(tr_id("Forget"))) {
      d.said = forget_own_card(card.name, cards_file(state));
      if (state.view.gpu == card.name) {
        choose_gpu_of_emulator(state, model::known_devices().front().name);
      }
    }
    ImGui::PopID();
  }
}

void draw_card(AppContext& context) {
  CardDraft& d = card_draft();
  const float s = context.scale;
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(
      "A card by its data sheet: the model counts with it, and the emulator has "
      "its limits. Nothing of it is measured.");
  ImGui::PopTextWrapPos();
  base_row(context, d);
  const float button = ImGui::CalcTextSize(tr("Save and choose it")).x + 16 * s;
  const float room = ImGui::GetContentRegionAvail().x;
  const bool beside = room > button + 128 * s;
  ImGui::SetNextItemWidth(std::min(260 * s, beside ? room - button - 8 * s : room));
  if (ImGui::InputTextWithHint("##card_name", tr("its name"), &d.card.name)) d.said.clear();
  if (beside) ImGui::SameLine();
  if (ImGui::Button(tr_id("Save and choose it"))) save(*context.state, d);
  if (!d.said.empty()) {
    ImGui::PushTextWrapPos(0);
    ImGui::PushStyleColor(ImGuiCol_Text, tone_color(context, Tone::warning));
    ImGui::TextUnformatted(d.said.c_str());
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
  }
  field_rows(context, d);
  own_rows(context, d);
}

std::vector<Command> card_commands() {
  return {{.id = "device.add_card",
           .title = "Add a card…",
           .menu = "Device",
           .run = [](AppContext& context) { context.commands.request("view.go.card"); },
           .also = "gpu limits sheet sm"}};
}

}  // namespace

extern const Panel card_panel = {
    .id = "card",
    .title = "Card sheet",
    .docks = {},
    .draw = draw_card,
    .commands = card_commands,
    .without_plan = true,
};

}  // namespace tilescope

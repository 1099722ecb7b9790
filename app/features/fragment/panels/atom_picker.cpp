#include "app/features/fragment/panels/atom_picker.h"

#include <fmt/format.h>

#include <array>

#include "app/kit/widgets.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

constexpr float kListWidth = 520, kRows = 14;

struct Search {
  std::array<char, 96> query{};
  std::string answered;  // the query that `found` answers
  bool fresh = true;
  std::vector<const model::Instruction*> found;
};
Search& search() {
  static Search s;
  return s;
}

void answer(Search& s) {
  if (!s.fresh && s.answered == s.query.data()) return;
  s.answered = s.query.data();
  s.found = model::search_instructions(s.answered);
  s.fresh = false;
}

std::string architecture(const model::Instruction& i) {
  const bool wgmma = i.kind == model::Instruction::Kind::mma && i.mma.kind == MmaKind::wgmma;
  return fmt::format("sm_{}{}", i.min_sm, wgmma ? "a" : "");
}

/// One line: the name in PTX, the architecture at the right.
bool row(const AppContext& context, const model::Instruction& i, bool on) {
  ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
  const bool pressed = ImGui::Selectable(i.name.c_str(), on);
  ImGui::PopFont();
  if (!i.cute_name.empty()) ImGui::SetItemTooltip("CuTe: %s", i.cute_name.c_str());
  const std::string sm = architecture(i);
  ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(sm.c_str()).x -
                  4 * context.scale);
  ImGui::TextDisabled("%s", sm.c_str());
  return pressed;
}

/// What the list shows for a query that finds nothing.
bool nothing_found(const AppContext& context, const Search& s, std::string* chosen) {
  ImGui::TextWrapped("%s", wording("No instruction has all of \"{}\". The nearest names:",
                                   std::string(s.query.data()))
                               .c_str());
  for (const std::string& name : model::nearest_instructions(s.query.data(), 4)) {
    if (row(context, *model::find_instruction(name), false)) {
      *chosen = name;
      return true;
    }
  }
  return false;
}

}  // namespace

bool atom_picker(AppContext& context, const model::Instruction* own,
                 const model::Instruction* shown, float width, std::string* chosen) {
  const float s = context.scale;
  bool changed = false;
  const model::Instruction* one = shown ? shown : own;
  const std::string now = one ? one->name : tr("fma.rn.f32, one per thread");
  ImGui::SetNextItemWidth(width);
  ImGui::SetNextWindowSizeConstraints({kListWidth * s, 0}, {kListWidth * s, FLT_MAX});
  const float text_room = width - 30 * s;
  const bool narrow = one && ImGui::CalcTextSize(now.c_str()).x > text_room;
  const std::string preview = elide(narrow ? one->short_name : now, text_room);
  if (!ImGui::BeginCombo("##atom", preview.c_str(), ImGuiComboFlags_HeightLargest)) {
    tooltip(context, wording("{}\nEvery instruction of the PTX ISA: search by shape, type, "
                             "architecture or CuTe name.",
                             now));
    return false;
  }
  Search& list = search();
  if (ImGui::IsWindowAppearing()) {
    list.query[0] = 0;
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(-1);
  const bool enter = ImGui::InputTextWithHint(
      "##search", "m16n8k32 s8 · wgmma 64x256 · ldmatrix trans · fp8 hopper", list.query.data(),
      list.query.size(), ImGuiInputTextFlags_EnterReturnsTrue);
  answer(list);
  if (list.query[0] == 0) {
    const std::string said = own ? wording("the kernel's own: {}", own->short_name)
                                 : std::string(tr("the kernel's own: no mma"));
    if (ImGui::Selectable((said + "###own").c_str(), shown == nullptr)) {
      chosen->clear();
      changed = true;
    }
    ImGui::Separator();
  }
  const auto count = static_cast<int>(list.found.size());
  const float line = ImGui::GetTextLineHeightWithSpacing();
  if (ImGui::BeginChild("list", {0, line * kRows})) {
    if (count == 0) changed |= nothing_found(context, list, chosen);
    ImGuiListClipper clipper;
    clipper.Begin(count);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const model::Instruction& instruction = *list.found[static_cast<size_t>(i)];
        ImGui::PushID(i);
        if (row(context, instruction, &instruction == shown)) {
          *chosen = instruction.name;
          changed = true;
        }
        ImGui::PopID();
      }
    }
  }
  ImGui::EndChild();
  if (enter && count > 0) {
    *chosen = list.found.front()->name;
    changed = true;
  }
  ImGui::TextDisabled("%s",
                      wording("{} of {}; without mma.sp, wgmma.sp and block-scaled kinds (sm_100, "
                              "sm_120)",
                              count, model::instructions().size())
                          .c_str());
  if (changed) ImGui::CloseCurrentPopup();
  ImGui::EndCombo();
  return changed;
}

}  // namespace tilescope::widgets

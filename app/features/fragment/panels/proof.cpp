#include "app/features/fragment/panels/proof.h"

#include <vector>

#include "app/features/fragment/proofs.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/app_state.h"
#include "app/state/device.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

struct Words {
  std::string badge, tooltip;
  Tone tone = Tone::dim;
};

/// "NVIDIA H200" → "H200": a badge is short.
std::string short_device(const std::string& device) {
  constexpr std::string_view kMaker = "NVIDIA ";
  return device.starts_with(kMaker) ? device.substr(kMaker.size()) : device;
}

/// "✓ proven: H200, 2026-11-20"; of a second one "✓ emulator".
Words words_of(const worker::Proof& p, bool first) {
  if (!p.ok)
    return {wording("differs on {}", short_device(p.device)), p.first_wrong, Tone::warning};
  return {first ? wording("✓ proven: {}, {}", short_device(p.device), p.date)
                : "✓ " + short_device(p.device),
          wording("{} facts \"this output comes of that input\" compared on {} (driver {}), {}: "
                  "all as drawn.",
                  model::grouped(static_cast<long long>(p.compared)), p.device, p.driver, p.date),
          Tone::ok};
}

/// One badge per proof, the strongest first; or what is going on.
std::vector<Words> words_of(const Proofs& proofs, const std::string& atom) {
  if (proofs.running == atom)
    return {{"proving …", "Numbered inputs are running through it.", Tone::accent}};
  std::vector<Words> words;
  for (const worker::Proof& p : proofs_of(proofs, atom))
    words.push_back(words_of(p, words.empty()));
  if (proofs.error_atom == atom)  // which takes nothing from what others have shown
    words.push_back({"not proven", proofs.error, Tone::warning});
  if (words.empty()) {
    words.push_back({"not proven yet",
                     "Compared with the ISA's formulas by the tests; press \"Prove it\" to ask the "
                     "instruction itself.",
                     Tone::dim});
  }
  return words;
}

}  // namespace

float proof_width(const AppContext& context) {
  return ImGui::CalcTextSize(tr("Prove it")).x +
         ImGui::CalcTextSize("✓ proven: emulator, 2026-11-20✓ emulator").x + 72 * context.scale;
}

void prove_it(AppContext& context, const model::Instruction& instruction) {
  AppState& state = *context.state;
  const bool busy = !state.of<Proofs>().running.empty() || !state.of<Proofs>().wanted.empty();
  ImGui::BeginDisabled(busy);
  if (ImGui::Button(tr_id("Prove it"))) state.of<Proofs>().wanted = instruction.name;
  ImGui::EndDisabled();
  tooltip(context, is_card(state.device)
                       ? wording("Runs numbered inputs through the instruction itself on {} and "
                                 "compares the whole map.",
                                 device_title(state, state.device))
                       : std::string("Runs numbered inputs through the emulator's own instruction, "
                                     "written from the ISA without the layout functions, and "
                                     "compares the whole map. A card's proof counts for more."));
  const float middle = ImGui::GetItemRectMin().y + 3 * context.scale;  // of the button
  const float gap = 6 * context.scale, sign = 28 * context.scale;
  for (const Words& words : words_of(state.of<Proofs>(), instruction.name)) {
    if (!beside(gap, sign)) return;  // not even for a sign
    ImGui::SetCursorScreenPos({ImGui::GetCursorScreenPos().x, middle});
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::PushFont(context.fonts.text, Fonts::kCaption);
    const bool fits = ImGui::CalcTextSize(words.badge.c_str()).x + 12 * context.scale < room;
    ImGui::PopFont();
    badge(context,
          fits                     ? words.badge
          : words.tone == Tone::ok ? "✓"
                                   : "⚠",
          words.tone, words.tooltip.c_str());
  }
}

}  // namespace tilescope::widgets

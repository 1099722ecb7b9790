#include "app/widgets/proof.h"

#include <fmt/format.h>

#include "app/state/app_state.h"
#include "app/widgets/widgets.h"
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

Words words_of(const Proofs& proofs, const std::string& atom) {
  if (proofs.running == atom)
    return {"proving …", "Tagged inputs are running through it.", Tone::accent};
  if (proofs.error_atom == atom) return {"not proved", proofs.error, Tone::warning};
  const auto it = proofs.known.find(atom);
  if (it == proofs.known.end()) {
    return {"not proved yet",
            "Compared with the ISA's formulas by the tests; press \"Prove it\" to ask the "
            "instruction itself.",
            Tone::dim};
  }
  const worker::Proof& p = it->second;
  if (!p.ok)
    return {fmt::format("differs on {}", short_device(p.device)), p.first_wrong, Tone::warning};
  return {
      fmt::format("✓ proved: {}, {}", short_device(p.device), p.date),
      fmt::format("{} facts \"this output comes of that input\" compared on {} (driver {}), {}: "
                  "all as drawn.",
                  model::grouped(static_cast<long long>(p.compared)), p.device, p.driver, p.date),
      Tone::ok};
}

}  // namespace

float proof_width(const AppContext& context) {
  return ImGui::CalcTextSize("Prove it").x +
         ImGui::CalcTextSize("✓ proved: emulator, 2026-11-20").x + 52 * context.scale;
}

void prove_it(AppContext& context, const model::Instruction& instruction) {
  AppState& state = *context.state;
  const bool busy = !state.proofs.running.empty() || !state.proofs.wanted.empty();
  ImGui::BeginDisabled(busy);
  if (ImGui::Button("Prove it")) state.proofs.wanted = instruction.name;
  ImGui::EndDisabled();
  const bool cuda = state.view.bench_device.starts_with("cuda:");
  tooltip(context,
          fmt::format(
              "Runs tagged inputs through the real instruction on {} and compares the whole map.",
              cuda ? state.view.bench_device : "the emulator"));
  const Words words = words_of(state.proofs, instruction.name);
  ImGui::SameLine(0, 6 * context.scale);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + 3 * context.scale);  // on the buttons' middle
  badge(context, words.badge, words.tone, words.tooltip.c_str());
}

}  // namespace tilescope::widgets

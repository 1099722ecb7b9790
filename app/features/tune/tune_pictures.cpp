#include "app/features/tune/tune_pictures.h"

#include <fmt/format.h>

#include "app/state/edit.h"
#include "app/state/history.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

/// "+20 points over mma_sync; best tile 128×256×64, 3 stages", as far as it is known.
std::string note_of(const LadderPart& part, size_t at) {
  const LadderRow& rung = part.rungs[at];
  std::string text = rung.kernel->info.idea;
  if (is_timed(rung.standing)) text += ". Best tile " + tile_label(rung.edit);
  if (at > 0 && is_timed(rung.standing) && is_timed(part.rungs[at - 1].standing) &&
      rung.of_library && part.rungs[at - 1].of_library) {
    text +=
        wording("; {:+.0f} points on {}", (*rung.of_library - *part.rungs[at - 1].of_library) * 100,
                part.rungs[at - 1].kernel->info.id);
  }
  return text;
}

}  // namespace

viz::LadderState ladder_picture(const AppState&, const std::vector<LadderPart>& parts) {
  viz::LadderState picture;
  for (const LadderPart& part : parts) {
    viz::LadderBars bars;
    bars.name = part.name;
    if (part.library) {
      bars.library = part.library->name.empty() ? "the library" : part.library->name;
      bars.library_tflops = part.library->tflops;
    }
    for (size_t i = 0; i < part.rungs.size(); ++i) {
      const LadderRow& rung = part.rungs[i];
      const KernelInfo& info = rung.kernel->info;
      bars.rungs.push_back({info.number, info.id, scene_standing(rung.standing),
                            rung.tflops.value_or(0), rung.of_library, rung.older, rung.present,
                            !rung.why_not.empty()});
      if (!rung.present) continue;
      picture.note_title = fmt::format("{} {}: {}", info.number, info.id, info.title);
      picture.note = note_of(part, i);
    }
    picture.parts.push_back(std::move(bars));
  }
  return picture;
}

RungAt rung_at(const std::vector<LadderPart>& parts, int index) {
  for (const LadderPart& part : parts) {
    const int count = static_cast<int>(part.rungs.size());
    if (index >= 0 && index < count) return {&part, &part.rungs[static_cast<size_t>(index)]};
    index -= count;
  }
  return {};
}

std::string rung_words(const LadderRow& rung, const LadderPart& part) {
  const Problem& p = part.problem;
  std::string text =
      fmt::format("{} {}: {}\n{}×{}×{}, {}, {}", rung.kernel->info.number, rung.kernel->info.id,
                  rung.kernel->info.title, model::grouped(p.m), model::grouped(p.n),
                  model::grouped(p.k), model::layout_letters(p), part.name);
  if (!rung.why_not.empty()) return text + "\ncannot run: " + rung.why_not;
  text += "\ntile " + tile_label(rung.edit);
  if (!rung.tflops) return text;
  text += fmt::format("\n{}{}", is_timed(rung.standing) ? "" : "~", model::rate_text(*rung.tflops));
  if (rung.of_library && part.library)
    text += wording(", {}{:.1f} % of {}", is_timed(rung.standing) ? "" : "~",
                    *rung.of_library * 100, library_words(*part.library));
  switch (rung.standing) {
    case Standing::measured:
      text += "\nmeasured " + rung.date + ", the best tile known";
      break;
    case Standing::recorded:
      text += "\nrecorded " + rung.date + ", the best tile known";
      break;
    default:
      text += "\nnot measured: by the model";
  }
  if (rung.older) text += "\nThe kernel has changed since: it may be faster or slower now.";
  return text + "\nClick to go to this rung and tile.";
}

}  // namespace tilescope

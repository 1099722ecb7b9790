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
  const char* const idea = rung.kernel->info.idea;
  std::string text = is_timed(rung.standing)
                         ? wording("{}. Best tile {}", idea, tile_label(rung.edit))
                         : std::string(tr(idea));
  if (at > 0 && is_timed(rung.standing) && is_timed(part.rungs[at - 1].standing) &&
      rung.of_library && part.rungs[at - 1].of_library) {
    text = wording("{}; {:+.0f} points on {}", text,
                   (*rung.of_library - *part.rungs[at - 1].of_library) * 100,
                   std::string(part.rungs[at - 1].kernel->info.id));
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
      bars.library = part.library->name.empty() ? tr("the library") : part.library->name;
      bars.library_tflops = part.library->tflops;
    }
    for (size_t i = 0; i < part.rungs.size(); ++i) {
      const LadderRow& rung = part.rungs[i];
      const KernelInfo& info = rung.kernel->info;
      bars.rungs.push_back({info.number, info.id, scene_standing(rung.standing),
                            rung.tflops.value_or(0), rung.of_library, rung.older, rung.present,
                            !rung.why_not.empty()});
      if (!rung.present) continue;
      picture.note_title = wording("{} {}: {}", info.number, std::string(info.id), info.title);
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
      wording("{} {}: {}\n{}×{}×{}, {}, {}", rung.kernel->info.number,
              std::string(rung.kernel->info.id), rung.kernel->info.title, model::grouped(p.m),
              model::grouped(p.n), model::grouped(p.k), model::layout_letters(p), part.name);
  if (!rung.why_not.empty()) return wording("{}\ncannot run: {}", text, rung.why_not);
  text = wording("{}\ntile {}", text, tile_label(rung.edit));
  if (!rung.tflops) return text;
  text += fmt::format("\n{}{}", is_timed(rung.standing) ? "" : "~", model::rate_text(*rung.tflops));
  if (rung.of_library && part.library) {
    text += wording(", {}{:.1f} % of {}", is_timed(rung.standing) ? "" : "~",
                    *rung.of_library * 100, library_words(*part.library));
  }
  switch (rung.standing) {
    case Standing::measured:
      text += wording("\nmeasured {}, the best tile known", rung.date);
      break;
    case Standing::recorded:
      text += wording("\nrecorded {}, the best tile known", rung.date);
      break;
    default:
      text += tr("\nnot measured: by the model");
  }
  if (rung.older) text += tr("\nThe kernel has changed since: it may be faster or slower now.");
  return text + tr("\nClick to go to this rung and tile.");
}

}  // namespace tilescope

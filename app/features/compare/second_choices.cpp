#include "app/features/compare/second_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/match.h"
#include "app/state/second.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

constexpr size_t kMostBefore = 20, kMostCompareAnswers = 6;

std::string words_of(const HistoryPoint& point) {
  std::string words = point.device.empty() ? "" : point.device;
  if (point.tflops) {
    words = fmt::format("{}{} {}{}{}", point.standing == Standing::modelled ? "~" : "",
                        model::rate_text(*point.tflops), name_of(point.standing),
                        words.empty() ? "" : ", ", words);
  }
  return words;
}

Edit edit_of_rung(const AppState& state, const KernelEntry& kernel) {
  AppState other;
  other.view = state.view, other.device = state.device, other.devices = state.devices;
  other.edit = state.edit;
  other.edit.beside = {};
  set_kernel(other, kernel.info.id);
  return other.edit;
}

}  // namespace

std::string position_name(const Edit& edit) {
  if (edit.own()) return tile_label(edit);
  return fmt::format("{} {}", edit.rung().kernel, tile_label(edit));
}

std::optional<SecondChoice> fastest_choice(const AppState& state) {
  if (state.edit.own() || !state.derived.kernel) return {};
  std::optional<HistoryPoint> best;
  for (HistoryPoint& point : known_tiles(state)) {
    if (!is_timed(point.standing) || !point.tflops) continue;
    if (!best || *point.tflops > *best->tflops) best = std::move(point);
  }
  if (!best || same_request(best->edit, state.edit)) return {};
  return SecondChoice{"the fastest that was timed", position_name(best->edit), words_of(*best),
                      best->edit, ""};
}

std::vector<SecondChoice> second_choices(const AppState& state) {
  std::vector<SecondChoice> all;
  if (auto fastest = fastest_choice(state)) all.push_back(std::move(*fastest));
  for (auto at = state.pinned.rbegin(); at != state.pinned.rend(); ++at) {
    const std::string name = position_name(at->point.edit);
    all.push_back({"pinned", at->name == tile_label(at->point.edit) ? name : at->name,
                   name + "\n" + words_of(at->point), at->point.edit, ""});
  }
  size_t before = 0;
  for (auto at = state.history.rbegin(); at != state.history.rend() && before < kMostBefore; ++at) {
    if (same_request(at->edit, state.edit)) continue;
    const auto same = [&](const SecondChoice& c) { return same_request(c.edit, at->edit); };
    if (std::ranges::any_of(all, same)) continue;
    ++before;
    all.push_back({"before", position_name(at->edit), words_of(*at), at->edit, ""});
  }
  for (const KernelEntry& kernel : kernel_table()) {
    if (state.edit.rung().kernel == kernel.info.id) continue;
    const Edit edit = edit_of_rung(state, kernel);
    all.push_back({"other kernels", fmt::format("{:02} {}", kernel.info.number, kernel.info.id),
                   fmt::format("{}; {}", tile_label(edit), kernel.info.idea), edit, ""});
  }
  for (const DeviceChoice& device : device_choices(state)) {
    if (device.id == state.device || !device.available) continue;
    all.push_back({"the same on another device", device.title, device.tip, state.edit, device.id});
  }
  return all;
}

void choose_second(AppState& state, const SecondChoice& choice) {
  std::string name = position_name(choice.edit);
  if (!choice.device.empty()) name += " · " + device_title(state, choice.device);
  compare_with(state, choice.edit, std::move(name), choice.device);
}

std::vector<Answer> compare_answers(const AppState& state, std::string_view typed) {
  std::vector<Answer> answers;
  const std::vector<std::string> words = words_in(typed);
  // A wish for B has to be said: any name alone goes to the thing itself.
  const bool wished = !words.empty() && (words[0] == "compare" || words[0] == "b");
  if (!wished) return answers;
  for (const SecondChoice& choice : second_choices(state)) {
    const std::string title = "compare with " + choice.title;
    const int score = std::max(match_score(typed, title), match_score(typed, "b " + choice.title));
    if (score <= 0) continue;
    answers.push_back({.title = title,
                       .effect = choice.section,
                       .score = score,
                       .run =
                           [choice](AppState& s) {
                             const Second before = s.of<Second>();
                             choose_second(s, choice);
                             can_take_back(
                                 s, [before](AppState& back) { back.of<Second>() = before; });
                           },
                       .panel = "difference"});
  }
  std::ranges::stable_sort(answers,
                           [](const Answer& x, const Answer& y) { return x.score > y.score; });
  if (answers.size() > kMostCompareAnswers) answers.resize(kMostCompareAnswers);
  return answers;
}

}  // namespace tilescope

#include "app/draw/check_lessons.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/draw/named_lessons.h"
#include "app/draw/play_on_emulator.h"

namespace tilescope {
namespace {

constexpr int kBadUsage = 2, kFaulty = 4;

nlohmann::json json_of(const LessonFault& fault) {
  return {{"file", fault.file}, {"line", fault.line}, {"sentence", fault.sentence}};
}

int list(const std::vector<const Lesson*>& named, const Options& options) {
  nlohmann::json all = nlohmann::json::array();
  for (const Lesson* one : named) {
    const Lesson& lesson = *one;
    all.push_back({{"id", lesson.id}, {"title", lesson.title}, {"steps", lesson.steps.size()}});
    if (options.json) continue;
    std::printf("%-24s %2zu steps  %s\n", lesson.id.c_str(), lesson.steps.size(),
                lesson.title.c_str());
  }
  if (options.json) std::printf("%s\n", all.dump(2).c_str());
  return 0;
}

}  // namespace

int check_lessons(const Options& options) {
  const std::vector<const Lesson*> named = named_lessons(options);
  if (named.empty()) return kBadUsage;
  if (!options.check) return list(named, options);
  size_t faults = 0;
  int played = 0;
  std::vector<double> answered;
  nlohmann::json all = nlohmann::json::array();
  const std::vector<LessonFault> read = find_faults(lessons());
  for (const Lesson* one : named) {
    const Lesson& lesson = *one;
    const LessonPlay told = play_on_emulator(lesson);
    for (const LessonFault& fault : told.faults) print_fault(fault);
    faults += told.faults.size();
    played += told.steps;
    answered.insert(answered.end(), told.answered_ms.begin(), told.answered_ms.end());
    nlohmann::json& entry =
        all.emplace_back(nlohmann::json{{"id", lesson.id}, {"steps", told.steps}});
    entry["faults"] = nlohmann::json::array();
    for (const LessonFault& fault : read) {
      if (fault.file != lesson.id + ".md") continue;
      print_fault(fault), ++faults;
      entry["faults"].push_back(json_of(fault));
    }
    for (const LessonFault& fault : told.faults) entry["faults"].push_back(json_of(fault));
    if (options.json) continue;
    std::printf("%-24s %2d steps played, %zu faults\n", lesson.id.c_str(), told.steps,
                entry["faults"].size());
    std::fflush(stdout);
  }
  std::ranges::sort(answered);
  if (options.json) {
    std::printf("%s\n", all.dump(2).c_str());
  } else if (!answered.empty()) {
    std::printf("%d steps; an answer is checked in %.1f ms (median), %.1f ms (p95)\n", played,
                answered[answered.size() / 2],
                answered[static_cast<size_t>(0.95 * static_cast<double>(answered.size() - 1))]);
  }
  return faults == 0 ? 0 : kFaulty;
}

}  // namespace tilescope

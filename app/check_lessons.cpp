#include "app/check_lessons.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/features/lessons/lesson_player.h"
#include "app/live/live.h"
#include "app/state/edit.h"

namespace tilescope {
namespace {

constexpr int kBadUsage = 2, kFaulty = 4;
constexpr int kIdleFrames = 250;  // of 2 ms, with nothing under way: nothing more will come

bool chosen(const Options& options, const Lesson& lesson) {
  return options.lessons_named.empty() ||
         std::ranges::any_of(options.lessons_named,
                             [&](const std::string& name) { return lesson.id.starts_with(name); });
}

LessonPlay play(const Lesson& lesson) {
  AppState state = initial_state();
  Live live(worker::Client::start_process({}), "");
  live.set_verify_beside(false);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  int idle = 0;
  const auto advance = [&](AppState& s) {
    s.now = std::chrono::duration<double>(Clock::now() - begin).count() + 1;
    live.update(s);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    idle = live.busy(s) ? 0 : idle + 1;
    if (idle < kIdleFrames) return true;
    idle = 0;  // the next fact has its own patience
    return false;
  };
  advance(state);
  return play_lesson(lesson, state, advance);
}

void print(const LessonFault& fault) {
  std::fprintf(stderr, "%s:%d: %s\n", fault.file.c_str(), fault.line, fault.sentence.c_str());
}

nlohmann::json json_of(const LessonFault& fault) {
  return {{"file", fault.file}, {"line", fault.line}, {"sentence", fault.sentence}};
}

int list(const Options& options) {
  nlohmann::json all = nlohmann::json::array();
  for (const Lesson& lesson : lessons()) {
    if (!chosen(options, lesson)) continue;
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
  if (std::ranges::none_of(lessons(), [&](const Lesson& l) { return chosen(options, l); })) {
    std::fprintf(stderr, "tilescope: there is no lesson %s; see tilescope-cli lessons\n",
                 options.lessons_named.front().c_str());
    return kBadUsage;
  }
  if (!options.check) return list(options);
  size_t faults = 0;
  int played = 0;
  std::vector<double> answered;
  nlohmann::json all = nlohmann::json::array();
  const std::vector<LessonFault> read = find_faults(lessons());
  for (const Lesson& lesson : lessons()) {
    if (!chosen(options, lesson)) continue;
    const LessonPlay told = play(lesson);
    for (const LessonFault& fault : told.faults) print(fault);
    faults += told.faults.size();
    played += told.steps;
    answered.insert(answered.end(), told.answered_ms.begin(), told.answered_ms.end());
    nlohmann::json& entry =
        all.emplace_back(nlohmann::json{{"id", lesson.id}, {"steps", told.steps}});
    entry["faults"] = nlohmann::json::array();
    for (const LessonFault& fault : read) {
      if (fault.file != lesson.id + ".md") continue;
      print(fault), ++faults;
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

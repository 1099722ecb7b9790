#include "app/draw/named_lessons.h"

#include <algorithm>
#include <cstdio>

namespace tilescope {

std::vector<const Lesson*> named_lessons(const Options& options) {
  std::vector<const Lesson*> named;
  for (const Lesson& lesson : lessons()) {
    const auto begins = [&](const std::string& name) { return lesson.id.starts_with(name); };
    if (options.lessons_named.empty() || std::ranges::any_of(options.lessons_named, begins)) {
      named.push_back(&lesson);
    }
  }
  if (named.empty()) {
    std::fprintf(stderr, "tilescope: there is no lesson %s; see tilescope-cli lessons\n",
                 options.lessons_named.front().c_str());
  }
  return named;
}

void print_fault(const LessonFault& fault) {
  std::fprintf(stderr, "%s:%d: %s\n", fault.file.c_str(), fault.line, fault.sentence.c_str());
}

}  // namespace tilescope

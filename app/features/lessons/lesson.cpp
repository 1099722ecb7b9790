#include "app/features/lessons/lesson.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "core/files/whole_file.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kFenceOfLesson = "```lesson";

std::string without_ends(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::vector<std::string> parts_between(std::string_view text, char between) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(between), text.size());
    if (std::string part = without_ends(text.substr(0, end)); !part.empty()) {
      parts.push_back(std::move(part));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// "10 %" or "0.1": a share, above 0 and at most 1.
bool read_share(const std::string& text, double* share) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return false;
  const std::string rest = without_ends(std::string_view(at, static_cast<size_t>(end - at)));
  if (rest == "%") value /= 100;
  if ((!rest.empty() && rest != "%") || !(value > 0 && value <= 1)) return false;
  *share = value;
  return true;
}

constexpr std::pair<std::string_view, LessonStep::Kind> kAsked[] = {
    {"number", LessonStep::Kind::number},
    {"choice", LessonStep::Kind::choice},
    {"pick", LessonStep::Kind::pick}};

/// The lines of one file, one after the other.
class LessonReader {
 public:
  LessonReader(std::string id, std::vector<LessonFault>* faults) : faults_(faults) {
    lesson_.id = std::move(id);
  }

  void line(std::string_view text) {
    ++number_;
    if (in_block_) return in_block(text);
    if (text.starts_with(kFenceOfLesson)) {
      in_block_ = true;
      block_line_ = number_;
      return;
    }
    if (text.starts_with(kFence)) in_code_ = !in_code_;
    if (!in_code_ && text.starts_with("## ")) return begin_step(text.substr(3));
    if (!in_code_ && text.starts_with("# ") && lesson_.title.empty()) {
      lesson_.title = without_ends(text.substr(2));
      return;
    }
    std::string& to = step() ? step()->text : lesson_.text;
    if (to.empty() && without_ends(text).empty()) return;
    to += std::string(text) + "\n";
  }

  Lesson end() {
    if (in_block_) fault(block_line_, "a block ```lesson is not closed by ```");
    if (lesson_.title.empty()) fault(1, "the first line is to be its title: # Why tiles");
    if (lesson_.steps.empty()) fault(number_, "it has no step: ## Title, then its text");
    end_step();
    return std::move(lesson_);
  }

 private:
  LessonStep* step() { return lesson_.steps.empty() ? nullptr : &lesson_.steps.back(); }

  void fault(int line, std::string sentence) {
    if (faults_) faults_->push_back({lesson_.id + ".md", line, std::move(sentence)});
  }

  void begin_step(std::string_view title) {
    end_step();
    LessonStep& step = lesson_.steps.emplace_back();
    step.title = without_ends(title), step.line = number_;
  }

  void end_step() {
    if (!step()) return;
    const bool asks = step()->kind != LessonStep::Kind::read;
    if (asks && step()->prompt.empty()) {
      fault(step()->line, "a step that asks for something says so: prompt: one sentence");
    }
  }

  void in_block(std::string_view text) {
    if (text.starts_with(kFence)) {
      in_block_ = false;
      return;
    }
    const std::string whole = without_ends(text);
    if (whole.empty()) return;
    const size_t colon = whole.find(':');
    if (colon == std::string::npos) {
      return fault(number_, wording("\"{}\" is no line of a lesson: KEY: VALUE", whole));
    }
    const std::string key = without_ends(whole.substr(0, colon));
    const std::string value = without_ends(whole.substr(colon + 1));
    if (value.empty()) return fault(number_, wording("\"{}:\" has no value", key));
    const auto& keys = step() ? keys_of_step() : keys_of_lesson();
    const auto found = keys.find(key);
    if (found == keys.end()) {
      std::string names;
      for (const auto& [name, take] : keys) names += (names.empty() ? "" : ", ") + name;
      return fault(number_, wording("\"{}\" is none of {}", key, names));
    }
    found->second(*this, value);
  }

  using Keys = std::map<std::string, std::function<void(LessonReader&, const std::string&)>>;

  static const Keys& keys_of_lesson() {
    static const Keys keys = {
        {"start",
         [](LessonReader& r, const std::string& v) { r.lesson_.start = parts_between(v, ';'); }},
        {"beside",
         [](LessonReader& r, const std::string& v) { r.lesson_.beside = parts_between(v, ';'); }},
    };
    return keys;
  }

  static const Keys& keys_of_step() {
    static const Keys keys = {
        {"do",
         [](LessonReader& r, const std::string& v) {
           r.step()->kind = LessonStep::Kind::act;
           r.step()->changes = parts_between(v, ';');
         }},
        {"ask", &LessonReader::take_ask},
        {"prompt", [](LessonReader& r, const std::string& v) { r.step()->prompt = v; }},
        {"against", &LessonReader::take_against},
        {"unit", [](LessonReader& r, const std::string& v) { r.step()->unit = v; }},
        {"within",
         [](LessonReader& r, const std::string& v) {
           if (!read_share(v, &r.step()->within)) {
             r.fault(r.number_, wording("\"{}\" is no share: 10 %, or 0.1", v));
           }
         }},
        {"see", [](LessonReader& r, const std::string& v) { r.step()->see = v; }},
        {"picture", [](LessonReader& r, const std::string& v) { r.step()->picture = v; }},
    };
    return keys;
  }

  /// "number l2", "pick lane A 4 3".
  void take_ask(const std::string& value) {
    std::vector<std::string> words = parts_between(value, ' ');
    const auto kind = std::ranges::find(kAsked, std::string_view(words[0]),
                                        [](const auto& asked) { return asked.first; });
    if (kind == std::end(kAsked) || words.size() < 2) {
      return fault(number_, wording("\"{}\" is to be number, choice or pick, then a fact", value));
    }
    step()->kind = kind->second;
    step()->fact = words[1];
    step()->of.assign(words.begin() + 2, words.end());
  }

  void take_against(const std::string& value) {
    if (value != "B") return fault(number_, wording("\"{}\": only B is there", value));
    step()->against = true;
  }

  std::vector<LessonFault>* faults_;
  Lesson lesson_;
  int number_ = 0, block_line_ = 0;
  bool in_block_ = false, in_code_ = false;
};

}  // namespace

Lesson parse_lesson(const std::string& id, std::string_view text,
                    std::vector<LessonFault>* faults) {
  LessonReader reader(id, faults);
  for (const std::string_view line : files::lines_of(text)) reader.line(line);
  return reader.end();
}

}  // namespace tilescope

#include "core/language/language.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "languages_text.h"

namespace tilescope {
namespace {

struct Hash : std::hash<std::string_view> {
  using is_transparent = void;
};
using Messages = std::unordered_map<std::string, std::string, Hash, std::equal_to<>>;

struct Language {
  LanguageName name;
  const char* text = nullptr;  // JSON; null: English
  Messages messages;
  bool read = false;
};

/// Read when it is first chosen, and never let go: what was said of it may still be shown.
struct Languages {
  std::vector<std::unique_ptr<Language>> all;
  std::vector<LanguageName> names;
  std::mutex reading;

  Languages() {
    add({"en", "English"}, nullptr);
    for (const LanguageText& one : kLanguageTexts) {
      if (one.id) add({one.id, one.name}, one.text);
    }
  }
  void add(LanguageName name, const char* text) {
    names.push_back(name);
    all.push_back(std::make_unique<Language>(Language{std::move(name), text, {}, false}));
  }
};
Languages& known() {
  static Languages languages;
  return languages;
}

std::atomic<const Language*> chosen = nullptr;  // null: English
std::atomic<uint64_t> changes = 0;

std::atomic<std::set<std::string>*> recorded = nullptr;
std::mutex recording;

void record(std::string_view english) {
  const std::lock_guard lock(recording);
  if (std::set<std::string>* to = recorded) to->emplace(english);
}

}  // namespace

std::span<const LanguageName> languages() { return known().names; }

bool use_language(std::string_view id) {
  for (const std::unique_ptr<Language>& language : known().all) {
    if (language->name.id != id) continue;
    const Language* next = language->text ? language.get() : nullptr;
    {
      const std::lock_guard lock(known().reading);
      if (next && !language->read) {
        const auto all = nlohmann::json::parse(language->text);
        language->messages.merge(all.at("messages").get<Messages>());
        language->read = true;
      }
    }
    if (chosen.exchange(next) != next) ++changes;
    return true;
  }
  return false;
}

void teach_language(std::string_view id, const std::map<std::string, std::string>& messages) {
  const std::lock_guard lock(known().reading);
  for (const std::unique_ptr<Language>& language : known().all) {
    if (language->name.id == id) language->messages.insert(messages.begin(), messages.end());
  }
}

const LanguageName& language() {
  const Language* now = chosen;
  return now ? now->name : known().all.front()->name;
}

uint64_t language_changes() { return changes; }

std::string_view translated(std::string_view english) {
  if (recorded) record(english);
  const Language* now = chosen;
  if (!now) return english;
  const auto found = now->messages.find(english);
  return found != now->messages.end() ? std::string_view(found->second) : english;
}

const char* tr_id(const char* english) {
  if (language_detail::says_as_is()) return english;
  const std::string_view label = english;
  const size_t end = std::min(label.find("##"), label.size());
  const std::string_view shown = translated(label.substr(0, end));
  if (shown == label.substr(0, end)) return english;
  static std::mutex mutex;
  static std::unordered_map<std::string, std::string> labels;
  const std::lock_guard lock(mutex);
  std::string& made = labels[language().id + "\n" + english];
  if (made.empty()) {
    made = shown;
    made += end < label.size() ? std::string(label.substr(end)) : "###" + std::string(label);
  }
  return made.c_str();
}

void record_messages(std::set<std::string>* messages) {
  const std::lock_guard lock(recording);
  recorded = messages;
}

namespace language_detail {

bool says_as_is() { return !chosen && !recorded; }

std::string in_chosen(fmt::string_view english, fmt::format_args values) {
  const std::string_view message = translated({english.data(), english.size()});
  try {
    return fmt::vformat(fmt::string_view(message.data(), message.size()), values);
  } catch (const fmt::format_error&) {  // a file's mistake costs the translation alone
    return fmt::vformat(english, values);
  }
}

}  // namespace language_detail
}  // namespace tilescope

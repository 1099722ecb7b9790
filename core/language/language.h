// What the window and its pictures say, in the language that somebody chose. A message is its
// English text as it stands in the source, whole, with {} where values stand;
// assets/languages/ID.json has it in another language (docs/add_a_language.md). What a file lacks
// is said in English. The command line and files stay English: they choose no language.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tilescope {

/// A language that there is a file of, and English, which comes first and has none.
struct LanguageName {
  std::string id;    // as in RFC 5646: "zh-CN"
  std::string name;  // as its readers write it: "中文"
};
std::span<const LanguageName> languages();

/// False, and nothing changes: there is no such language. What has been said before stays as it is:
/// whoever keeps texts asks language_changes(). Threads: any, beside any that says something.
bool use_language(std::string_view id);
const LanguageName& language();
/// How often another language was chosen: what was made under another count is to be made again.
uint64_t language_changes();

/// More messages of a language: texts that have files of their own, such as lessons. Before it is
/// chosen for the first time; of an unknown language nothing is kept.
void teach_language(std::string_view id, const std::map<std::string, std::string>& messages);

/// A message in the chosen language. It ends with 0 if `english` does, and lives as long as that
/// and the program.
std::string_view translated(std::string_view english);
inline const char* tr(const char* english) { return translated(english).data(); }
/// For what ImGui knows by its label: "中文###English"; what the label has from ## on stays.
const char* tr_id(const char* english);

/// What `messages` are looked up from now on, for tools/languages; null: no more of it.
void record_messages(std::set<std::string>* messages);

namespace language_detail {
bool says_as_is();
std::string in_chosen(fmt::string_view english, fmt::format_args values);
/// A value that is a word of ours, such as a panel's name, is a message, too: a literal, or from a
/// table of them. What is a std::string may be somebody's own word, a kernel's or a file's name.
template <class T>
decltype(auto) word(const T& value) {
  if constexpr (std::is_same_v<std::decay_t<const T&>, const char*>) {
    return translated(std::string_view(value));
  } else {
    return (value);
  }
}
}  // namespace language_detail

/// fmt::format of a message. A translation may have its values in another order ({1} of {0}), or
/// fewer: a plural's ending, say.
template <class... T>
std::string wording(fmt::format_string<T...> english, T&&... values) {
  if (language_detail::says_as_is()) return fmt::format(english, std::forward<T>(values)...);
  const auto formatted = [&](const auto&... words) {
    return language_detail::in_chosen(english, fmt::make_format_args(words...));
  };
  return formatted(language_detail::word(values)...);
}

}  // namespace tilescope

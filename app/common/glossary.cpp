#include "app/common/glossary.h"

#include <algorithm>
#include <map>

#include "core/language/language.h"
#include "core/model/format.h"
#include "documents_text.h"

namespace tilescope {
namespace {

std::vector<std::string> names_of(std::string_view list) {
  std::vector<std::string> names;
  size_t begin = 0;
  while (begin <= list.size()) {
    const size_t end = std::min(list.find("; ", begin), list.size());
    names.emplace_back(list.substr(begin, end - begin));
    begin = end + 2;
  }
  return names;
}

std::vector<GlossaryTerm> read_terms(std::string_view text) {
  std::vector<GlossaryTerm> terms;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t close = line.find("**: ");
    if (!line.starts_with("**") || close == line.npos) continue;
    terms.push_back({names_of(line.substr(2, close - 2)), std::string(line.substr(close + 4))});
  }
  return terms;
}

std::string title_of(std::string_view text) {
  const size_t begin = text.find("# ");
  if (begin == text.npos) return {};
  const size_t end = std::min(text.find('\n', begin), text.size());
  return std::string(text.substr(begin + 2, end - begin - 2));
}

using Meanings = std::map<std::string, std::string_view, std::less<>>;

Meanings by_name(std::span<const GlossaryTerm> terms) {
  Meanings all;
  for (const GlossaryTerm& term : terms) {
    for (const std::string& one : term.names) {
      all.try_emplace(model::lower_case(one), term.text);
    }
  }
  return all;
}

/// A glossary of another language. Its terms begin with their English names.
struct OtherGlossary {
  std::string_view language, text;
  std::vector<GlossaryTerm> terms = read_terms(text);
  Meanings meanings = by_name(terms);
};

/// Null: the chosen language has none.
const OtherGlossary* chosen_glossary() {
  static const std::vector<OtherGlossary> all = [] {
    std::vector<OtherGlossary> list;
    list.reserve(std::size(kGlossaries));  // the meanings are views of the terms beside them
    for (const TranslatedGlossary& one : kGlossaries) {
      if (one.language) list.emplace_back(OtherGlossary{one.language, one.text});
    }
    return list;
  }();
  const auto of = std::ranges::find(all, std::string_view(language().id), &OtherGlossary::language);
  return of == all.end() ? nullptr : &*of;
}

}  // namespace

std::span<const GlossaryTerm> glossary() {
  static const std::vector<GlossaryTerm> terms = read_terms(kDocument_glossary);
  return terms;
}

std::string_view meaning_of(const GlossaryTerm& term) {
  const OtherGlossary* other = chosen_glossary();
  if (!other) return term.text;
  const auto at = other->meanings.find(term.names.front());
  return at == other->meanings.end() ? std::string_view(term.text) : at->second;
}

std::string_view explain(std::string_view name) {
  static const auto terms = [] {
    std::map<std::string, const GlossaryTerm*, std::less<>> all;
    for (const GlossaryTerm& term : glossary()) {
      for (const std::string& one : term.names) all.try_emplace(one, &term);
    }
    return all;
  }();
  const std::string small = model::lower_case(name);
  if (const auto at = terms.find(small); at != terms.end()) return meaning_of(*at->second);
  const OtherGlossary* other = chosen_glossary();
  if (!other) return {};
  const auto at = other->meanings.find(small);
  return at == other->meanings.end() ? std::string_view() : at->second;
}

std::span<const Document> documents() {
  static const std::vector<Document> all = [] {
    std::vector<Document> list;
    for (const auto& [id, text] : kDocuments) list.push_back({id, title_of(text), text});
    return list;
  }();
  return all;
}

std::string_view text_in_language(const Document& document) {
  const OtherGlossary* other = chosen_glossary();
  return other && std::string_view(document.id) == "glossary" ? other->text : document.text;
}

std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (c == ' ') anchor += '-';
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_') anchor += c;
    if (c >= 'A' && c <= 'Z') anchor += static_cast<char>(c - 'A' + 'a');
    if (static_cast<unsigned char>(c) >= 0x80) anchor += c;
  }
  return anchor;
}

}  // namespace tilescope

// The field's words, a line each: assets/glossary.md, which travels in the program.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct GlossaryTerm {
  std::vector<std::string> names;  // as they are written on panels, in small letters; the first is
                                   // the term's own
  std::string text;                // one line
};
std::span<const GlossaryTerm> glossary();

/// What a term means in the chosen language; in English where its file (assets/glossary.ID.md)
/// lacks the term, which begins with the same name there.
std::string_view meaning_of(const GlossaryTerm& term);

/// The meaning of a term that is named so, whatever its letters' case, in English or in the chosen
/// language; empty: it is none.
std::string_view explain(std::string_view name);

/// All documents that the program has, in the order of the Help menu: Markdown.
struct Document {
  const char* id;  // "measuring", as its file is called
  std::string title;
  std::string_view text;
};
std::span<const Document> documents();
/// In the chosen language if it is there in it, as the glossary may be, else in English.
std::string_view text_in_language(const Document& document);
/// A heading of theirs as links have it: "The time model" → "the-time-model".
std::string anchor_of(const std::string& heading);

}  // namespace tilescope

#include "app/features/documents/documents_view.h"

#include <algorithm>
#include <filesystem>

#include "app/state/match.h"

namespace tilescope {
namespace {

constexpr size_t kMostBackSteps = 50, kMostDocumentAnswers = 6;

}  // namespace

const Document* find_document(const std::string& id) {
  for (const Document& document : documents()) {
    if (document.id == id) return &document;
  }
  return nullptr;
}

void open_document(AppState& state, const std::string& id, const std::string& anchor) {
  if (!find_document(id)) return;
  DocumentsView& view = state.of<DocumentsView>();
  if (view.open != id) {
    view.before.push_back(view.open);
    if (view.before.size() > kMostBackSteps) view.before.erase(view.before.begin());
  }
  view.open = id;
  view.anchor = anchor;
}

bool document_back(AppState& state) {
  DocumentsView& view = state.of<DocumentsView>();
  if (view.before.empty()) return false;
  view.open = view.before.back();
  view.before.pop_back();
  view.anchor.clear();
  return true;
}

DocumentLink link_of(const std::string& href, const std::string& from) {
  if (href.find("://") != std::string::npos) return {};
  const size_t hash = std::min(href.find('#'), href.size());
  DocumentLink link;
  if (hash + 1 < href.size()) link.anchor = href.substr(hash + 1);
  const std::filesystem::path path = href.substr(0, hash);
  link.id = path.empty() ? from : path.extension() == ".md" ? path.stem().string() : "";
  if (!find_document(link.id)) link.id.clear();
  return link;
}

std::vector<Answer> document_answers(const AppState&, std::string_view typed) {
  std::vector<Answer> answers;
  // What is a word of the window's own goes to what it sets; its meaning is asked for as such.
  const std::vector<std::string> words = words_in(typed);
  const bool asked = words.size() > 1 && (words[0] == "what" || words[0] == "meaning");
  for (const GlossaryTerm& term : glossary()) {
    if (!asked) break;
    std::string all = "what meaning is of a the";
    for (const std::string& name : term.names) all += " " + name;
    const int score = match_score(typed, all);
    if (score <= kScattered) continue;
    answers.push_back({.title = "what is " + term.names.front(),
                       .effect = std::string(meaning_of(term)),
                       .score = score,
                       .run = [](AppState& s) { open_document(s, "glossary"); },
                       .panel = "documents"});
  }
  std::ranges::stable_sort(answers,
                           [](const Answer& x, const Answer& y) { return x.score > y.score; });
  if (answers.size() > kMostDocumentAnswers) answers.resize(kMostDocumentAnswers);
  return answers;
}

}  // namespace tilescope

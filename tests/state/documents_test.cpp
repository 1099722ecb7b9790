// Documents and glossary: each word is explained, each link between documents leads somewhere.
#include "app/features/documents/documents_view.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "app/state/edit.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

std::set<std::string> anchors_in(std::string_view text) {
  std::set<std::string> anchors;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t title = line.find_first_not_of('#');
    if (title == 0 || title == line.npos || line[title] != ' ') continue;
    anchors.insert(anchor_of(std::string(line.substr(title + 1))));
  }
  return anchors;
}

TEST(Documents, AreAllThere) {
  EXPECT_GE(documents().size(), 15u);
  std::set<std::string> titles;
  for (const Document& document : documents()) {
    EXPECT_FALSE(document.title.empty()) << document.id;
    EXPECT_TRUE(titles.insert(document.title).second) << document.title;
    EXPECT_EQ(find_document(document.id), &document);
  }
}

TEST(Documents, LinksBetweenThemLeadToAHeading) {
  static const std::regex kLink(R"(\]\(([^)\s]+)\))");
  int followed = 0;
  for (const Document& document : documents()) {
    const std::string text(document.text);
    for (std::sregex_iterator at(text.begin(), text.end(), kLink), end; at != end; ++at) {
      const std::string href = (*at)[1];
      if (href.find(".md") == std::string::npos && href[0] != '#') continue;
      if (href.find("CHANGELOG") != href.npos || href.find("CONTRIBUTING") != href.npos) continue;
      const DocumentLink link = link_of(href, document.id);
      if (link.id.empty()) continue;  // a document of a folder, beside its files
      ++followed;
      if (link.anchor.empty()) continue;
      EXPECT_TRUE(anchors_in(find_document(link.id)->text).contains(link.anchor))
          << document.id << ": " << href;
    }
  }
  EXPECT_GT(followed, 20);
  EXPECT_EQ(link_of("elsewhere://x/y.md", "README").id, "");
  EXPECT_EQ(link_of("#two-launches", "model").id, "model");
}

TEST(Documents, OneGoesToAnotherAndBack) {
  AppState state = initial_state();
  open_document(state, "model", "the-l2");
  open_document(state, "no such one");
  EXPECT_EQ(state.of<DocumentsView>().open, "model");
  EXPECT_TRUE(document_back(state));
  EXPECT_EQ(state.of<DocumentsView>().open, "README");
  EXPECT_FALSE(document_back(state));
}

TEST(Glossary, EachTermIsALineAndEachNameIsOneTerms) {
  ASSERT_GE(glossary().size(), 40u);
  std::set<std::string> firsts;
  for (const GlossaryTerm& term : glossary()) {
    ASSERT_FALSE(term.names.empty());
    EXPECT_TRUE(firsts.insert(term.names.front()).second) << term.names.front();
    EXPECT_GT(term.text.size(), 20u) << term.names.front();
    EXPECT_TRUE(term.text.ends_with('.')) << term.text;
    EXPECT_EQ(explain(term.names.front()), term.text);
  }
  EXPECT_EQ(explain("Bank conflicts"), explain("conflicts"));
  EXPECT_EQ(explain("wavefronts, read"), explain("wavefront"));
  EXPECT_EQ(explain("Spilled, B a thread"), explain("spills"));
  EXPECT_EQ(explain("no such word"), "");
}

// A glossary of another language has each term, by its English name, which panels may show still.
TEST(Glossary, IsThereInEachLanguage) {
  for (const LanguageName& one : languages()) {
    ASSERT_TRUE(use_language(one.id));
    for (const GlossaryTerm& term : glossary()) {
      EXPECT_EQ(meaning_of(term) == term.text, one.id == "en") << term.names.front();
      for (const std::string& name : term.names) EXPECT_EQ(explain(name), meaning_of(term)) << name;
    }
    const Document& document = *find_document("glossary");
    EXPECT_EQ(text_in_language(document) == document.text, one.id == "en");
    EXPECT_EQ(text_in_language(*find_document("model")), find_document("model")->text);
  }
  ASSERT_TRUE(use_language("zh-CN"));
  EXPECT_EQ(explain("存储体冲突"), explain("bank conflicts"));
  use_language("en");
}

TEST(Glossary, ThePaletteSaysWhatWordsMean) {
  AppState state = initial_state();
  const auto answers = document_answers(state, "what is a swizzle");
  ASSERT_FALSE(answers.empty());
  EXPECT_EQ(answers[0].title, "what is swizzle");
  answers[0].run(state);
  EXPECT_EQ(state.of<DocumentsView>().open, "glossary");
  EXPECT_TRUE(document_answers(state, "swizzle").empty()) << "alone it is a slider";
}

}  // namespace
}  // namespace tilescope

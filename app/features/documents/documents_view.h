// Which document is open, and how one goes from one to another.
#pragma once
#include <string>
#include <vector>

#include "app/common/glossary.h"
#include "app/state/answer.h"
#include "app/state/app_state.h"

namespace tilescope {

/// AppState::of<DocumentsView>().
struct DocumentsView {
  std::string open = "README";
  std::vector<std::string> before;  // to go back to
  std::string anchor;               // a heading that is gone to in the next frame
};

/// Null: there is none of that id.
const Document* find_document(const std::string& id);
void open_document(AppState& state, const std::string& id, const std::string& anchor = {});
/// To the one before; false: there is none.
bool document_back(AppState& state);

/// "docs/measuring.md#clocks" or "measuring.md" from a document: its id and the heading. Empty id:
/// it is none of them.
struct DocumentLink {
  std::string id, anchor;
};
DocumentLink link_of(const std::string& href, const std::string& from);

/// "what is a swizzle": terms of the glossary. Documents have commands of their own.
std::vector<Answer> document_answers(const AppState& state, std::string_view typed);

}  // namespace tilescope

// Documents: what stands in docs/, in the window.
#include <fmt/format.h>

#include "app/features/documents/documents_view.h"
#include "app/kit/markdown.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/edit.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

void choice(AppContext& context, AppState& state) {
  const DocumentsView& view = state.of<DocumentsView>();
  ImGui::BeginDisabled(view.before.empty());
  if (ImGui::Button("<###documents_back")) document_back(state);
  tooltip(context, "Back to the document before");
  ImGui::EndDisabled();
  ImGui::SameLine(0, 6 * context.scale);
  const Document* open = find_document(view.open);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (!ImGui::BeginCombo("##document", open ? open->title.c_str() : "",
                         ImGuiComboFlags_HeightLarge)) {
    return;
  }
  for (const Document& document : documents()) {
    if (ImGui::Selectable(fmt::format("{}##{}", document.title, document.id).c_str(),
                          view.open == document.id)) {
      open_document(state, document.id);
    }
  }
  ImGui::EndCombo();
}

/// A link to another document opens it here; what lies elsewhere is copied, and nothing is fetched.
void follow(AppState& state, const std::string& href) {
  const DocumentLink link = link_of(href, state.of<DocumentsView>().open);
  if (!link.id.empty()) return open_document(state, link.id, link.anchor);
  ImGui::SetClipboardText(href.c_str());
  say(state, wording("Copied the link: {}", href));
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  choice(context, state);
  const std::string before = state.of<DocumentsView>().open;
  const Document* open = find_document(before);
  if (!open) return;
  // A word that is wider than the panel, as code may be, can be scrolled to.
  if (ImGui::BeginChild(before.c_str(), {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar)) {
    const std::string anchor = state.of<DocumentsView>().anchor;
    const MarkdownEvents events{.clicked = [&](const std::string& href) { follow(state, href); },
                                .scroll_to = anchor};
    const std::string_view text = text_in_language(*open);
    if (text.data() == open->text.data() && language().id != languages().front().id) {
      elided(context, "This document is in English.", Tone::dim);
    }
    if (markdown(context, text, events) && state.of<DocumentsView>().anchor == anchor) {
      state.of<DocumentsView>().anchor.clear();
    }
  }
  ImGui::EndChild();
}

std::vector<Command> commands() {
  std::vector<Command> all;
  for (const Document& document : documents()) {
    const std::string id = document.id;
    all.push_back({.id = "help.document." + id,
                   .title = document.title,
                   .menu = "Help/Documents",
                   .run =
                       [id](AppContext& context) {
                         open_document(*context.state, id);
                         context.commands.request("view.go.documents");
                       },
                   .also = "document " + id});
  }
  return all;
}

}  // namespace

extern const Panel documents_panel = {
    .id = "documents",
    .title = "Documents",
    .docks = {.learn = Dock::kRightTop},
    .draw = draw,
    .commands = commands,
    .without_plan = true,
};

}  // namespace tilescope

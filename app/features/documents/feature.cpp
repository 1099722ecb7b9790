#include "app/state/feature.h"

#include "app/features/documents/documents_view.h"
#include "app/state/view_session.h"

namespace tilescope {
namespace documents_row {
namespace {

struct Options {
  static void each(auto& view, auto visit) { visit("document", view.open); }
  static void settle(DocumentsView& view) {
    if (!find_document(view.open)) view.open = "README";
  }
};

}  // namespace
}  // namespace documents_row

extern const Feature documents_feature{
    .session = session_of_options<DocumentsView, documents_row::Options>(),
    .answers = document_answers};

}  // namespace tilescope

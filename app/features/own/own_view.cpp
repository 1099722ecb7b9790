#include "app/features/own/own_view.h"

#include <algorithm>

#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/sheet/check_sheet.h"
#include "core/sheet/guess_sheet.h"
#include "core/sheet/sheet_error.h"
#include "worker/messages/verification.h"

namespace tilescope {

void remember_file(OwnRecent& recent, const std::string& file) {
  std::erase(recent.files, file);
  recent.files.insert(recent.files.begin(), file);
  if (recent.files.size() > kMostRecent) recent.files.resize(kMostRecent);
}

namespace {

sheet::LaunchSheet as_gemm(const OwnView& view) {
  const sheet::GemmSheet& g = view.gemm;
  return sheet::gemm_sheet(
      view.chosen()->signature, view.opened->launches,
      {.m = g.m, .n = g.n, .k = g.k, .layout = g.layout, .column_c = g.column_c});
}

}  // namespace

void choose_kernel(OwnView& view, size_t kernel) {
  view.kernel = kernel;
  view.gemm_error.clear();
  view.may_be_gemm = false;
  if (const worker::OpenedKernel* chosen = view.chosen()) {
    view.draft = chosen->guess;
    try {
      as_gemm(view);
      view.may_be_gemm = true;
    } catch (const sheet::SheetError&) {  // whoever asks for it is told why not
    }
  }
  check_draft(view);
}

void check_draft(OwnView& view) {
  const worker::OpenedKernel* chosen = view.chosen();
  view.faults =
      chosen ? sheet::faults_of(chosen->signature, view.draft) : std::vector<std::string>{};
}

void fill_as_gemm(OwnView& view) {
  if (!view.chosen()) return;
  view.gemm_error.clear();
  try {
    view.draft = as_gemm(view);
  } catch (const sheet::SheetError& error) {
    view.gemm_error = error.what();
  }
  check_draft(view);
}

void confirm_draft(AppState& state) {
  const OwnKernel* own = state.edit.own();
  OwnView& view = state.of<OwnView>();
  if (!own || !view.chosen() || !view.faults.empty()) return;
  view.draft.guesses.clear();
  const std::string file = own->file, text = sheet::to_text(view.draft);
  view.kept.clear();
  if (!state.store.empty()) {
    const sheet::SavedSheet saved = sheet::save_sheet(file, state.store, view.draft);
    view.kept = saved.remark.empty() ? wording("kept in {}", saved.file) : saved.remark;
  }
  view.draft_of = text;
  open_own_kernel(state, {file, text});
}

std::string verdict_words(const worker::GemmVerdict& v) {
  const auto n = [](uint64_t value) { return model::grouped(static_cast<long long>(value)); };
  if (v.verified.ok) {
    return wording("C is right: {} elements, {}", n(v.verified.elements),
                   worker::error_words(v.verified));
  }
  std::string words = wording("C is WRONG: {} of {} elements are right, {}", n(v.right),
                              n(v.verified.of), worker::error_words(v.verified));
  if (v.verified.first_row >= 0 && v.verified.none.count() == 0) {
    words += wording("; the first wrong one is C[{}, {}]: {:.7g}, and {:.7g} would be right",
                     v.verified.first_row, v.verified.first_col, v.found, v.expected);
  }
  if (!v.layout.empty()) words += wording("; it is right for layout {}", v.layout);
  return words;
}

std::string verdict_words(const worker::BufferVerdict& v) {
  const auto n = [](uint64_t value) { return model::grouped(static_cast<long long>(value)); };
  const std::string room =
      v.tolerance > 0 ? wording("within {:.1e} (the worst is {:.1e} off)", v.tolerance, v.worst)
                      : tr("exactly");
  if (v.ok) {
    return wording("{} is as {} has it: {} elements, {}", v.name, v.against, n(v.elements), room);
  }
  return wording(
      "{} is WRONG against {}: {} of {} elements; the first is [{}, {}]: {:.7g}, and {:.7g} is "
      "expected",
      v.name, v.against, n(v.wrong), n(v.elements), n(v.row), n(v.col), v.found, v.expected);
}

}  // namespace tilescope

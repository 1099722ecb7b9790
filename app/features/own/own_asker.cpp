#include "app/features/own/own_asker.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/features/own/own_view.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/own_sheet.h"
#include "app/state/present_launch.h"
#include "app/state/private_copy.h"
#include "core/sheet/check_sheet.h"
#include "core/sheet/guess_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
namespace calls = worker::calls;

/// The subject's sheet, where it can be read; its entry chooses among the file's kernels.
bool take_sheet(OwnView& view, const std::string& text) {
  try {
    const sheet::LaunchSheet written = sheet::sheet_of_text(text);
    std::vector<sheet::Signature> signatures;
    for (const auto& kernel : view.opened->kernels) signatures.push_back(kernel.signature);
    choose_kernel(view, sheet::find_kernel(signatures, written.entry));
    view.draft = written;
    if (written.gemm) view.gemm = *written.gemm;
    check_draft(view);
  } catch (const sheet::SheetError& error) {
    view.faults = {error.what()};
  }
  view.draft_of = text;
  return view.faults.empty();
}

/// A new file's, or the same one's as it is now.
void take_opened(AppState& state, OwnView& view, worker::OpenAnswer answer) {
  view.opened = std::make_shared<const worker::OpenAnswer>(std::move(answer));
  view.error.clear(), view.details.clear();
  const OwnKernel own = *state.edit.own();
  remember_file(state.of<OwnRecent>(), own.file);
  if (own.sheet.empty()) {
    choose_kernel(view, 0);
    try {
      const auto kept = sheet::saved_sheet(own.file, state.store);
      if (kept && kept->guesses.empty()) take_kept_sheet(state, sheet::to_text(*kept));
    } catch (const sheet::SheetError& error) {
      view.kept = error.what();
    }
  }
}

/// Whether what was opened, or is being opened, is not compiled for the card that is chosen now.
bool needs_other_code(const AppState& state) {
  const OwnKernel* own = state.edit.own();
  const OwnView& view = state.of<OwnView>();
  if (!own || is_ptx_file(own->file) || !card_of(state)) return false;
  if (view.opening) return true;
  return view.opened && (view.opened->arch != arch_of(state) || view.opened->cubin.empty());
}

}  // namespace

/// What was read is looked at, not the folder: that may be somebody's whole home. A file that could
/// not be compiled is mended in any of those that were read before.
void OwnAsker::follow_file(AppState& state, const OwnKernel& own) {
  OwnView& view = state.of<OwnView>();
  // A state may name no file at all, as nothing did before it.
  if (std::exchange(watched_, own.file) != own.file || !watch_) {
    watched_of_.reset();
    watch_ = std::make_unique<FolderWatch>(fs::path(own.file).parent_path().string());
    watch_->watch_only({own.file});
    if (wake_) watch_->begin(wake_);
  }
  if (view.file == own.file && view.opened && view.opened != watched_of_) {
    watched_of_ = view.opened;
    // The file itself by one name: what the window has written is known by that.
    std::error_code error;
    const std::string itself = fs::weakly_canonical(own.file, error).string();
    std::vector<std::string> files = view.opened->files;
    std::erase(files, itself);
    files.push_back(own.file);
    watch_->watch_only(std::move(files));
  }
  const auto is_new = [&](const std::string& file) {
    return !is_as_written(state.private_copies, file);
  };
  if (std::ranges::any_of(watch_->take_changed(), is_new)) view.reopen = true;
}

void OwnAsker::open(AppState& state, const OwnKernel& own) {
  OwnView& view = state.of<OwnView>();
  if (view.file != own.file) view = {}, view.file = own.file;
  view.reopen = false;
  view.opening = true;
  state.results.edit_serial = 0;  // what is known is of the file as it was
  state.results.compile_log.clear();
  forget_launch(state);
  const worker::OpenRequest request = open_request(state, own);
  const bool ptx = is_ptx_file(own.file);
  // Also the events that a run waits for: what comes after them is of the launch that is forgotten.
  calls_.drop(), traces_.drop();
  calls_.ask<calls::Open>(ptx ? "emulator" : "compiler", request,
                          {.done =
                               [this](AppState& s, worker::OpenAnswer answer) {
                                 OwnView& v = s.of<OwnView>();
                                 v.opening = false;
                                 take_opened(s, v, std::move(answer));
                                 due_ = true;
                               },
                           .failed =
                               [file = own.file](AppState& s, const worker::CallError& error) {
                                 OwnView& v = s.of<OwnView>();
                                 v.opening = false;
                                 v.opened.reset();
                                 v.error = error.message, v.details = error.log;
                                 s.results.compile_log = error.log;
                                 s.results.edit_serial =
                                     0;  // what is known is of the file as it was
                               }});
}

void OwnAsker::update(AppState& state, const Surroundings&) {
  const OwnKernel* own = state.edit.own();
  if (!own) {
    watch_.reset(), watched_.clear();
    due_ = false;
    return;
  }
  follow_file(state, *own);
  OwnView& view = state.of<OwnView>();
  if (view.file != own->file || view.reopen) return open(state, OwnKernel(*own));
  if (!view.opened || view.opening) return;
  if (own->sheet != view.draft_of && !own->sheet.empty()) take_sheet(view, own->sheet);
  // A step back to where nothing was confirmed: the guess again.
  if (own->sheet.empty() && !view.draft_of.empty()) view.draft_of.clear(), choose_kernel(view, 0);
  if (std::exchange(view.run, false)) due_ = true;
  if (view.serial != state.edit_serial) due_ = true;
  if (!std::exchange(due_, false)) return follow_choice(state);
  if (own->sheet.empty()) {
    view.serial = state.edit_serial;  // a guess waits for a person
    return;
  }
  if (!view.chosen() || !take_sheet(view, own->sheet)) return;
  run(state);
}

void OwnAsker::without_worker(AppState& state, const std::string& why) {
  const OwnKernel* own = state.edit.own();
  if (!own) return;
  OwnView& view = state.of<OwnView>();
  view.file = own->file;
  view.error = why;
}

Busy OwnAsker::busy(const AppState& state) const {
  if (!state.edit.own()) return Busy::no;
  const OwnView& view = state.of<OwnView>();
  const bool to_open = view.file != state.edit.own()->file || view.reopen;
  return to_open || due_ || !calls_.idle() || !traces_.idle() ? Busy::awaited : Busy::no;
}

void OwnAsker::drop(AppState& state, Lost what) {
  if (what == Lost::device) {  // it runs in the emulator, but is compiled for the card
    if (needs_other_code(state)) state.of<OwnView>().reopen = true;
    return;
  }
  calls_.drop(), traces_.drop();
  OwnView& view = state.of<OwnView>();
  const bool was_opening = std::exchange(view.opening, false);
  switch (what) {
    case Lost::device:
      return;
    case Lost::edit:
      if (was_opening) view.reopen = true;
      view.serial = 0;  // whatever was run, or began to, is of the edit before
      return;
    case Lost::stopped:
      due_ = false;
      view.serial = state.edit_serial;
      traced_cta_ = chosen_block(state), traced_k_ = state.playhead.k_step;
      return;
    case Lost::again:
    case Lost::worker:
      view.reopen = state.edit.own() != nullptr;
      return;
  }
}

}  // namespace tilescope

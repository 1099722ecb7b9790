// A kernel of somebody's own: its file as it was opened, the launch sheet in the making, and what a
// run of it came to.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "worker/messages/messages_open.h"
#include "worker/messages/messages_run.h"

namespace tilescope {

/// Files that were opened, the last one first.
struct OwnRecent {
  std::vector<std::string> files;
};
inline constexpr size_t kMostRecent = 8;
void remember_file(OwnRecent& recent, const std::string& file);

/// The feature's part of the state.
struct OwnView {
  std::string file;  // that was opened, or could not be
  std::shared_ptr<const worker::OpenAnswer> opened;
  std::string error, details;  // why it was not opened: a sentence, and the compiler's log
  bool opening = false;
  bool reopen = false;  // the file has changed, or a person asks for it

  size_t kernel = 0;                // of `opened->kernels`
  sheet::LaunchSheet draft;         // what the fields of the panel hold; runs once it is confirmed
  std::string draft_of;             // the subject's sheet that `draft` was made from
  std::vector<std::string> faults;  // of `draft`; empty: it can be run
  bool may_be_gemm = false;         // its parameters can be those of a GEMM
  std::string gemm_error;           // why it was not taken for a GEMM
  sheet::GemmSheet gemm = {.m = 256, .n = 256, .k = 256};  // what is asked for by "it is a GEMM"
  std::string kept;  // where the sheet was saved, or why it was not
  bool run = false;  // asked for by hand: `draft` as it stands

  uint64_t serial = 0;  // of the edit that the rest is of
  std::optional<worker::GemmVerdict> verdict;
  std::vector<worker::BufferVerdict> expected;  // what the sheet expects, compared
  std::optional<worker::LaunchRequest> other;   // the kernel that the sheet expects to be right,
  std::vector<int> other_args;                  // and which of the launch's arguments its own are
  std::string expect_error;  // why the kernel that is to be right could not be opened
  std::string trace_error;   // why there are no events
  double seconds = 0;        // of the run
  std::string output;        // what the kernel printed
  /// What a launch on the card that is measured on came to, beside the figures in the results.
  struct OnCard {
    std::optional<worker::GemmVerdict> verdict;
    std::vector<worker::BufferVerdict> expected;
    std::string printed;
    std::vector<std::string> remarks;
  };
  std::optional<OnCard> on_card;

  const worker::OpenedKernel* chosen() const {
    return opened && kernel < opened->kernels.size() ? &opened->kernels[kernel] : nullptr;
  }
};

/// Makes the guess of another of the file's kernels the draft.
void choose_kernel(OwnView& view, size_t kernel);
/// Looks through the draft anew: after each change of it.
void check_draft(OwnView& view);
/// The draft filled as that of a GEMM of the view's M, N, K and layout; or `gemm_error`.
void fill_as_gemm(OwnView& view);
/// The draft becomes the subject's sheet, a step of undo, and is kept beside the file.
void confirm_draft(AppState& state);
/// "128 of 65,536 elements of C are wrong …", "C is right: …".
std::string verdict_words(const worker::GemmVerdict& verdict);
/// "out is as naive writes it: 65,536 elements, …", "out differs from c.npy in …".
std::string verdict_words(const worker::BufferVerdict& verdict);

}  // namespace tilescope

// A kernel of somebody's own, apart from what a person edits: the sheet that is kept beside it, and
// its text.
#pragma once
#include <string>

#include "app/state/app_state.h"
#include "worker/messages/messages_open.h"

namespace tilescope {

/// The subject gets the sheet that was found beside its file. That is no step of undo: to go back
/// over it would find it again.
void take_kept_sheet(AppState& state, const std::string& sheet);

/// How the kernel's file is opened: compiled for the card that is measured on, if it is one, with
/// the instance of a template that its sheet names.
worker::OpenRequest open_request(const AppState& state, const OwnKernel& kernel);

/// Whether a file that is opened or dropped is a kernel (.cu, .cuh, .ptx), and no state.
bool is_kernel_file(const std::string& path);
bool is_ptx_file(const std::string& path);

/// What the kernel's file holds; empty if it cannot be read, or is no text of this size.
std::string own_text(const OwnKernel& kernel);

}  // namespace tilescope

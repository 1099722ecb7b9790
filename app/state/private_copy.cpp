#include "app/state/private_copy.h"

#include <filesystem>
#include <random>

#include "app/state/edit.h"
#include "app/state/own_sheet.h"
#include "app/state/present_launch.h"
#include "app/state/rung_news.h"
#include "core/files/whole_file.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// Of this rung alone: those above it that include its file are compiled with the ladder's.
fs::path folder_of_copy(const AppState& state) {
  return fs::path(state.private_copies.folder) / state.edit.rung().kernel;
}

/// A header may hold the kernel of the file that was opened.
OwnKernel shown_file(const AppState& state, const OwnKernel& own) {
  OwnKernel shown = own;
  if (state.own_launch && !state.own_launch->source.empty()) shown.file = state.own_launch->source;
  return shown;
}

/// Without a session they last as long as the window. Why there is none, or nothing.
std::string make_folder(PrivateCopies& copies) {
  std::error_code error;
  fs::path folder = copies.folder;
  const bool temporary = copies.folder.empty();
  if (temporary) {
    std::random_device random;
    const std::string name =
        "tilescope-" + std::to_string(random()) + "-" + std::to_string(random());
    folder = fs::temp_directory_path(error) / name;
    // One that is there already is somebody else's.
    if (!error && fs::create_directory(folder, error)) {
      fs::permissions(folder, fs::perms::owner_all, error);
    }
  } else {
    fs::create_directories(folder, error);
  }
  if (error || !fs::is_directory(folder, error)) {
    return wording("There is no folder for a private copy: {} cannot be made.", folder.string());
  }
  copies.folder = folder.string();
  copies.temporary = copies.temporary || temporary;
  return {};
}

int64_t time_of(const std::string& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return error ? 0 : time.time_since_epoch().count();
}

void saved(AppState& state) {
  ++state.private_copies.saved;
  ++state.kernel_files_serial;
}

std::string write(AppState& state, const std::string& file, const std::string& text) {
  std::string why = files::replace_file(file, text);
  if (!why.empty()) return why;
  state.private_copies.written = file;
  state.private_copies.written_at = time_of(file);
  saved(state);
  return {};
}

}  // namespace

bool has_private_copy(const AppState& state) {
  if (state.private_copies.folder.empty() || !state.derived.kernel) return false;
  std::error_code error;
  return fs::is_regular_file(folder_of_copy(state) / state.derived.kernel->file, error);
}

std::string sources_folder(const AppState& state) {
  return has_private_copy(state) ? folder_of_copy(state).string() : state.kernel_dir;
}

std::string file_identity(const AppState& state) {
  if (const OwnKernel* own = state.edit.own()) return shown_file(state, *own).file;
  return state.derived.kernel ? "rung " + state.edit.rung().kernel : "";
}

std::string saved_text(const AppState& state) {
  if (const OwnKernel* own = state.edit.own()) return own_text(shown_file(state, *own));
  return state.derived.kernel ? kernel_text(sources_folder(state), state.derived.kernel->file) : "";
}

std::string original_text(const AppState& state) {
  return state.derived.kernel ? kernel_text(state.kernel_dir, state.derived.kernel->file) : "";
}

std::string save_text(AppState& state, const std::string& text) {
  if (const OwnKernel* own = state.edit.own()) {
    return write(state, shown_file(state, *own).file, text);
  }
  if (!state.derived.kernel) return "There is no text to save.";
  const std::string file = state.derived.kernel->file;
  // What lies in --kernel-dir is no part of the ladder: it is changed where it is.
  if (!state.kernel_dir.empty()) return write(state, state.kernel_dir + "/" + file, text);
  if (text == original_text(state)) {
    leave_private_copy(state);
    return {};
  }
  std::error_code error;
  if (std::string why = make_folder(state.private_copies); !why.empty()) return why;
  fs::create_directories(folder_of_copy(state), error);
  return write(state, (folder_of_copy(state) / file).string(), text);
}

std::string save_text_as(AppState& state, const std::string& text, const std::string& path) {
  const OwnKernel* own = state.edit.own();
  if (!own) return "There is no kernel of your own whose text could be saved.";
  const OwnKernel now = *own;
  std::error_code error;
  const fs::path file = fs::absolute(path, error);
  if (path.empty() || error) return "The file needs a name.";
  if (!is_kernel_file(path) || is_ptx_file(path) != is_ptx_file(now.file)) {
    return is_ptx_file(now.file) ? wording("{}: its name must end in .ptx.", path)
                                 : wording("{}: its name must end in .cu or .cuh.", path);
  }
  if (fs::equivalent(file, shown_file(state, now).file, error)) return save_text(state, text);
  if (fs::exists(file, error)) return wording("{} is there already: choose another name.", path);
  if (std::string why = write(state, file.string(), text); !why.empty()) return why;
  open_own_kernel(state, {file.string(), now.sheet});
  return {};
}

bool is_as_written(const PrivateCopies& copies, const std::string& file) {
  return file == copies.written && time_of(file) == copies.written_at;
}

void leave_private_copy(AppState& state) {
  if (!has_private_copy(state)) return;
  std::error_code error;
  fs::remove_all(folder_of_copy(state), error);
  saved(state);
}

}  // namespace tilescope

// A film of the playback: for each of its frames the playhead is moved, the window drawn, and the
// pixels of it or of a panel handed to the film.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "app/shell/headless.h"
#include "app/state/app_state.h"

namespace tilescope {

struct FilmOptions {
  std::string path;
  double seconds = 10;
  int frames = 300;  // at most: fewer where the playback has fewer moments
};

class FilmTaking {
 public:
  /// Of the files that can be made here, ".webp"; none on a page.
  static std::span<const char* const> endings();
  static bool is_one(const std::string& path);
  /// Of what the playback button plays: the trace, or the k slice that loops.
  FilmTaking(AppState& state, FilmOptions options, const ScreenPart& part);
  /// Cancels what has not ended, and puts the playhead back where it was.
  ~FilmTaking();
  FilmTaking(const FilmTaking&) = delete;
  FilmTaking& operator=(const FilmTaking&) = delete;

  /// Before a frame is drawn: the playhead to where the film is. One of another kernel, tile or
  /// problem ends it with a sentence.
  void before_frame();
  /// After it is drawn: takes it, if the film takes one more now.
  void after_frame();
  bool ended() const;
  /// Empty: it has ended well, or not ended yet.
  std::string error() const;
  int taken() const;
  int frames() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilescope

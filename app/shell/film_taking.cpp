#include "app/shell/film_taking.h"

#include <algorithm>
#include <utility>

#include "app/state/playback.h"
#include "viz/film/film.h"
#include "viz/film/film_endings.h"

namespace tilescope {

struct FilmTaking::State {
  AppState& app;
  ScreenPart part;
  Playhead before;
  uint64_t edit_serial = 0;
  PlayedColumns columns;
  int frames = 0;
  int drawn = -1;  // the frame that is on the screen
  std::string error;
  std::unique_ptr<viz::Film> film;

  explicit State(AppState& state) : app(state) {}
  int column_of(int frame) const {
    const int64_t last = columns.end - 1 - columns.begin;
    return columns.begin + static_cast<int>(last * frame / std::max(1, frames - 1));
  }
};

std::span<const char* const> FilmTaking::endings() { return viz::kFilmEndings; }
bool FilmTaking::is_one(const std::string& path) { return viz::is_film(path); }

FilmTaking::FilmTaking(AppState& state, FilmOptions options, const ScreenPart& part)
    : state_(std::make_unique<State>(state)) {
  State& s = *state_;
  s.part = part;
  s.before = state.playhead;
  s.edit_serial = state.edit_serial;
  s.columns = played_columns(state);
  const int moments = s.columns.end - s.columns.begin;
  if (moments < 1) {
    s.error = "There is nothing to play: the kernel's steps are not there.";
    return;
  }
  if (part.width < 1 || part.height < 1) {
    s.error = "There is nothing to be seen of it: bring the panel to the front first.";
    return;
  }
  s.frames = std::clamp(options.frames, 1, moments);
  state.playhead.playing = false;
  s.film = std::make_unique<viz::Film>(viz::FilmForm{.path = std::move(options.path),
                                                     .width = part.width,
                                                     .height = part.height,
                                                     .frames = s.frames,
                                                     .seconds = options.seconds});
}

FilmTaking::~FilmTaking() {
  if (state_->film && state_->app.edit_serial == state_->edit_serial) {
    state_->app.playhead = state_->before;
  }
}

void FilmTaking::before_frame() {
  State& s = *state_;
  if (ended()) return;
  if (s.app.edit_serial != s.edit_serial || !s.app.results.timeline) {
    s.error = "The film ended: what it showed has changed.";
    s.film.reset();
    return;
  }
  const int frame = std::min(s.film->added(), s.frames - 1);
  scrub(s.app, s.column_of(frame));
  s.drawn = frame;
}

void FilmTaking::after_frame() {
  State& s = *state_;
  if (ended() || s.drawn != s.film->added() || !s.film->takes()) return;
  s.film->add(read_screen(s.part));
}

bool FilmTaking::ended() const { return !state_->film || state_->film->ended(); }

std::string FilmTaking::error() const {
  if (!state_->error.empty() || !state_->film) return state_->error;
  return state_->film->ended() ? state_->film->error() : "";
}

int FilmTaking::taken() const { return state_->film ? state_->film->encoded() : 0; }
int FilmTaking::frames() const { return state_->frames; }

}  // namespace tilescope

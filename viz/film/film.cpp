#include "viz/film/film.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "viz/film/film_encoder.h"
#include "viz/film/film_endings.h"

namespace tilescope::viz {
namespace {

constexpr size_t kMostWaiting = 16;

std::string why_not(const FilmForm& form) {
  if (!is_film(form.path)) {
    return fmt::format("{}: the name of a film must end in {} or {}.", form.path, kFilmEndings[0],
                       kFilmEndings[1]);
  }
  if (form.width < 1 || form.height < 1 || form.width > kMostFilmPixels ||
      form.height > kMostFilmPixels) {
    return fmt::format("A film of {}×{} pixels cannot be: each side has 1 to {}.", form.width,
                       form.height, kMostFilmPixels);
  }
  if (form.frames < 1 || form.frames > kMostFilmFrames) {
    return fmt::format("A film of {} frames cannot be: it has 1 to {}.", form.frames,
                       kMostFilmFrames);
  }
  if (!(form.seconds > 0) || form.seconds > 3600) {
    return fmt::format("A film of {} s cannot be: it takes more than none and an hour at most.",
                       form.seconds);
  }
  return {};
}

std::unique_ptr<FilmEncoder> make_encoder(const FilmForm& form, const std::atomic<bool>& cancelled,
                                          std::string* error) {
  if (form.path.ends_with(kFilmEndings[0])) return make_webp(form, error);
  return make_mp4(form, cancelled, error);
}

}  // namespace

bool is_film(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return std::ranges::find(kFilmEndings, ending) != std::end(kFilmEndings);
}

struct Film::State {
  FilmForm form;
  mutable std::mutex mutex;
  std::condition_variable more;
  std::deque<std::vector<uint8_t>> waiting;
  int added = 0, encoded = 0;
  bool ended = false;
  std::string error;
  std::atomic<bool> cancelled = false;
  std::thread thread;

  void end(std::string why) {
    const std::scoped_lock lock(mutex);
    error = std::move(why);
    ended = true;
    waiting.clear();
  }

  /// Nothing: cancelled.
  bool next(std::vector<uint8_t>* pixels) {
    std::unique_lock lock(mutex);
    more.wait(lock, [&] { return cancelled || !waiting.empty(); });
    if (cancelled) return false;
    *pixels = std::move(waiting.front());
    waiting.pop_front();
    return true;
  }

  void run() {
    pthread_setname_np(pthread_self(), "film");
    std::string why;
    const std::unique_ptr<FilmEncoder> encoder = make_encoder(form, cancelled, &why);
    if (!encoder) return end(std::move(why));
    std::vector<uint8_t> pixels;
    for (int i = 0; i < form.frames; ++i) {
      if (!next(&pixels)) return end("The film was cancelled.");
      why = encoder->add(pixels);
      if (!why.empty()) return end(std::move(why));
      const std::scoped_lock lock(mutex);
      encoded = i + 1;
    }
    end(encoder->finish());
  }
};

Film::Film(FilmForm form) : state_(std::make_unique<State>()) {
  state_->form = std::move(form);
  if (std::string why = why_not(state_->form); !why.empty()) {
    state_->end(std::move(why));
    return;
  }
  state_->thread = std::thread([s = state_.get()] { s->run(); });
}

Film::~Film() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->cancelled = true;
  }
  state_->more.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

bool Film::takes() const {
  const std::scoped_lock lock(state_->mutex);
  return !state_->ended && state_->added < state_->form.frames &&
         state_->waiting.size() < kMostWaiting;
}

void Film::add(std::vector<uint8_t> pixels) {
  {
    const std::scoped_lock lock(state_->mutex);
    if (state_->ended || state_->added >= state_->form.frames) return;
    state_->waiting.push_back(std::move(pixels));
    ++state_->added;
  }
  state_->more.notify_all();
}

int Film::added() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->added;
}

int Film::encoded() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->encoded;
}

bool Film::ended() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->ended;
}

std::string Film::error() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->error;
}

}  // namespace tilescope::viz

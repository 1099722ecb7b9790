// Pictures that move: frames of one size become an animated WebP, or an MP4 through an ffmpeg that
// is in $PATH.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilescope::viz {

/// By its ending, one of film_endings.h.
bool is_film(const std::string& path);

struct FilmForm {
  std::string path;           // ends in one of kFilmEndings
  int width = 0, height = 0;  // pixels, 1 to kMostFilmPixels each
  int frames = 0;             // that will come
  double seconds = 0;         // they take in all, each as long as the others
};
inline constexpr int kMostFilmPixels = 16383;  // a side, WebP's own limit
inline constexpr int kMostFilmFrames = 10'000;

/// Encodes in a thread of its own, so that who draws need not wait. The file is there once it is
/// whole; a film that ends before leaves none.
class Film {
 public:
  explicit Film(FilmForm form);
  /// Cancels what has not ended.
  ~Film();
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  /// False: those it has are still being encoded (16 at most wait), or it has ended.
  bool takes() const;
  /// One frame: width × height pixels of four bytes (red, green, blue, one that is not looked at),
  /// rows from the lowest up, as OpenGL reads them.
  void add(std::vector<uint8_t> pixels);
  int added() const;
  int encoded() const;
  /// True once all frames are in the file, or it failed.
  bool ended() const;
  /// One sentence, once it has ended; empty: the file is there.
  std::string error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilescope::viz

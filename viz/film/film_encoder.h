// What a film's frames go into, one kind of file each. Used by one thread.
#pragma once
#include <atomic>
#include <memory>
#include <string>

#include "viz/film/film.h"

namespace tilescope::viz {

class FilmEncoder {
 public:
  virtual ~FilmEncoder() = default;
  /// As Film::add. Empty, or why not, in a sentence.
  virtual std::string add(const std::vector<uint8_t>& pixels) = 0;
  /// Writes the file.
  virtual std::string finish() = 0;
};

/// Null: `error` says why. Those that wait for another program stop waiting once `cancelled`.
std::unique_ptr<FilmEncoder> make_webp(const FilmForm& form, std::string* error);
std::unique_ptr<FilmEncoder> make_mp4(const FilmForm& form, const std::atomic<bool>& cancelled,
                                      std::string* error);

}  // namespace tilescope::viz

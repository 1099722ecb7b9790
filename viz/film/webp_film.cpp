// An animated WebP, without loss: text and lines stay as they were drawn, and a frame costs what of
// it is new.
#include <fmt/format.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <climits>
#include <cmath>

#include "core/files/whole_file.h"
#include "viz/film/film_encoder.h"

namespace tilescope::viz {
namespace {

class WebpFilm : public FilmEncoder {
 public:
  explicit WebpFilm(const FilmForm& form) : form_(form) {}
  WebpFilm(const WebpFilm&) = delete;
  WebpFilm& operator=(const WebpFilm&) = delete;
  ~WebpFilm() override {
    WebPPictureFree(&picture_);
    WebPAnimEncoderDelete(encoder_);
  }

  bool begin() {
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options) || !WebPConfigInit(&config_) ||
        !WebPPictureInit(&picture_)) {
      return false;
    }
    options.kmin = INT_MAX - 1;  // no frame is whole but the first
    options.kmax = INT_MAX;
    config_.lossless = 1;
    config_.method = 1;   // as quick as 0, a tenth of its bytes
    config_.quality = 0;  // of the search, not of the picture
    config_.thread_level = 1;
    encoder_ = WebPAnimEncoderNew(form_.width, form_.height, &options);
    picture_.use_argb = 1;
    picture_.width = form_.width;
    picture_.height = form_.height;
    return encoder_ && WebPPictureAlloc(&picture_);
  }

  std::string add(const std::vector<uint8_t>& pixels) override {
    const size_t width = static_cast<size_t>(form_.width), row = width * 4;
    for (size_t y = 0; y < static_cast<size_t>(form_.height); ++y) {
      const uint8_t* from = pixels.data() + (static_cast<size_t>(form_.height) - 1 - y) * row;
      uint32_t* to = picture_.argb + y * static_cast<size_t>(picture_.argb_stride);
      for (size_t x = 0; x < width; ++x, from += 4) {
        to[x] = 0xff000000u | static_cast<uint32_t>(from[0]) << 16 |
                static_cast<uint32_t>(from[1]) << 8 | from[2];
      }
    }
    if (WebPAnimEncoderAdd(encoder_, &picture_, milliseconds(frame_++), &config_)) return {};
    return said();
  }

  std::string finish() override {
    WebPData data;
    WebPDataInit(&data);
    std::string why;
    if (!WebPAnimEncoderAdd(encoder_, nullptr, milliseconds(frame_), nullptr) ||
        !WebPAnimEncoderAssemble(encoder_, &data)) {
      why = said();
    } else {
      why = files::replace_file(form_.path, {reinterpret_cast<const char*>(data.bytes), data.size});
    }
    WebPDataClear(&data);
    return why;
  }

 private:
  int milliseconds(int frame) const {
    return static_cast<int>(std::lround(1000 * form_.seconds * frame / form_.frames));
  }
  std::string said() const {
    return fmt::format("{} could not be packed: {}.", form_.path,
                       WebPAnimEncoderGetError(encoder_));
  }

  FilmForm form_;
  WebPAnimEncoder* encoder_ = nullptr;
  WebPConfig config_;
  WebPPicture picture_;
  int frame_ = 0;
};

}  // namespace

std::unique_ptr<FilmEncoder> make_webp(const FilmForm& form, std::string* error) {
  auto film = std::make_unique<WebpFilm>(form);
  if (film->begin()) return film;
  *error = fmt::format("{}: there is no memory for a film of {}×{} pixels.", form.path, form.width,
                       form.height);
  return nullptr;
}

}  // namespace tilescope::viz

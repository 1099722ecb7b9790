// An MP4 that an ffmpeg in $PATH encodes (H.264): the frames go to it through a socket, so that one
// that has gone is an error of ours and no signal.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/files/whole_file.h"
#include "core/programs/program.h"
#include "viz/film/film_encoder.h"

namespace tilescope::viz {
namespace {

/// What a program has said last, in its own words.
std::string last_line(int descriptor) {
  std::string text(4096, '\0');
  const off_t end = lseek(descriptor, 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(text.size()));
  const ssize_t read = pread(descriptor, text.data(), text.size(), begin);
  text.resize(read > 0 ? static_cast<size_t>(read) : 0);
  const std::vector<std::string_view> lines = files::lines_of(text);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!line->empty()) return std::string(*line);
  }
  return {};
}

class Mp4Film : public FilmEncoder {
 public:
  Mp4Film(const FilmForm& form, const std::atomic<bool>& cancelled)
      : form_(form), cancelled_(cancelled), part_(form.path + ".part.mp4") {}
  Mp4Film(const Mp4Film&) = delete;
  Mp4Film& operator=(const Mp4Film&) = delete;
  ~Mp4Film() override {
    close_all();
    if (program_ && !program_->ended()) program_->kill();
    program_.reset();
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
  }

  std::string begin() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return said(errno);
    to_ = ends[0];
    char name[] = "/tmp/tilescope-film-XXXXXX";
    said_ = mkostemp(name, O_CLOEXEC);
    if (said_ < 0) {
      close(ends[1]);
      return said(errno);
    }
    unlink(name);
    // Sides of an odd length have no half of them in colour: one row or column more, black.
    const ProgramStart start{.argv = {"ffmpeg",
                                      "-hide_banner",
                                      "-loglevel",
                                      "error",
                                      "-nostdin",
                                      "-y",
                                      "-f",
                                      "rawvideo",
                                      "-pixel_format",
                                      "rgb0",
                                      "-video_size",
                                      fmt::format("{}x{}", form_.width, form_.height),
                                      "-framerate",
                                      fmt::format("{:.6f}", form_.frames / form_.seconds),
                                      "-i",
                                      "pipe:0",
                                      "-vf",
                                      "vflip,pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                      "-c:v",
                                      "libx264",
                                      "-crf",
                                      "16",
                                      "-pix_fmt",
                                      "yuv420p",
                                      "-movflags",
                                      "+faststart",
                                      part_},
                             .descriptors = {ends[1], -1, said_}};
    program_ = std::make_unique<Program>(start);
    close(ends[1]);
    if (program_->error() == ENOENT) {
      return fmt::format(
          "There is no ffmpeg in $PATH, and {} needs one: install it, or save as .webp, which "
          "needs nothing.",
          form_.path);
    }
    return program_->error() ? said(program_->error()) : "";
  }

  std::string add(const std::vector<uint8_t>& pixels) override {
    size_t sent = 0;
    while (sent < pixels.size()) {
      if (cancelled_) return "The film was cancelled.";
      // Not for ever, so that Cancel is heard while ffmpeg is busy.
      const ssize_t n =
          send(to_, pixels.data() + sent, pixels.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) {
        sent += static_cast<size_t>(n);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        wait_until_writable();
      } else if (errno != EINTR) {
        return ended_early();
      }
    }
    return {};
  }

  std::string finish() override {
    close(std::exchange(to_, -1));
    while (!program_->ended()) {
      if (cancelled_) return "The film was cancelled.";
      usleep(kLook);
    }
    if (program_->end().code != 0 || program_->end().signal != 0) return ended_early();
    if (rename(part_.c_str(), form_.path.c_str()) != 0) return said(errno);
    return {};
  }

 private:
  static constexpr useconds_t kLook = 5000;

  void wait_until_writable() const {
    pollfd one{.fd = to_, .events = POLLOUT, .revents = 0};
    poll(&one, 1, 50);
  }
  void close_all() {
    if (to_ >= 0) close(std::exchange(to_, -1));
    if (said_ >= 0) close(std::exchange(said_, -1));
  }
  std::string said(int number) const {
    return fmt::format("{} could not be written ({}).", form_.path, std::strerror(number));
  }
  std::string ended_early() {
    program_->wait();
    const std::string line = last_line(said_);
    return fmt::format(
        "ffmpeg did not make {}: {}.", form_.path,
        line.empty() ? fmt::format("it ended with code {}", program_->end().code) : line);
  }

  FilmForm form_;
  const std::atomic<bool>& cancelled_;
  std::string part_;  // until it is whole
  std::unique_ptr<Program> program_;
  int to_ = -1, said_ = -1;
};

}  // namespace

std::unique_ptr<FilmEncoder> make_mp4(const FilmForm& form, const std::atomic<bool>& cancelled,
                                      std::string* error) {
  auto film = std::make_unique<Mp4Film>(form, cancelled);
  *error = film->begin();
  if (!error->empty()) return nullptr;
  return film;
}

}  // namespace tilescope::viz

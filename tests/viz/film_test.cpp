// Films: each frame comes back as it was given, and nothing is left of one that did not end.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <webp/demux.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "core/files/whole_file.h"
#include "viz/film/film.h"

namespace tilescope::viz {
namespace {

namespace fs = std::filesystem;
using Pixels = std::vector<uint8_t>;

class FilmTest : public testing::Test {
 protected:
  FilmTest() { fs::create_directories(folder_); }
  ~FilmTest() override { fs::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  const fs::path folder_ =
      fs::temp_directory_path() / ("tilescope-film-" + std::to_string(getpid()));
};

/// A ground with some coloured rectangles, as panels have them; some of a frame stays as it was.
std::vector<Pixels> some_frames(int width, int height, int count, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Pixels pixels(static_cast<size_t>(width) * static_cast<size_t>(height) * 4, 30);
  std::vector<Pixels> frames;
  for (int i = 0; i < count; ++i) {
    const int x0 = below(width), y0 = below(height);
    const int x1 = x0 + 1 + below(width - x0), y1 = y0 + 1 + below(height - y0);
    const uint8_t color[] = {static_cast<uint8_t>(random()), static_cast<uint8_t>(random()),
                             static_cast<uint8_t>(random())};
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        std::memcpy(
            &pixels[(static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) *
                    4],
            color, 3);
      }
    }
    frames.push_back(pixels);
  }
  return frames;
}

void feed(Film& film, const std::vector<Pixels>& frames) {
  for (const Pixels& frame : frames) {
    while (!film.takes() && !film.ended()) std::this_thread::yield();
    film.add(frame);
  }
  while (!film.ended()) std::this_thread::yield();
}

/// What a film shows at a millisecond, as its frames were given.
class Shown {
 public:
  explicit Shown(const std::string& path) : bytes_(files::read_file(path).value_or("")) {
    WebPAnimDecoderOptions options;
    WebPAnimDecoderOptionsInit(&options);
    const WebPData data{reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()};
    decoder_ = WebPAnimDecoderNew(&data, &options);
    if (decoder_) WebPAnimDecoderGetInfo(decoder_, &info_);
    uint8_t* pixels = nullptr;
    int until = 0;
    const size_t row = size_t{info_.canvas_width} * 4;
    while (decoder_ && WebPAnimDecoderHasMoreFrames(decoder_) &&
           WebPAnimDecoderGetNext(decoder_, &pixels, &until)) {
      Pixels frame;
      for (size_t y = info_.canvas_height; y-- > 0;) {
        frame.insert(frame.end(), pixels + y * row, pixels + (y + 1) * row);
      }
      frames_.emplace_back(until, std::move(frame));
    }
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  ~Shown() { WebPAnimDecoderDelete(decoder_); }

  int milliseconds() const { return frames_.empty() ? 0 : frames_.back().first; }
  const Pixels& at(int millisecond) const {
    for (const auto& [until, frame] : frames_) {
      if (millisecond < until) return frame;
    }
    return frames_.back().second;
  }
  const WebPAnimInfo& info() const { return info_; }

 private:
  std::string bytes_;
  WebPAnimDecoder* decoder_ = nullptr;
  WebPAnimInfo info_ = {};
  std::vector<std::pair<int, Pixels>> frames_;
};

bool same_colours(const Pixels& a, const Pixels& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (i % 4 != 3 && a[i] != b[i]) return false;
  }
  return true;
}

TEST_F(FilmTest, EveryFrameOfAWebpIsAsItWasGiven) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const int width = 1 + static_cast<int>(random() % 90),
              height = 1 + static_cast<int>(random() % 60);
    const int count = 1 + static_cast<int>(random() % 12);
    const double seconds = 0.05 * count;
    std::vector<Pixels> frames = some_frames(width, height, count, seed);
    if (count > 3) frames[2] = frames[1];  // one that shows nothing new
    Film film({.path = file("a.webp"),
               .width = width,
               .height = height,
               .frames = count,
               .seconds = seconds});
    feed(film, frames);
    ASSERT_EQ(film.error(), "");
    EXPECT_EQ(film.encoded(), count);
    const Shown shown(file("a.webp"));
    if (count > 1) {  // of one frame alone WebP makes a still picture
      EXPECT_EQ(shown.milliseconds(), 50 * count);
    }
    ASSERT_EQ(static_cast<int>(shown.info().canvas_width), width);
    ASSERT_EQ(static_cast<int>(shown.info().canvas_height), height);
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(same_colours(shown.at(50 * i + 25), frames[static_cast<size_t>(i)]))
          << "seed " << seed << ", frame " << i << " of " << count << ", " << width << "x"
          << height;
    }
  }
}

TEST_F(FilmTest, OneThatDoesNotEndLeavesNothing) {
  {
    Film film({.path = file("a.webp"), .width = 8, .height = 8, .frames = 3, .seconds = 1});
    film.add(Pixels(256));
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FilmTest, WhatCannotBeIsASentence) {
  const auto error = [&](FilmForm form) {
    Film film(std::move(form));
    while (!film.ended()) film.add(Pixels(4));
    return film.error();
  };
  EXPECT_EQ(error({.path = "a.gif", .width = 1, .height = 1, .frames = 1, .seconds = 1}),
            "a.gif: the name of a film must end in .webp or .mp4.");
  EXPECT_EQ(error({.path = "a.webp", .width = 0, .height = 1, .frames = 1, .seconds = 1}),
            "A film of 0×1 pixels cannot be: each side has 1 to 16383.");
  EXPECT_EQ(error({.path = "a.webp", .width = 1, .height = 1, .frames = 10001, .seconds = 1}),
            "A film of 10001 frames cannot be: it has 1 to 10000.");
  EXPECT_EQ(error({.path = "a.webp", .width = 1, .height = 1, .frames = 1, .seconds = 0}),
            "A film of 0 s cannot be: it takes more than none and an hour at most.");
  const std::string no_folder = file("none/a.webp");
  EXPECT_NE(error({.path = no_folder, .width = 1, .height = 1, .frames = 1, .seconds = 1})
                .find("cannot be written"),
            std::string::npos);
}

/// An ffmpeg in a $PATH of its own.
class FilmThroughFfmpeg : public FilmTest {
 protected:
  FilmThroughFfmpeg() : path_(std::getenv("PATH")) {
    fs::create_directories(folder_ / "bin");
    setenv("PATH", (file("bin") + ":/usr/bin:/bin").c_str(), 1);
  }
  ~FilmThroughFfmpeg() override { setenv("PATH", path_.c_str(), 1); }
  void be(const std::string& script) const {
    const std::string name = file("bin/ffmpeg");
    files::replace_file(name, "#!/bin/bash\nout=${@: -1}\n" + script + "\n");
    chmod(name.c_str(), 0755);
  }
  std::string path_;
};

TEST_F(FilmThroughFfmpeg, ItIsGivenEachFrameAndTheFileIsWhatItMade) {
  be("printf '%s\\n' \"$@\" >" + file("arguments") + "; cat >\"$out\"");
  const std::vector<Pixels> frames = some_frames(31, 17, 60, 1);
  Film film({.path = file("a.mp4"), .width = 31, .height = 17, .frames = 60, .seconds = 2});
  feed(film, frames);
  ASSERT_EQ(film.error(), "");
  std::string all;
  for (const Pixels& frame : frames) all.append(frame.begin(), frame.end());
  EXPECT_EQ(files::read_file(file("a.mp4")).value_or(""), all);
  const std::string arguments = files::read_file(file("arguments")).value_or("");
  EXPECT_NE(arguments.find("31x17\n"), std::string::npos);
  EXPECT_NE(arguments.find("30.000000\n"), std::string::npos);
  EXPECT_FALSE(fs::exists(file("a.mp4.part.mp4")));
}

TEST_F(FilmThroughFfmpeg, WhatItSaysLastIsTheReason) {
  be("echo 'Unknown encoder libx264' >&2; exit 8");
  Film film({.path = file("a.mp4"), .width = 640, .height = 480, .frames = 9, .seconds = 2});
  feed(film, some_frames(640, 480, 9, 1));
  EXPECT_EQ(film.error(), "ffmpeg did not make " + file("a.mp4") + ": Unknown encoder libx264.");
  EXPECT_FALSE(fs::exists(file("a.mp4")));
}

TEST_F(FilmThroughFfmpeg, OneThatReadsNothingIsCancelled) {
  be("touch \"$out\"; sleep 600");
  {
    Film film({.path = file("a.mp4"), .width = 640, .height = 480, .frames = 9, .seconds = 2});
    for (const Pixels& frame : some_frames(640, 480, 5, 1)) film.add(frame);
    while (!fs::exists(file("a.mp4.part.mp4"))) std::this_thread::yield();
  }
  EXPECT_FALSE(fs::exists(file("a.mp4.part.mp4")));
}

TEST_F(FilmThroughFfmpeg, WithoutOneThereIsASentenceWithAWayOut) {
  setenv("PATH", file("bin").c_str(), 1);
  Film film({.path = file("a.mp4"), .width = 8, .height = 8, .frames = 1, .seconds = 1});
  while (!film.ended()) std::this_thread::yield();
  EXPECT_EQ(film.error(), "There is no ffmpeg in $PATH, and " + file("a.mp4") +
                              " needs one: install it, or save as .webp, which needs nothing.");
}

}  // namespace
}  // namespace tilescope::viz

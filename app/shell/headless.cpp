#include "app/shell/headless.h"

#include <hello_imgui/hello_imgui_include_opengl.h>

#include <vector>

#include "core/files/whole_file.h"
#include "core/language/language.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace tilescope {

std::vector<uint8_t> read_screen(const ScreenPart& part) {
  std::vector<uint8_t> pixels(static_cast<size_t>(part.width) * 4 *
                              static_cast<size_t>(part.height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(part.x, part.y, part.width, part.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  return pixels;
}

bool write_screen_png(const ScreenPart& part, const std::string& path, std::string* error) {
  if (part.width < 1 || part.height < 1) {
    *error = "there is nothing to be seen of it";
    return false;
  }
  const size_t row = static_cast<size_t>(part.width) * 4;
  const std::vector<uint8_t> pixels = read_screen(part);
  std::vector<unsigned char> upright(row / 4 * 3 * static_cast<size_t>(part.height));
  size_t out = 0;
  for (size_t y = static_cast<size_t>(part.height); y-- > 0;) {
    for (size_t x = 0; x < row; x += 4) {
      for (size_t channel = 0; channel < 3; ++channel) {
        upright[out++] = pixels[y * row + x + channel];
      }
    }
  }
  std::string png;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<char*>(data), static_cast<size_t>(size));
  };
  stbi_write_png_to_func(append, &png, part.width, part.height, 3, upright.data(), part.width * 3);
  if (png.empty()) {
    *error = wording("the picture for {} could not be packed", path);
    return false;
  }
  *error = files::replace_file(path, png);
  return error->empty();
}

OffscreenTarget::OffscreenTarget(int width, int height) : width_(width), height_(height) {
  glGenTextures(1, &color_);
  glBindTexture(GL_TEXTURE_2D, color_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glBindTexture(GL_TEXTURE_2D, 0);
  glGenRenderbuffers(1, &depth_);
  glBindRenderbuffer(GL_RENDERBUFFER, depth_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, width, height);
  glGenFramebuffers(1, &framebuffer_);
  bind();
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color_, 0);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth_);
}

OffscreenTarget::~OffscreenTarget() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteRenderbuffers(1, &depth_);
  glDeleteTextures(1, &color_);
}

void OffscreenTarget::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_); }

bool OffscreenTarget::write_png(const std::string& path, std::string* error) const {
  bind();
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    *error = "OpenGL could not make a picture of this size";
    return false;
  }
  return write_screen_png({0, 0, width_, height_}, path, error);
}

}  // namespace tilescope

// Cell fields drawn by OpenGL (3.3 and ES 3.0) without a window, against the colours that
// viz/scene/cells.h names. Skips where EGL has no surfaceless display.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "tests/viz/example_states.h"
#include "viz/gl/cell_renderer.h"
#include "viz/scene/cells.h"
#include "viz/scene/parts.h"

namespace tilescope::viz {
namespace {

constexpr unsigned kFramebuffer = 0x8D40, kColor0 = 0x8CE0, kRgba8 = 0x8058, kRgba = 0x1908;
constexpr unsigned kUnsignedByte = 0x1401, kTexture2d = 0x0DE1, kColorBit = 0x4000;

template <class Function>
Function proc(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

/// A context that draws into a texture.
class Offscreen {
 public:
  Offscreen(bool es, int w, int h) : w_(w), h_(h) {
    const auto get_display = proc<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    if (get_display == nullptr) return;
    display_ = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display_ == EGL_NO_DISPLAY || !eglInitialize(display_, nullptr, nullptr)) return;
    if (!eglBindAPI(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API)) return;
    const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE,
                             es ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglChooseConfig(display_, wanted, &config, 1, &count) || count < 1) return;
    const EGLint gl[] = {EGL_CONTEXT_MAJOR_VERSION,
                         3,
                         EGL_CONTEXT_MINOR_VERSION,
                         3,
                         EGL_CONTEXT_OPENGL_PROFILE_MASK,
                         EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                         EGL_NONE};
    const EGLint gles[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE};
    context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, es ? gles : gl);
    if (context_ == EGL_NO_CONTEXT) return;
    if (!eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) return;
    unsigned texture = 0, framebuffer = 0;
    proc<void (*)(int, unsigned*)>("glGenTextures")(1, &texture);
    proc<void (*)(unsigned, unsigned)>("glBindTexture")(kTexture2d, texture);
    proc<void (*)(unsigned, int, int, int, int, int, unsigned, unsigned, const void*)>(
        "glTexImage2D")(kTexture2d, 0, kRgba8, w, h, 0, kRgba, kUnsignedByte, nullptr);
    proc<void (*)(int, unsigned*)>("glGenFramebuffers")(1, &framebuffer);
    proc<void (*)(unsigned, unsigned)>("glBindFramebuffer")(kFramebuffer, framebuffer);
    proc<void (*)(unsigned, unsigned, unsigned, unsigned, int)>("glFramebufferTexture2D")(
        kFramebuffer, kColor0, kTexture2d, texture, 0);
    ready_ = true;
  }
  ~Offscreen() {
    if (display_ == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
  }
  bool ready() const { return ready_; }
  void clear() {
    proc<void (*)(unsigned)>("glDisable")(0x0C11);  // the scissor that the last draw left
    proc<void (*)(float, float, float, float)>("glClearColor")(0, 0, 0, 1);
    proc<void (*)(unsigned)>("glClear")(kColorBit);
  }
  void finish() { proc<void (*)()>("glFinish")(); }
  Color at(int x, int y) {  // y down
    unsigned char rgba[4];
    proc<void (*)(int, int, int, int, unsigned, unsigned, void*)>("glReadPixels")(
        x, h_ - 1 - y, 1, 1, kRgba, kUnsignedByte, rgba);
    return {rgba[0], rgba[1], rgba[2], 255};
  }
  gl::Target target() const {
    return {w_, h_, 0, 0, 1, {0, 0, static_cast<float>(w_), static_cast<float>(h_)}};
  }

 private:
  int w_, h_;
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  bool ready_ = false;
};

bool near(Color a, Color b) {
  return std::abs(a.r - b.r) <= 2 && std::abs(a.g - b.g) <= 2 && std::abs(a.b - b.b) <= 2;
}

class CellsInGl : public ::testing::TestWithParam<gl::Dialect> {
 protected:
  CellsInGl() : screen_(GetParam() == gl::Dialect::gles300, 640, 480) {}
  Offscreen screen_;
};

TEST_P(CellsInGl, ColoursAreThoseOfTheScene) {
  if (!screen_.ready()) GTEST_SKIP() << "no surfaceless EGL display";
  gl::CellRenderer renderer(eglGetProcAddress, GetParam());
  ASSERT_EQ(renderer.error(), "");
  const MmaAtom atom = mma_m16n8k16_f16_f32();
  for (const Palette* palette : {&dark_palette(), &light_palette()}) {
    CellGrid grid = fragment_grid(atom, atom.a, Operand::a, {0, 0}, {10, 20, 16 * 21, 16 * 19}, 17);
    grid.strength = 0.7f;
    grid.inner_lines = grid.ticks = true;
    grid.cells[5] |= kCellDim;
    grid.cells[9] |= kCellNow;
    grid.cells[40] = kCellEmpty;
    screen_.clear();
    renderer.draw(1, grid, *palette, screen_.target());
    for (int row = 0; row < 16; ++row) {
      for (int col = 0; col < 16; ++col) {
        const Box box = cell_box(grid, row, col);
        const uint32_t cell = grid.cells[static_cast<size_t>(row * 16 + col)];
        const Color expected =
            cell & kCellEmpty ? Color{0, 0, 0, 255} : cell_color(grid, cell, *palette);
        const Color got = screen_.at(static_cast<int>(box.x + 8), static_cast<int>(box.y + 8));
        EXPECT_TRUE(near(got, expected)) << row << "," << col;
      }
    }
    // Between runs there is a line; between the two cells of a run there is none.
    const Box run_end = cell_box(grid, 0, 1), inner = cell_box(grid, 0, 0);
    EXPECT_TRUE(
        near(screen_.at(static_cast<int>(run_end.right()) - 1, static_cast<int>(run_end.y) + 8),
             palette->panel));
    EXPECT_FALSE(
        near(screen_.at(static_cast<int>(inner.right()) - 1, static_cast<int>(inner.y) + 8),
             palette->panel));
  }
  renderer.release();
}

TEST_P(CellsInGl, AFilteringSamplerOfTheHostDoesNotBlankTheCells) {
  if (!screen_.ready()) GTEST_SKIP() << "no surfaceless EGL display";
  gl::CellRenderer renderer(eglGetProcAddress, GetParam());
  // As Dear ImGui's back end leaves it: linear, which integer textures cannot be read with.
  unsigned sampler = 0;
  proc<void (*)(int, unsigned*)>("glGenSamplers")(1, &sampler);
  proc<void (*)(unsigned, unsigned, int)>("glSamplerParameteri")(sampler, 0x2801, 0x2601);
  proc<void (*)(unsigned, unsigned, int)>("glSamplerParameteri")(sampler, 0x2800, 0x2601);
  proc<void (*)(unsigned, unsigned)>("glBindSampler")(0, sampler);
  const MmaAtom atom = mma_m16n8k16_f16_f32();
  const CellGrid grid = fragment_grid(atom, atom.a, Operand::a, {0, 0}, {0, 0, 320, 320}, 17);
  screen_.clear();
  renderer.draw(1, grid, dark_palette(), screen_.target());
  for (int row = 0; row < 16; ++row) {
    const Box box = cell_box(grid, row, 0);
    const uint32_t cell = grid.cells[static_cast<size_t>(row * 16)];
    EXPECT_TRUE(near(screen_.at(static_cast<int>(box.x + 8), static_cast<int>(box.y + 8)),
                     cell_color(grid, cell, dark_palette())))
        << row;
  }
  int bound = 0;
  proc<void (*)(unsigned, int*)>("glGetIntegerv")(0x8919, &bound);
  EXPECT_EQ(static_cast<unsigned>(bound), sampler) << "the host's binding was not put back";
  renderer.release();
}

TEST_P(CellsInGl, ViridisIsThatOfTheScene) {
  if (!screen_.ready()) GTEST_SKIP() << "no surfaceless EGL display";
  gl::CellRenderer renderer(eglGetProcAddress, GetParam());
  CellGrid grid;
  grid.box = {0, 0, 320, 32};
  grid.columns = 40, grid.rows = 1;
  grid.color = CellColor::viridis;
  grid.line_width = 0;
  for (uint32_t i = 0; i < 40; ++i) grid.cells.push_back(i * (kCellMax / 39));
  screen_.clear();
  renderer.draw(1, grid, dark_palette(), screen_.target());
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(near(screen_.at(i * 8 + 4, 16),
                     cell_color(grid, grid.cells[static_cast<size_t>(i)], dark_palette())))
        << i;
  }
}

TEST_P(CellsInGl, OnlyChangedTexelsAreSentAndALostContextIsSurvived) {
  if (!screen_.ready()) GTEST_SKIP() << "no surfaceless EGL display";
  gl::CellRenderer renderer(eglGetProcAddress, GetParam());
  CellGrid grid;
  grid.box = {0, 0, 640, 480};
  grid.columns = grid.rows = 1000;  // a million cells
  grid.color = CellColor::viridis;
  grid.line_width = 0;
  for (uint32_t i = 0; i < 1000000; ++i) grid.cells.push_back(i % (kCellMax + 1));
  renderer.draw(7, grid, dark_palette(), screen_.target());
  const size_t whole = renderer.rows_sent();
  renderer.draw(7, grid, dark_palette(), screen_.target());
  EXPECT_EQ(renderer.rows_sent(), whole);
  grid.cells[500000] |= kCellNow;
  renderer.draw(7, grid, dark_palette(), screen_.target());
  EXPECT_EQ(renderer.rows_sent(), whole + 1);
  screen_.finish();
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) renderer.draw(7, grid, dark_palette(), screen_.target());
  screen_.finish();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
  RecordProperty("ms_per_frame", std::to_string(took.count() / 10));
  std::printf("a million cells at 640x480: %.2f ms per frame\n", took.count() / 10);
  renderer.context_lost();
  EXPECT_EQ(renderer.textures(), 0u);
  screen_.clear();
  renderer.draw(7, grid, dark_palette(), screen_.target());
  EXPECT_EQ(renderer.error(), "");
  EXPECT_FALSE(near(screen_.at(320, 240), {0, 0, 0, 255}));
  renderer.end_frame();
  renderer.end_frame();  // nothing drawn between: it is freed
  EXPECT_EQ(renderer.textures(), 0u);
}

TEST_P(CellsInGl, NothingIsDrawnOutsideTheClip) {
  if (!screen_.ready()) GTEST_SKIP() << "no surfaceless EGL display";
  gl::CellRenderer renderer(eglGetProcAddress, GetParam());
  CellGrid grid;
  grid.box = {0, 0, 640, 480};
  grid.columns = grid.rows = 1;
  grid.color = CellColor::solid;
  grid.base = rgb(0xffffff);
  grid.cells = {0};
  screen_.clear();
  gl::Target target = screen_.target();
  target.clip = {100, 50, 200, 100};
  renderer.draw(1, grid, dark_palette(), target);
  EXPECT_TRUE(near(screen_.at(110, 60), rgb(0xffffff)));
  EXPECT_TRUE(near(screen_.at(299, 149), rgb(0xffffff)));
  EXPECT_TRUE(near(screen_.at(90, 60), rgb(0x000000)));
  EXPECT_TRUE(near(screen_.at(110, 160), rgb(0x000000)));
}

INSTANTIATE_TEST_SUITE_P(Dialects, CellsInGl,
                         ::testing::Values(gl::Dialect::gl330, gl::Dialect::gles300),
                         [](const auto& info) {
                           return info.param == gl::Dialect::gl330 ? "Gl330" : "Gles300";
                         });

}  // namespace
}  // namespace tilescope::viz

// Draws CellGrids with OpenGL 3.3 or ES 3.0: one quad and one integer texture each, whatever the
// number of cells. Made to be called from a draw callback of the window's user interface.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "viz/gl/functions.h"
#include "viz/scene/scene.h"

namespace tilescope::viz::gl {

enum class Dialect { gl330, gles300 };

/// Where a panel lies in the framebuffer; pixels, y down.
struct Target {
  int framebuffer_w = 0, framebuffer_h = 0;
  float x = 0, y = 0;  // of the panel's upper left corner
  float scale = 1;     // framebuffer pixels a scene pixel
  Box clip;            // in the framebuffer; nothing is drawn outside
};

class CellRenderer {
 public:
  /// Needs a current context. On failure `error()` says why and draw() does nothing.
  CellRenderer(GetProc get_proc, Dialect dialect = Dialect::gl330);
  ~CellRenderer();
  CellRenderer(const CellRenderer&) = delete;
  CellRenderer& operator=(const CellRenderer&) = delete;

  const std::string& error() const { return error_; }

  /// `id` names the grid from frame to frame (a panel's number and the grid's place in its scene,
  /// say); its texels are compared with those of the last draw, and only rows that changed are
  /// sent. Leaves the texture, program and vertex array as they were; blending, scissor, viewport
  /// and depth test are changed, as user interface callbacks reset them anyway.
  void draw(uint64_t id, const CellGrid& grid, const Palette& palette, const Target& target);

  /// Textures not drawn since the last call are freed. Once per frame.
  void end_frame();

  /// The context is gone and took everything with it: forget the names, make them anew when needed.
  void context_lost();
  /// Frees everything; the context must be current.
  void release();

  size_t textures() const { return textures_.size(); }
  size_t rows_sent() const { return rows_sent_; }  // for tests

 private:
  struct Texture {
    Uint name = 0;
    std::vector<uint32_t> cells;  // as sent
    uint64_t version = 0;         // of the grid that they came from
    bool used = true;
  };
  struct Program;
  bool prepare();
  bool make_program(Program& program, bool lines);
  Uint compile(Enum kind, const char* source);
  void upload(Texture& texture, const CellGrid& grid);

  Functions gl_;
  Dialect dialect_;
  bool loaded_ = false;
  std::string error_;
  struct Program {
    Uint name = 0;
    Int box, viewport, cells, wrap_shift, count, run, size, mode, table, base, panel, line,
        line_width, strength, opacity, tick, inner;  // places of the uniforms
  };
  Program plain_{}, lines_{};  // cells of a few pixels need no lines between them
  Uint vertex_array_ = 0;
  static constexpr int kWrapShift = 11;  // 2048 texels wide: every GL 3.3 and ES 3.0 has those
  std::unordered_map<uint64_t, Texture> textures_;
  size_t rows_sent_ = 0;
};

}  // namespace tilescope::viz::gl

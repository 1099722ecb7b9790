#include "viz/gl/cell_renderer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "viz/gl/shaders.h"

namespace tilescope::viz::gl {
namespace {

const char* prefix(Dialect dialect) {
  return dialect == Dialect::gl330
             ? "#version 330 core\n"
             : "#version 300 es\nprecision highp float;\nprecision highp int;\n"
               "precision highp usampler2D;\n";
}

void to_floats(Color c, float* out) {
  out[0] = static_cast<float>(c.r) / 255.0f;
  out[1] = static_cast<float>(c.g) / 255.0f;
  out[2] = static_cast<float>(c.b) / 255.0f;
}

}  // namespace

CellRenderer::CellRenderer(GetProc get_proc, Dialect dialect) : dialect_(dialect) {
  if (const char* missing = load(get_proc, &gl_)) {
    error_ = std::string("this OpenGL has no ") + missing;
    return;
  }
  loaded_ = true;
  prepare();
}

CellRenderer::~CellRenderer() = default;  // the context may be gone: release() is the owner's call

Uint CellRenderer::compile(Enum kind, const char* source) {
  const Uint shader = gl_.CreateShader(kind);
  gl_.ShaderSource(shader, 1, &source, nullptr);
  gl_.CompileShader(shader);
  Int good = 0;
  gl_.GetShaderiv(shader, kCompileStatus, &good);
  if (good == 0) {
    char log[2048] = "";
    gl_.GetShaderInfoLog(shader, sizeof log, nullptr, log);
    error_ = std::string("a shader does not compile: ") + log;
    gl_.DeleteShader(shader);
    return 0;
  }
  return shader;
}

bool CellRenderer::prepare() {
  if (!loaded_ || !error_.empty()) return false;  // what failed once would fail every frame
  if (plain_.name != 0) return true;
  if (!make_program(plain_, false) || !make_program(lines_, true)) return false;
  gl_.GenVertexArrays(1, &vertex_array_);  // without attributes: the shader makes the corners
  return true;
}

bool CellRenderer::make_program(Program& p, bool lines) {
  // The version must be the first line.
  const std::string head = prefix(dialect_) + std::string(lines ? "#define TILESCOPE_LINES 1\n"
                                                                : "#define TILESCOPE_LINES 0\n");
  const std::string vertex = head + kCellsVert, fragment = head + kCellsFrag;
  const Uint v = compile(kVertexShader, vertex.c_str());
  const Uint f = v != 0 ? compile(kFragmentShader, fragment.c_str()) : 0;
  if (f == 0) return false;
  p.name = gl_.CreateProgram();
  gl_.AttachShader(p.name, v);
  gl_.AttachShader(p.name, f);
  gl_.LinkProgram(p.name);
  gl_.DeleteShader(v);
  gl_.DeleteShader(f);
  Int good = 0;
  gl_.GetProgramiv(p.name, kLinkStatus, &good);
  if (good == 0) {
    char log[2048] = "";
    gl_.GetProgramInfoLog(p.name, sizeof log, nullptr, log);
    error_ = std::string("the cell program does not link: ") + log;
    gl_.DeleteProgram(p.name);
    p.name = 0;
    return false;
  }
  const auto at = [&](const char* name) { return gl_.GetUniformLocation(p.name, name); };
  p.box = at("u_box"), p.viewport = at("u_viewport"), p.cells = at("u_cells");
  p.wrap_shift = at("u_wrap_shift"), p.count = at("u_count"), p.run = at("u_run");
  p.size = at("u_size"), p.mode = at("u_mode"), p.table = at("u_table"), p.base = at("u_base");
  p.panel = at("u_panel"), p.line = at("u_line"), p.line_width = at("u_line_width");
  p.strength = at("u_strength"), p.opacity = at("u_opacity"), p.tick = at("u_tick");
  p.inner = at("u_inner");
  return true;
}

void CellRenderer::upload(Texture& texture, const CellGrid& grid) {
  const size_t width = size_t{1} << kWrapShift;
  const size_t rows = (grid.cells.size() + width - 1) / width;
  const bool fresh = texture.name == 0 || texture.cells.size() != grid.cells.size();
  if (!fresh && grid.version != 0 && grid.version == texture.version) {
    gl_.BindTexture(kTexture2d, texture.name);
    return;
  }
  texture.version = grid.version;
  gl_.PixelStorei(kUnpackAlignment, 4);
  gl_.PixelStorei(kUnpackRowLength, 0);
  if (fresh) {
    if (texture.name == 0) gl_.GenTextures(1, &texture.name);
    gl_.BindTexture(kTexture2d, texture.name);
    gl_.TexParameteri(kTexture2d, kTextureMinFilter, static_cast<Int>(kNearest));
    gl_.TexParameteri(kTexture2d, kTextureMagFilter, static_cast<Int>(kNearest));
    gl_.TexParameteri(kTexture2d, kTextureWrapS, static_cast<Int>(kClampToEdge));
    gl_.TexParameteri(kTexture2d, kTextureWrapT, static_cast<Int>(kClampToEdge));
    gl_.TexImage2D(kTexture2d, 0, static_cast<Int>(kR32ui), static_cast<Int>(width),
                   static_cast<Int>(rows), 0, kRedInteger, kUnsignedInt, nullptr);
  } else {
    gl_.BindTexture(kTexture2d, texture.name);
  }
  const auto cells_of = [&](size_t row) {
    return std::min(width, grid.cells.size() - row * width);
  };
  const auto is_new = [&](size_t row) {
    return fresh || std::memcmp(texture.cells.data() + row * width, grid.cells.data() + row * width,
                                cells_of(row) * sizeof(uint32_t)) != 0;
  };
  const auto send = [&](size_t row, size_t end, size_t count) {
    gl_.TexSubImage2D(kTexture2d, 0, 0, static_cast<Int>(row), static_cast<Int>(count),
                      static_cast<Int>(end - row), kRedInteger, kUnsignedInt,
                      grid.cells.data() + row * width);
    rows_sent_ += end - row;
  };
  for (size_t row = 0; row < rows;) {
    size_t end = row;
    while (end < rows && is_new(end)) ++end;
    if (end == row) {
      ++row;
      continue;
    }
    // Rows that follow each other go at once; the last of all may be shorter.
    const size_t whole = cells_of(end - 1) == width ? end : end - 1;
    if (whole > row) send(row, whole, width);
    if (whole < end) send(whole, end, cells_of(whole));
    const size_t from = row * width, to = std::min(end * width, grid.cells.size());
    if (!fresh)
      std::copy(grid.cells.begin() + static_cast<std::ptrdiff_t>(from),
                grid.cells.begin() + static_cast<std::ptrdiff_t>(to),
                texture.cells.begin() + static_cast<std::ptrdiff_t>(from));
    row = end;
  }
  if (fresh) texture.cells = grid.cells;
}

void CellRenderer::draw(uint64_t id, const CellGrid& grid, const Palette& palette,
                        const Target& target) {
  const size_t cells = static_cast<size_t>(grid.columns) * static_cast<size_t>(grid.rows);
  if (grid.cells.empty() || grid.cells.size() < cells || grid.columns < 1 || grid.rows < 1) return;
  if (!prepare() || grid.opacity <= 0 || target.clip.w <= 0 || target.clip.h <= 0) return;

  Int old_program = 0, old_array = 0, old_unit = 0, old_texture = 0, old_sampler = 0;
  gl_.GetIntegerv(kCurrentProgram, &old_program);
  gl_.GetIntegerv(kVertexArrayBinding, &old_array);
  gl_.GetIntegerv(kActiveTexture, &old_unit);
  gl_.ActiveTexture(kTexture0);
  gl_.GetIntegerv(kTextureBinding2d, &old_texture);
  // A filtering sampler, as ImGui binds one, would make integer texels unreadable: all zero.
  gl_.GetIntegerv(kSamplerBinding, &old_sampler);
  gl_.BindSampler(0, 0);

  Texture& texture = textures_[id];
  texture.used = true;
  upload(texture, grid);

  gl_.Viewport(0, 0, target.framebuffer_w, target.framebuffer_h);
  gl_.Disable(kDepthTest);
  gl_.Disable(kCullFace);
  gl_.Enable(kBlend);
  gl_.BlendEquation(kFuncAdd);
  gl_.BlendFuncSeparate(kSrcAlpha, kOneMinusSrcAlpha, kOne, kOneMinusSrcAlpha);
  gl_.Enable(kScissorTest);
  const Int clip_x = static_cast<Int>(std::floor(target.clip.x));
  const Int clip_w = static_cast<Int>(std::ceil(target.clip.right())) - clip_x;
  const Int clip_bottom = static_cast<Int>(std::ceil(target.clip.bottom()));
  const Int clip_h = clip_bottom - static_cast<Int>(std::floor(target.clip.y));
  gl_.Scissor(clip_x, target.framebuffer_h - clip_bottom, clip_w, clip_h);

  const float s = target.scale;
  const float cell = std::min(grid.box.w / static_cast<float>(grid.columns),
                              grid.box.h / static_cast<float>(grid.rows)) *
                     s;
  const Program& at = cell < 3 ? plain_ : lines_;
  gl_.UseProgram(at.name);
  gl_.BindVertexArray(vertex_array_);
  const float x = std::round(target.x + grid.box.x * s), y = std::round(target.y + grid.box.y * s);
  const float w = std::round(grid.box.w * s), h = std::round(grid.box.h * s);
  gl_.Uniform4f(at.box, x, y, w, h);
  gl_.Uniform2f(at.viewport, static_cast<float>(target.framebuffer_w),
                static_cast<float>(target.framebuffer_h));
  gl_.Uniform1i(at.cells, 0);
  gl_.Uniform1i(at.wrap_shift, kWrapShift);
  gl_.Uniform2i(at.count, grid.columns, grid.rows);
  gl_.Uniform2i(at.run, std::max(1, grid.run_columns), std::max(1, grid.run_rows));
  gl_.Uniform2f(at.size, w, h);
  gl_.Uniform1i(at.mode, static_cast<Int>(grid.color));
  float table[32 * 3];
  for (size_t i = 0; i < 32; ++i) {
    to_floats(grid.color == CellColor::viridis
                  ? viridis(std::min(1.0f, static_cast<float>(i) / 9.0f))
                  : palette.lanes[i],
              table + 3 * i);
  }
  gl_.Uniform3fv(at.table, 32, table);
  float rgb[3];
  to_floats(grid.base, rgb);
  gl_.Uniform3fv(at.base, 1, rgb);
  to_floats(palette.panel, rgb);
  gl_.Uniform3fv(at.panel, 1, rgb);
  const Color line = grid.line.a == 0 ? palette.panel : grid.line;
  to_floats(line, rgb);
  gl_.Uniform4f(at.line, rgb[0], rgb[1], rgb[2], static_cast<float>(line.a) / 255.0f);
  const float line_px = grid.line_width > 0 ? std::max(1.0f, std::round(grid.line_width * s)) : 0;
  gl_.Uniform1f(at.line_width, line_px);
  gl_.Uniform2f(at.strength, grid.strength, grid.strong);
  gl_.Uniform1f(at.opacity, grid.opacity);
  gl_.Uniform1f(at.tick, grid.ticks ? 4 * s : 0);
  gl_.Uniform1f(at.inner, grid.inner_lines ? std::max(1.0f, std::round(s)) : 0);
  gl_.DrawArrays(kTriangleStrip, 0, 4);

  gl_.BindSampler(0, static_cast<Uint>(old_sampler));
  gl_.BindTexture(kTexture2d, static_cast<Uint>(old_texture));
  gl_.ActiveTexture(static_cast<Enum>(old_unit));
  gl_.BindVertexArray(static_cast<Uint>(old_array));
  gl_.UseProgram(static_cast<Uint>(old_program));
}

void CellRenderer::end_frame() {
  for (auto it = textures_.begin(); it != textures_.end();) {
    if (it->second.used) {
      it->second.used = false;
      ++it;
      continue;
    }
    gl_.DeleteTextures(1, &it->second.name);
    it = textures_.erase(it);
  }
}

void CellRenderer::context_lost() {
  textures_.clear();
  plain_.name = lines_.name = vertex_array_ = 0;
  error_.clear();
}

void CellRenderer::release() {
  if (!loaded_) return;
  for (auto& [id, texture] : textures_) gl_.DeleteTextures(1, &texture.name);
  textures_.clear();
  if (vertex_array_ != 0) gl_.DeleteVertexArrays(1, &vertex_array_);
  for (Program* program : {&plain_, &lines_}) {
    if (program->name != 0) gl_.DeleteProgram(program->name);
    program->name = 0;
  }
  vertex_array_ = 0;
}

}  // namespace tilescope::viz::gl

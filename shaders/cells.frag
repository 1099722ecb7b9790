// TILESCOPE_LINES 0 leaves lines and ticks out: software renderers pay for them in every pixel.
//
// Looks up the texel of the cell under a pixel: its thread, value and state decide the colour; lines
// between runs, ticks and edges are drawn here too. The same rules as viz/scene/cells.cpp.
uniform highp usampler2D u_cells;  // one texel a cell, wrapped at u_wrap columns
uniform int u_wrap_shift;          // log2 of the texture's width
uniform ivec2 u_count;             // columns, rows
uniform vec2 u_size;               // of the field in pixels
uniform int u_mode;                // 0 lanes, 1 viridis, 2 solid
uniform vec3 u_table[32];          // of the lanes; or viridis in ten steps
uniform vec3 u_base;
uniform vec3 u_panel;
uniform vec2 u_strength;           // of ordinary and of strong cells
uniform float u_opacity;
#if TILESCOPE_LINES
uniform ivec2 u_run;               // cells of one thread that lie together
uniform vec4 u_line;               // colour and opacity between runs
uniform float u_line_width;        // pixels
uniform float u_tick;              // longest side of a tick in pixels, 0: none
uniform float u_inner;             // width of the lines between cells of a run, 0: none
#endif

in vec2 v_at;
out vec4 o_color;

const uint kStrong = 1u << 20;
const uint kDim = 1u << 21;
const uint kEmpty = 1u << 22;
const uint kEdgeRight = 1u << 23;
const uint kEdgeBottom = 1u << 24;
const uint kNow = 1u << 25;

vec3 table(float at) {
  int i = min(int(at), 8);
  return mix(u_table[i], u_table[i + 1], at - float(i));
}

// Edges lie on whole pixels while a cell is at least one wide.
float edge(int i, int count, float extent) {
  float at = float(i) * extent / float(count);
  return extent < float(count) ? at : floor(at + 0.5);
}

#if TILESCOPE_LINES
int cell_of(float at, int count, float extent) {
  int i = clamp(int(at * float(count) / extent), 0, count - 1);
  if (i > 0 && at < edge(i, count, extent)) i -= 1;
  if (i + 1 < count && at >= edge(i + 1, count, extent)) i += 1;
  return i;
}

#else
int cell_of(float at, int count, float extent) {
  return clamp(int(at * float(count) / extent), 0, count - 1);
}
#endif

#if TILESCOPE_LINES
float linear(float v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }

vec3 ink_on(vec3 ground) {
  float l = 0.05 + dot(vec3(0.2126, 0.7152, 0.0722),
                       vec3(linear(ground.r), linear(ground.g), linear(ground.b)));
  return l / 0.05 > 1.05 / l ? vec3(11.0, 13.0, 16.0) / 255.0 : vec3(1.0);
}
#endif

void main() {
  int col = cell_of(v_at.x, u_count.x, u_size.x);
  int row = cell_of(v_at.y, u_count.y, u_size.y);
  int index = row * u_count.x + col;
  int mask = (1 << u_wrap_shift) - 1;
  uint cell = texelFetch(u_cells, ivec2(index & mask, index >> u_wrap_shift), 0).r;
  if ((cell & kEmpty) != 0u) discard;

  float strength = u_strength.x;
  if ((cell & kStrong) != 0u) strength = u_strength.y;
  if ((cell & kDim) != 0u) strength *= 1.0 / 3.0;
  if ((cell & kNow) != 0u) strength = 1.0;
  vec3 color = u_base;
  if (u_mode == 0) color = u_table[int(cell & 31u)];
  if (u_mode == 1) color = table(float(cell & 0xFFFFFu) / float(0xFFFFF) * 9.0);
  color = mix(u_panel, color, strength);
  vec4 result = vec4(color, 1.0);

#if TILESCOPE_LINES
  // The cell and its run in pixels.
  vec2 low = vec2(edge(col, u_count.x, u_size.x), edge(row, u_count.y, u_size.y));
  vec2 high = vec2(edge(col + 1, u_count.x, u_size.x), edge(row + 1, u_count.y, u_size.y));
  ivec2 first = ivec2(col, row) / u_run * u_run;
  ivec2 last = min(first + u_run, u_count);
  vec2 run_low = vec2(edge(first.x, u_count.x, u_size.x), edge(first.y, u_count.y, u_size.y));
  vec2 run_high = vec2(edge(last.x, u_count.x, u_size.x), edge(last.y, u_count.y, u_size.y));
  float line = min(high.x - low.x, high.y - low.y) >= 3.0 ? u_line_width : 0.0;
  vec2 run_end = run_high - line;

  if (u_inner > 0.0) {
    vec3 ink = ink_on(color);
    bool right = last.x != col + 1 && v_at.x >= high.x - u_inner &&
                 v_at.y > mix(low.y, high.y, 0.45);
    bool below = last.y != row + 1 && v_at.y >= high.y - u_inner;
    if (right || below) result.rgb = mix(result.rgb, ink, 0.16);
  }
  if (u_tick > 0.0) {
    float side = min(u_tick, min((run_end.x - run_low.x) / 4.0, (run_end.y - run_low.y) / 3.0));
    uint quarter = cell & 3u;
    float dx = quarter == 1u || quarter == 2u ? run_end.x - v_at.x : v_at.x - run_low.x;
    float dy = quarter >= 2u ? run_end.y - v_at.y : v_at.y - run_low.y;
    if (side >= u_tick * 0.5 && dx >= 0.0 && dy >= 0.0 && dx + dy < side) {
      result.rgb = mix(result.rgb, ink_on(color), 0.55);
    }
  }
  if (line > 0.0 && (v_at.x >= run_end.x || v_at.y >= run_end.y)) {
    // The line is drawn on the ground, not on the cell.
    result.rgb = mix(result.rgb, u_line.rgb, u_line.a);
  }
  vec2 ends = high - max(1.0, u_line_width);
  bool wave_ends = ((cell & kEdgeRight) != 0u && v_at.x >= ends.x) ||
                   ((cell & kEdgeBottom) != 0u && v_at.y >= ends.y);
  if (wave_ends) result.rgb = mix(result.rgb, vec3(1.0), 0.75);
#else
  // Without the cell's edges a wave's end lightens the whole cell.
  if ((cell & (kEdgeRight | kEdgeBottom)) != 0u) result.rgb = mix(result.rgb, vec3(1.0), 0.75);
#endif
  o_color = vec4(result.rgb, result.a * u_opacity);
}

// One quad for a whole field of cells. Compiles as GLSL 330 and as GLSL ES 300: the version line is
// put in front when it is loaded.
uniform vec4 u_box;       // x, y, w, h in pixels of the framebuffer, y down
uniform vec2 u_viewport;  // pixels

out vec2 v_at;            // pixels from the field's upper left corner

void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  v_at = corner * u_box.zw;
  vec2 pixel = u_box.xy + v_at;
  gl_Position = vec4(pixel.x / u_viewport.x * 2.0 - 1.0, 1.0 - pixel.y / u_viewport.y * 2.0, 0.0, 1.0);
}

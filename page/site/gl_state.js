// The window's renderer asks the context for its state before each frame, to put it back. A browser
// passes some of these questions on, and waits for the answer behind all that is still to be drawn; so
// what was set is remembered here.

/** `gl`: a fresh WebGL 2 context. */
export function rememberState(gl) {
  const whole = Int32Array.of(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
  const known = new Map([
    [gl.VIEWPORT, whole], [gl.SCISSOR_BOX, whole],
    [gl.BLEND_EQUATION_RGB, gl.FUNC_ADD], [gl.BLEND_EQUATION_ALPHA, gl.FUNC_ADD],
    [gl.BLEND_SRC_RGB, gl.ONE], [gl.BLEND_DST_RGB, gl.ZERO],
    [gl.BLEND_SRC_ALPHA, gl.ONE], [gl.BLEND_DST_ALPHA, gl.ZERO],
    [gl.UNPACK_ROW_LENGTH, 0], [gl.UNPACK_ALIGNMENT, 4],
  ]);
  const ask = gl.getParameter.bind(gl);
  gl.getParameter = (name) => known.get(name) ?? ask(name);
  const follow = (method, names) => {
    const call = gl[method].bind(gl);
    gl[method] = (...values) => {
      names(...values).forEach(([name, value]) => known.set(name, value));
      call(...values);
    };
  };
  const equations = (rgb, alpha) => [[gl.BLEND_EQUATION_RGB, rgb], [gl.BLEND_EQUATION_ALPHA, alpha]];
  const factors = (fromRgb, toRgb, fromAlpha, toAlpha) => [
    [gl.BLEND_SRC_RGB, fromRgb], [gl.BLEND_DST_RGB, toRgb],
    [gl.BLEND_SRC_ALPHA, fromAlpha], [gl.BLEND_DST_ALPHA, toAlpha]];
  follow('viewport', (...box) => [[gl.VIEWPORT, Int32Array.from(box)]]);
  follow('scissor', (...box) => [[gl.SCISSOR_BOX, Int32Array.from(box)]]);
  follow('pixelStorei', (name, value) => [[name, value]]);
  follow('blendEquation', (mode) => equations(mode, mode));
  follow('blendEquationSeparate', equations);
  follow('blendFunc', (from, to) => factors(from, to, from, to));
  follow('blendFuncSeparate', factors);
}

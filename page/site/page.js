// Starts the window in its canvas, and keeps it and the browser in step: size, address, storage,
// clipboard, downloads.
import {rememberState} from './gl_state.js';
import {Loader} from './loader.js';
import {Workers} from './workers.js';
import * as session from './session.js';
import * as exported from './exports.js';

const kFonts = ['Inter-Regular.otf', 'Inter-SemiBold.otf', 'JetBrainsMono-Regular.ttf',
                'JetBrainsMono-SemiBold.ttf', 'wqy-microhei-names.ttf'];  // the last: for the menu View ▸ Language
const kLanguageFont = 'wqy-microhei-subset.ttf';  // fetched when a language needs it
const canvas = document.getElementById('canvas');
const notice = document.getElementById('notice');
const state = document.getElementById('state');

function say(sentence) {
  notice.textContent = sentence;
}

/** The canvas's context, which the window then finds there. */
function beginGraphics() {
  const gl = canvas.getContext('webgl2', {alpha: false, antialias: false, depth: false, stencil: false});
  if (!gl) {
    throw new Error('This browser offers no WebGL 2, which the pictures are drawn with; turn on ' +
                    'hardware acceleration, or use another browser.');
  }
  rememberState(gl);
}

let page = null;
let loader = null;
let languageFont = null;

/** A promise of what went wrong, as a sentence; empty: the font is where the window looks for it. */
function fetchLanguageFont() {
  languageFont ??= loader.bytesOf(`fonts/${kLanguageFont}`).then((bytes) => {
    page.FS.writeFile(`/assets/fonts/${kLanguageFont}`, bytes);
    page._tilescope_language_font_came();
    return '';
  }).catch((error) => {
    languageFont = null;  // the next who asks tries again
    return `The language's font is missing: ${error.message}`;
  });
  return languageFont;
}

function withText(text, use) {
  const size = page.lengthBytesUTF8(text) + 1;
  const at = page._malloc(size);
  page.stringToUTF8(text, at, size);
  try {
    return use(at);
  } finally {
    page._free(at);
  }
}

/** What an exported function that returns a text says. */
const textOf = (at) => page.UTF8ToString(at);

function fromWorker(role, id, kind, type, bytes) {
  withText(role, (r) => withText(kind, (k) => withText(type, (t) => {
    const at = page._malloc(bytes.length || 1);
    page.HEAPU8.set(bytes, at);
    try {
      page._tilescope_from_worker(r, id, k, t, at, bytes.length);
    } finally {
      page._free(at);
    }
  })));
}

function sizeNow() {
  const scale = window.devicePixelRatio || 1;
  return [Math.max(1, Math.round(window.innerWidth * scale)),
          Math.max(1, Math.round(window.innerHeight * scale)), scale];
}

const linkOfAddress = () => (location.hash.length > 1 ? location.href : '');

function followAddress() {
  let told = textOf(page._tilescope_link());
  window.addEventListener('hashchange', () => {
    if (location.hash === `#${told}`) return;
    withText(location.href, (at) => page._tilescope_open_this(at));
  });
  return () => {
    const now = textOf(page._tilescope_link());
    if (now === told) return;
    told = now;
    if (now) history.replaceState(null, '', `#${now}`);
  };
}

function followClipboard() {
  window.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    withText(text, (at) => page._tilescope_pasted(at));
  });
}

/** The clipboard, for a menu: some browsers hand it over, if asked for with a hand's click. */
async function askClipboard() {
  try {
    const text = await navigator.clipboard.readText();
    withText(text, (at) => page._tilescope_clipboard_told(at));
  } catch {
    page._tilescope_clipboard_told(0);
  }
  page._tilescope_wake();
}

/** A file for the window, as if it had been dropped. */
function chooseFile() {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.ptx,.json';
  input.addEventListener('change', async () => {
    const [file] = input.files;
    if (!file) return;
    page.FS.mkdirTree('/chosen');
    const path = `/chosen/${file.name}`;
    page.FS.writeFile(path, new Uint8Array(await file.arrayBuffer()));
    withText(path, (at) => page._tilescope_open_this(at));
  });
  input.click();
}

/** Two fingers are a wheel: what a panel scrolls, they pan. */
function followTouch() {
  let last = null;
  const middle = ([a, b]) => ({x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2});
  canvas.addEventListener('touchmove', (event) => {
    if (event.touches.length !== 2) return;
    const now = middle(event.touches);
    if (last) {
      canvas.dispatchEvent(new WheelEvent('wheel', {
        deltaX: last.x - now.x, deltaY: last.y - now.y, clientX: now.x, clientY: now.y,
        bubbles: true, cancelable: true}));
    }
    last = now;
    event.stopImmediatePropagation();
    event.preventDefault();
  }, {capture: true, passive: false});
  const lifted = () => { last = null; };
  canvas.addEventListener('touchend', lifted);
  canvas.addEventListener('touchcancel', lifted);
}

function begin() {
  const tellAddress = followAddress();
  followClipboard();
  followTouch();
  window.addEventListener('resize', () => page._tilescope_resize(...sizeNow()));
  canvas.addEventListener('webglcontextlost', () =>
    say('The browser took the graphics away from this page; reload it, nothing is lost.'));
  for (const kind of ['pointermove', 'pointerdown', 'pointerup', 'wheel', 'keydown', 'keyup', 'keypress',
                      'touchstart', 'touchmove', 'touchend', 'drop', 'focus']) {
    window.addEventListener(kind, () => page._tilescope_wake(), {capture: true, passive: true});
  }
  // Keys that the program and the browser both know are the program's while it has the focus.
  window.addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    const ours = (event.ctrlKey || event.metaKey) && !event.altKey && 'lzpsfk'.includes(key);
    if (ours || event.key === 'F1') event.preventDefault();
  }, {capture: true});
  setInterval(() => {
    session.keep(page.FS);
    exported.handOver(page.FS).catch((error) => say(`The picture cannot be made: ${error.message}`));
    tellAddress();
    document.documentElement.lang = textOf(page._tilescope_language());
    const words = textOf(page._tilescope_state_text());
    if (state.textContent !== words) state.textContent = words;
  }, 500);
  window.addEventListener('pagehide', () => session.keep(page.FS));
}

async function start() {
  if (typeof WebAssembly === 'undefined') throw new Error('This browser has no WebAssembly.');
  loader = new Loader();
  const windowModule = loader.moduleOf('window.wasm');
  const fonts = kFonts.map((name) => loader.bytesOf(`fonts/${name}`));
  const engine = windowModule.then(() => loader.moduleOf('engine.wasm'));  // the picture comes first
  [windowModule, engine, ...fonts].forEach((asked) => asked.catch(() => {}));  // whoever awaits it, says it
  const [width, height, scale] = sizeNow();
  canvas.width = width;
  canvas.height = height;
  beginGraphics();
  page = await createWindow({
    canvas,
    workers: new Workers(engine, fromWorker),
    copy: (text) => navigator.clipboard?.writeText(text).catch((error) => console.warn(String(error))),
    instantiateWasm(imports, done) {
      windowModule.then(async (module) => done(await WebAssembly.instantiate(module, imports), module))
        .catch((error) => say(error.message));
      return {};
    },
    askClipboard,
    chooseFile,
    fetchLanguageFont: () => fetchLanguageFont().then(say),
    printErr: (line) => console.warn(line),
  });
  page.FS.mkdirTree('/assets/fonts');
  const asked = new URLSearchParams(location.search);
  const known = session.restore(page.FS);
  const begins = withText(asked.get('language') ?? '', (at) => textOf(page._tilescope_first_language(at)));
  const trouble = begins === 'en' ? '' : fetchLanguageFont();
  (await Promise.all(fonts)).forEach((bytes, i) =>
    page.FS.writeFile(`/assets/fonts/${kFonts[i]}`, bytes));
  const missing = await trouble;
  exported.begin(page.FS);
  const wishes = (wish) => matchMedia(`(prefers-${wish})`).matches;
  const theme = known ? '' : wishes('color-scheme: dark') ? 'dark' : 'light';
  try {
    withText(linkOfAddress(), (open) => withText(asked.get('panel') ?? '', (panel) =>
      withText(asked.get('layout') ?? '', (layout) => withText(theme, (themed) =>
        withText(asked.get('language') ?? '', (language) =>
          page._tilescope_open(width, height, scale, open, panel, layout, themed, language,
                               wishes('contrast: more'), wishes('reduced-motion: reduce')))))));
  } catch (error) {
    if (error !== 'unwind') throw error;  // the frames come from the browser from now on
  }
  say(missing);
  canvas.focus();
  begin();
  window.tilescope = page;  // for tests, and for whoever is curious
}

start().catch((error) => say(`Tilescope cannot start: ${error.message ?? error}`));

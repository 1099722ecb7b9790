// A Web Worker with the engine in it. Calls that come while the module starts wait for it.
'use strict';
importScripts('engine.js');

let engine = null;
const waiting = [];

/** A file beside the page, while the call that wants it waits; null if there is none. Throws if the
    server cannot be reached. */
function fetchBytes(path) {
  const request = new XMLHttpRequest();
  request.open('GET', path, false);
  request.responseType = 'arraybuffer';
  request.send();
  if (request.status === 404) return null;
  if (request.status !== 200) throw new Error(`${path}: ${request.status}`);
  return new Uint8Array(request.response);
}

function tell(id, kind, type, bytes) {
  const own = bytes.slice();  // the engine's memory moves on
  postMessage({id, kind, type, bytes: own}, [own.buffer]);
}

function withText(texts, use) {
  const places = texts.map((text) => {
    const size = engine.lengthBytesUTF8(text) + 1;
    const at = engine._malloc(size);
    engine.stringToUTF8(text, at, size);
    return at;
  });
  try {
    use(...places);
  } finally {
    places.forEach((at) => engine._free(at));
  }
}

function call({id, method, params}) {
  withText([method, params], (m, p) => engine._tilescope_call(id, m, p));
}

async function begin(role, module) {
  engine = await createEngine({
    fetchBytes, tell,
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
  });
  withText([role], (r) => engine._tilescope_begin(r));
  waiting.splice(0).forEach(call);
}

onmessage = ({data}) => {
  if (data.begin) {
    begin(data.begin, data.module).catch((error) => setTimeout(() => { throw error; }));
  } else if (engine) {
    call(data);
  } else {
    waiting.push(data);
  }
};

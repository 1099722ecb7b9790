// node engine.cjs FOLDER ROLE: the page's engine, asked in lines of JSON {"method", "params"}. Of each
// call come lines {"kind", "type", "bytes"} (base64) until one is "done" or "failed".
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');

const folder = path.resolve(process.argv[2]);
const role = process.argv[3];
const createEngine = require(path.join(folder, 'engine.js'));

createEngine({
  // As it was before the page's was packed.
  wasmBinary: fs.readFileSync(path.join(__dirname, '../../build/web/page/engine.wasm')),
  fetchBytes: (file) => {
    const at = path.join(folder, file);
    return fs.existsSync(at) ? fs.readFileSync(at) : null;
  },
  tell: (id, kind, type, bytes) => {
    const line = JSON.stringify({kind, type, bytes: Buffer.from(bytes).toString('base64')});
    fs.writeSync(1, line + '\n');
  },
}).then((engine) => {
  const withText = (text, use) => {
    const size = engine.lengthBytesUTF8(text) + 1;
    const at = engine._malloc(size);
    engine.stringToUTF8(text, at, size);
    use(at);
    engine._free(at);
  };
  withText(role, (at) => engine._tilescope_begin(at));
  readline.createInterface({input: process.stdin}).on('line', (line) => {
    const {method, params} = JSON.parse(line);
    withText(method, (m) => withText(JSON.stringify(params), (p) => engine._tilescope_call(1, m, p)));
  });
});

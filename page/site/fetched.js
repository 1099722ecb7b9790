// Files beside the page. A plain server names no encoding, so what is compressed (zstd) is unpacked
// here, by a small module that comes first.

/** The bytes of `path` below the page. Throws an Error with one sentence. */
async function fetched(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} cannot be fetched (${answer.status}).`);
  return new Uint8Array(await answer.arrayBuffer());
}

let unpacker = null;

function unpacking() {
  unpacker ??= fetched('unpack.wasm').then((bytes) => {
    const nothing = () => 0;
    return WebAssembly.instantiate(bytes, {
      env: {emscripten_notify_memory_growth: nothing},
      wasi_snapshot_preview1: {proc_exit: nothing, fd_close: nothing, fd_write: nothing, fd_seek: nothing},
    });
  }).then(({instance}) => instance.exports);
  return unpacker;
}

/** The bytes of `path`.zst, unpacked. */
export async function bytesOf(path) {
  const [bytes, code] = await Promise.all([fetched(`${path}.zst`), unpacking()]);
  const from = code.malloc(bytes.length);
  new Uint8Array(code.memory.buffer).set(bytes, from);
  const size = code.tilescope_unpacked_size(from, bytes.length);
  const to = code.malloc(size);
  const made = size ? code.tilescope_unpack(to, size, from, bytes.length) : 0;
  const unpacked = new Uint8Array(code.memory.buffer, to, made).slice();
  code.free(from);
  code.free(to);
  if (!made) throw new Error(`${path}.zst is damaged; reload the page.`);
  return unpacked;
}

export async function moduleOf(path) {
  return WebAssembly.compile(await bytesOf(path));
}

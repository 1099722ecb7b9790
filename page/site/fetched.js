// Files beside the page. A plain server names no encoding, so what is compressed is unpacked here.

/** The bytes of `path` below the page. Throws an Error with one sentence. */
export async function fetched(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} cannot be fetched (${answer.status}).`);
  return answer;
}

/** A response whose body is that of `path`.gz, unpacked, of a type. */
export async function unpacked(path, type) {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('This browser cannot unpack gzip (DecompressionStream); use a newer one.');
  }
  const answer = await fetched(`${path}.gz`);
  const body = answer.body.pipeThrough(new DecompressionStream('gzip'));
  return new Response(body, {headers: {'Content-Type': type}});
}

export async function moduleOf(path) {
  return WebAssembly.compileStreaming(unpacked(path, 'application/wasm'));
}

export async function bytesOf(path) {
  return new Uint8Array(await (await unpacked(path, 'application/octet-stream')).arrayBuffer());
}

// The session's files, kept in the browser's storage: what the desktop has in its config folder.
const kFolder = '/session';
const kPrefix = 'tilescope/';

function storage() {
  try {
    return window.localStorage;
  } catch {
    return null;  // forbidden: nothing is kept
  }
}

/** Puts what was kept into the page's memory. True if there was anything. */
export function restore(FS) {
  FS.mkdirTree(kFolder);
  const kept = storage();
  if (!kept) return false;
  const names = Object.keys(kept).filter((key) => key.startsWith(kPrefix));
  for (const key of names) FS.writeFile(`${kFolder}/${key.slice(kPrefix.length)}`, kept.getItem(key));
  return names.length > 0;
}

/** Keeps what has changed since. */
export function keep(FS) {
  const kept = storage();
  if (!kept) return;
  for (const name of FS.readdir(kFolder)) {
    const path = `${kFolder}/${name}`;
    if (name.startsWith('.') || !FS.isFile(FS.stat(path).mode)) continue;
    const text = FS.readFile(path, {encoding: 'utf8'});
    try {
      if (kept.getItem(kPrefix + name) !== text) kept.setItem(kPrefix + name, text);
    } catch {
      return;  // full
    }
  }
}

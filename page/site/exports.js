// What the program writes into its working folder is a file that somebody exported: it is handed to
// the browser as a download.
const kFolder = '/exports';

const kTypes = {svg: 'image/svg+xml', pdf: 'application/pdf', png: 'image/png', json: 'application/json'};

export function begin(FS) {
  FS.mkdirTree(kFolder);
  FS.chdir(kFolder);
}

/** Names of the files that were handed over now. */
export function handOver(FS) {
  const names = FS.readdir(kFolder).filter((name) => !name.startsWith('.'));
  for (const name of names) {
    const path = `${kFolder}/${name}`;
    const type = kTypes[name.split('.').pop()] ?? 'application/octet-stream';
    const url = URL.createObjectURL(new Blob([FS.readFile(path)], {type}));
    FS.unlink(path);
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  }
  return names;
}

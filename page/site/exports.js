// What the program writes into its working folder is a file that somebody exported: it is handed to
// the browser as a download.
const kFolder = '/exports';

const kTypes = {svg: 'image/svg+xml', pdf: 'application/pdf', png: 'image/png', json: 'application/json'};

export function begin(FS) {
  FS.mkdirTree(kFolder);
  FS.chdir(kFolder);
}

/** The pixels of an SVG that needs no fonts, as a PNG. */
async function pixelsOf(svg) {
  const url = URL.createObjectURL(new Blob([svg], {type: kTypes.svg}));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return await new Promise((done) => canvas.toBlob(done, kTypes.png));
  } finally {
    URL.revokeObjectURL(url);
  }
}

function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** Hands over what has been written since. The program writes a PNG as an SVG. */
export async function handOver(FS) {
  for (const name of FS.readdir(kFolder).filter((entry) => !entry.startsWith('.'))) {
    const path = `${kFolder}/${name}`;
    const ending = name.split('.').pop();
    const bytes = FS.readFile(path);
    FS.unlink(path);
    const blob = ending === 'png' ? await pixelsOf(bytes)
      : new Blob([bytes], {type: kTypes[ending] ?? 'application/octet-stream'});
    download(name, blob);
  }
}

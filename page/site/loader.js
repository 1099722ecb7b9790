// What the page is made of, loaded in a Web Worker of its own.
export class Loader {
  constructor() {
    this.asked = new Map();
    this.worker = new Worker('loader_worker.js', {type: 'module'});
    this.worker.onmessage = ({data: {path, value, error}}) => {
      const {done, failed} = this.asked.get(path);
      this.asked.delete(path);
      if (error) failed(new Error(error)); else done(value);
    };
    this.worker.onerror = (event) => {
      const error = new Error(event.message || 'loader_worker.js cannot be loaded.');
      this.asked.forEach(({failed}) => failed(error));
    };
  }

  #ask(path, compiled) {
    return new Promise((done, failed) => {
      this.asked.set(path, {done, failed});
      this.worker.postMessage({path, compiled});
    });
  }

  /** Promises of the bytes of `path`.zst, unpacked; and of the module in them. */
  bytesOf(path) { return this.#ask(path, false); }
  moduleOf(path) { return this.#ask(path, true); }
}

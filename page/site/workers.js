// The engine's Web Workers, one a role, started when first asked. Whoever cancels a call ends its
// worker; the compiled module is kept, so a fresh one is there in milliseconds.
export class Workers {
  /** `engine`: a promise of the compiled module. `told(role, id, kind, type, bytes)`: what they say. */
  constructor(engine, told) {
    this.engine = engine;
    this.told = told;
    this.running = new Map();
  }

  send(role, id, method, params) {
    this.#of(role).postMessage({id, method, params});
  }

  end(role) {
    const worker = this.running.get(role);
    if (!worker) return;
    this.running.delete(role);
    worker.onmessage = worker.onerror = null;
    worker.terminate();
  }

  #of(role) {
    const known = this.running.get(role);
    if (known) return known;
    const worker = new Worker('engine_worker.js');
    this.running.set(role, worker);
    worker.onmessage = ({data}) => {
      if (this.running.get(role) === worker) {
        this.told(role, data.id ?? 0, data.kind, data.type ?? '', data.bytes);
      }
    };
    const lost = (words) => {
      if (this.running.get(role) !== worker) return;
      this.told(role, 0, 'lost', '', new TextEncoder().encode(words));
    };
    worker.onerror = (event) => lost(event.message || 'it could not be loaded');
    this.engine.then((module) => worker.postMessage({begin: role, module}),
                     (error) => lost(error.message));
    return worker;
  }
}

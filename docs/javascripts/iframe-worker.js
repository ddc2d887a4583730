// Search from disk. Browsers refuse workers to a page that was opened as a file, so there the worker's script runs in a
// hidden frame, which has the worker's few names. A page from a server keeps the browser's own workers.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.append(frame);
      const inner = frame.contentWindow;
      const load = (address) =>
        new Promise((resolve, reject) => {
          const script = inner.document.createElement("script");
          script.src = address;
          script.onload = resolve;
          script.onerror = () => reject(new Error(`cannot load ${address}`));
          inner.document.body.append(script);
        });
      inner.importScripts = (...addresses) =>
        addresses.reduce((before, address) => before.then(() => load(address)), Promise.resolve());
      inner.postMessage = (data) => this.report(new MessageEvent("message", { data }));
      load(url).then(
        () => {
          this.inner = inner;
          this.waiting.splice(0).forEach((data) => this.postMessage(data));
        },
        (error) => this.report(new ErrorEvent("error", { error, message: error.message })),
      );
    }

    // Messages arrive later, and as copies, as they do between threads.
    postMessage(data) {
      const { inner } = this;
      if (!inner) this.waiting.push(data);
      else setTimeout(() => inner.dispatchEvent(new inner.MessageEvent("message", { data: inner.structuredClone(data) })));
    }

    report(event) {
      setTimeout(() => {
        this[`on${event.type}`]?.(event);
        this.dispatchEvent(event);
      });
    }

    terminate() {
      this.waiting = [];
      this.onmessage = this.onerror = null;
    }
  };
}

// In the frame of apart.js: starts the worker whose source comes with a port, and passes on what the two say.
"use strict";
addEventListener(
  "message",
  ({ data: source, ports: [port] }) => {
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    worker.onmessage = ({ data }) => port.postMessage({ said: data }, data.bytes ? [data.bytes] : []);
    worker.onerror = (event) => {
      event.preventDefault();
      port.postMessage({ failed: { message: event.message, lineno: event.lineno } });
    };
    port.onmessage = ({ data }) => worker.postMessage(data);
  },
  { once: true },
);

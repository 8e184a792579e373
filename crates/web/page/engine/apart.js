// A worker in a frame without an origin. A browser gives such a frame a process of its own: code that fills the memory ends that
// process, and the page lives. A worker of the page itself would take the page with it.

/**
 * Starts workers that way. The frame has the policy of the page, which must allow its script by its hash.
 * @param {string} script The text of frame.js.
 * @returns {(source: string) => any} Starts a worker with this source; what it returns is used as a `Worker`.
 */
export const apart = (script) => (source) => {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.title = "Where your control runs";
  frame.setAttribute("sandbox", "allow-scripts");
  frame.srcdoc = `<!doctype html><meta charset="utf-8"><script>${script}</script>`;
  const { port1: here, port2: there } = new MessageChannel();
  const worker = {
    onmessage: (_) => {},
    onerror: (_) => {},
    postMessage: (data) => here.postMessage(data),
    terminate: () => {
      here.close();
      frame.remove();
    },
  };
  here.onmessage = ({ data: { said, failed } }) => (failed ? worker.onerror(failed) : worker.onmessage({ data: said }));
  // The frame has no origin that could be named; it is this one's, and has loaded nothing else.
  frame.onload = () => frame.contentWindow.postMessage(source, "*", [there]);
  document.body.append(frame);
  return worker;
};

// Your own control: three functions in JavaScript, which run in a worker of their own, after a click and with a time limit, beside
// Veno and CUBIC on the path of the scenario.

import { isTcp } from "../scenario/places.js";
import { quantity, short } from "../scenario/quantity.js";
import { bars } from "./bars.js";
import { announce, byId, h } from "./dom.js";
import { Plot } from "./plot.js";
import { colour, dashes } from "./theme.js";

const CODE = `// Called for each ACK of new data. Windows are segments, times seconds.
function onAck(state, { acked }) {
  if (state.cwnd < state.ssthresh) state.cwnd += acked;      // slow start
  else state.cwnd += acked / state.cwnd;                      // one segment a round trip
}

// Called once for each loss that is not a timeout.
function onLoss(state) {
  // How many segments wait in queues: Veno's question, and your answer.
  const waiting = state.cwnd * (1 - state.minRtt / state.srtt);
  state.cwnd *= waiting < 3 ? 0.9 : 0.5;
  state.ssthresh = state.cwnd;
}

// Called when the retransmission timer has expired.
function onTimeout(state) {
  state.ssthresh = Math.max(2, state.cwnd / 2);
  state.cwnd = 1;
}
`;
const NAMES = ["Yours", "Veno", "CUBIC"];

/** The scenario with three TCP flows, the first of which runs the code. @param {import("../scenario/document.js").Document} document */
export function withOwn(document) {
  const flows = Array.isArray(document.value.flow) ? document.value.flow : [];
  const first = flows.find((/** @type {any} */ flow) => isTcp(flow)) ?? {};
  const kept = Object.fromEntries(["from", "to", "direction", "access"].flatMap((key) => (first[key] === undefined ? [] : [[key, first[key]]])));
  let changed = document;
  for (let i = flows.length - 1; i >= 0; i--) if (isTcp(flows[i])) changed = changed.remove(["flow", i]);
  [["own"], ["veno"], ["cubic"]].forEach(([control], i) => {
    changed = changed.append("flow", { name: NAMES[i], control, recovery: "sack", ...kept });
  });
  return changed;
}

/** @param {import("../lab.js").Lab} lab */
export function own(lab) {
  const place = byId("view-own");
  const code = h("textarea", { class: "code", id: "code", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "Your control, in JavaScript", "aria-describedby": "own-mistake" });
  code.value = CODE;
  const button = h("button", { type: "button", class: "button main", id: "run-own", onclick: run }, "Run");
  const mistake = h("div", { id: "own-mistake", role: "alert" });
  const result = h("div", { class: "drawings", id: "own-result" });
  const plot = new Plot({ id: "own", title: "Congestion window", unit: "segments", words: (value) => short(value, 4), height: 220 });
  plot.element.hidden = true;
  place.append(h("p", { class: "hint" }, "Three functions decide how much is sent; which packets to send again is done for you (SACK). ", h("b", {}, "state"), " has ",
    h("code", {}, "cwnd, ssthresh"), " to change and ", h("code", {}, "time, rtt, srtt, minRtt, flight, mss"), " to read; what you add to it stays."),
  code, h("div", { class: "own-row" }, button, h("span", { class: "hint" }, "Ctrl + Enter. The code runs beside Veno and CUBIC on this path, in a worker without network, for 3 s at most; it is never part of an address.")),
  mistake, result, plot.element);
  code.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });

  /** @type {any} */
  let shown = null;
  async function run() {
    button.disabled = true;
    mistake.replaceChildren();
    try {
      shown = await lab.engine.own({ code: code.value, toml: withOwn(lab.document).text, seed: lab.state.seed, cuts: false, losses: false, superseded: "own" });
      show();
      announce(shown.outcome.flows.map((/** @type {any} */ flow) => `${flow.name} ${quantity("rate", flow.goodput_bps)}`).join(", "));
    } catch (wrong) {
      const { superseded, message, line } = /** @type {any} */ (wrong);
      if (!superseded) mistake.replaceChildren(h("div", { class: "mistake" }, message));
      if (Number.isInteger(line)) select(line);
    } finally {
      button.disabled = false;
    }
  }

  /** Marks a line of the code. @param {number} line */
  function select(line) {
    const rows = code.value.split("\n");
    const from = rows.slice(0, line - 1).reduce((/** @type {number} */ sum, /** @type {string} */ row) => sum + row.length + 1, 0);
    code.focus();
    code.setSelectionRange(from, from + (rows[line - 1]?.length ?? 0));
  }

  function show() {
    if (!shown || place.hidden) return;
    plot.element.hidden = false;
    const width = Math.min(620, Math.max(260, result.clientWidth));
    result.replaceChildren(bars(shown.outcome.flows.map((/** @type {any} */ flow, /** @type {number} */ i) => ({ name: flow.name, colour: colour(i), mean: flow.goodput_bps ?? NaN, half: NaN })),
      { title: "Goodput", words: (value) => quantity("rate", value), width }));
    const flows = shown.flows.map((/** @type {any} */ flow, /** @type {number} */ i) => ({ ...flow, i })).filter((/** @type {any} */ flow) => flow.cwnd);
    plot.show(shown.time, flows.map((/** @type {any} */ flow) => ({ label: flow.name, colour: colour(flow.i), dashes: dashes(flow.i), values: flow.cwnd })), null);
    plot.describe(`Windows: ${flows.map((/** @type {any} */ flow) => `${flow.name} ${short(shown.outcome.flows[flow.i].cwnd_mean)} segments on average`).join(", ")}`);
    plot.resize();
  }
  lab.on("view", show);
  lab.on("theme", show);
}

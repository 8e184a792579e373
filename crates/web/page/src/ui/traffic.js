// Cross traffic: one flow of datagrams, which the knobs add, change and remove.

import { amount, quantity } from "../scenario/quantity.js";
import { choice, inUnits, knob, logarithmic } from "./knob.js";

const NAME = "cross traffic";

/** @param {import("../lab.js").Lab} lab */
export function crossTraffic(lab) {
  const flows = () => (Array.isArray(lab.document.value.flow) ? lab.document.value.flow : []);
  const index = () => flows().findIndex((/** @type {any} */ flow) => flow?.name === NAME);
  const source = (/** @type {string} */ kind, /** @type {string} */ rate) => {
    if (kind === "cbr") return { cbr: rate };
    // Bursts at twice the mean rate, half of the time.
    const burst = { rate: quantity("rate", 2 * amount("rate", rate)), on: "100 ms", off: "100 ms" };
    return { [kind]: kind === "pareto" ? { ...burst, shape: 1.5 } : burst };
  };
  const mean = (/** @type {any} */ flow) => {
    const [kind, value] = Object.entries(flow?.source ?? {})[0] ?? [];
    if (kind === "cbr") return amount("rate", value);
    const { rate, on, off } = value ?? {};
    const [burst, busy, idle] = [amount("rate", rate), amount("time", on), amount("time", off)];
    return (burst * busy) / (busy + idle);
  };
  const amountKnob = knob({
    id: "cross-rate", name: "Mean rate of the cross traffic", scale: logarithmic(10e3, 1e9, inUnits("rate")),
    input: (value) => {
      const i = index();
      const kind = Object.keys(flows()[i]?.source ?? {})[0];
      if (kind) lab.edit(lab.document.set(["flow", i, "source"], source(kind, quantity("rate", value))), "knobs");
    },
  });
  const kind = choice({
    id: "cross", name: "Cross traffic", options: [["none", "none"], ["cbr", "constant"], ["exponential", "bursts"], ["pareto", "Pareto bursts"]],
    change: (name) => {
      const i = index();
      if (name === "none") return i >= 0 && lab.edit(lab.document.remove(["flow", i]), "knobs");
      const rate = i >= 0 ? quantity("rate", mean(flows()[i])) : "1 Mb/s";
      if (i >= 0) return lab.edit(lab.document.set(["flow", i, "source"], source(name, rate)), "knobs");
      return lab.edit(lab.document.append("flow", { name: NAME, source: source(name, rate), packet: "1000 B", start: "0 s", ...ends() }), "knobs");
    },
  });
  const way = choice({
    id: "cross-way", name: "It goes", options: [["right", "with the data"], ["left", "against it, with the ACKs"]],
    change: (direction) => lab.edit(lab.document.set(["flow", index(), "direction"], direction), "knobs"),
  });
  /** Where it runs, where flows must say so. */
  function ends() {
    const first = flows()[0];
    return lab.document.value.graph && first ? { from: first.from, to: first.to } : {};
  }
  return {
    elements: [kind.element, amountKnob.element, way.element],
    show() {
      const flow = flows()[index()];
      const name = Object.keys(flow?.source ?? {})[0];
      kind.select.value = name ?? "none";
      amountKnob.element.hidden = !name;
      way.element.hidden = !name || !lab.document.value.dumbbell;
      if (!name) return;
      amountKnob.show(mean(flow), "It is set in the text.");
      way.select.value = flow.direction ?? "right";
    },
  };
}

// The command that makes the same numbers.

import { literal } from "../scenario/document.js";
import { controlsOf, ofControls, tcpFlows, USUAL } from "../variants.js";

/** @param {string} word */
const quoted = (word) => (/^[A-Za-z0-9_.=+/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** @param {import("../lab.js").Lab} lab */
export function command(lab) {
  const { toml, seed, seeds, view, variants } = lab.state;
  const file = `cat > scenario.toml <<'END'\n${toml.endsWith("\n") ? toml : `${toml}\n`}END\n`;
  if (view !== "compare") return `${file}dumbbell run scenario.toml --seed ${seed}\n`;
  const list = variants ?? ofControls(controlsOf(lab.catalogue), USUAL, tcpFlows(lab.document.value));
  const lines = list.map(({ name, set }) => {
    const sets = Object.entries(set).map(([path, value]) => ` --set ${quoted(`${path}=${literal(value)}`)}`).join("");
    return `dumbbell run scenario.toml --seed ${seed} --repeat ${seeds}${sets}  # ${name.replace(/\s+/g, " ")}`;
  });
  return `${file}${lines.join("\n")}\n`;
}

// Builds dist/lab.html: one file with the page, the simulator, its worker, the papers' presets and the tours. The same sources
// make the same bytes. `--check` says whether the file is that of the sources, and needs no simulator.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { gzipSync } from "fflate";
import { fingerprint, PAGE, ROOT } from "./build/fingerprint.mjs";
import { presets } from "./build/presets.mjs";
import { signsOf } from "./src/signs.js";

const OUT = join(PAGE, "dist/lab.html");
const MOST = 2_500_000;
const WASM = process.env.LAB_WASM ?? join(ROOT, "target/wasm/wasm32-unknown-unknown/web/dumbbell_web.wasm");

const read = (/** @type {string} */ path) => readFileSync(join(PAGE, path), "utf8");
const hash = (/** @type {string} */ text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
/** A text that no tag in it ends. @param {unknown} value */
const data = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

if (process.argv.includes("--check")) {
  const marked = existsSync(OUT) && /name="dumbbell-sources" content="([^"]*)"/.exec(readFileSync(OUT, "utf8"))?.[1];
  if (marked !== fingerprint()) {
    console.error(`dist/lab.html is stale: it is of ${marked || "no sources"}, and the sources are ${fingerprint()}; make it again with: npm run build`);
    process.exit(1);
  }
  console.log("dist/lab.html is of these sources");
  process.exit(0);
}

if (!existsSync(WASM)) {
  console.error(`there is no ${WASM}: build it with\n  cargo build -p dumbbell-web --target wasm32-unknown-unknown --profile web --target-dir target/wasm\nor name it in LAB_WASM`);
  process.exit(1);
}
const bundled = await build({
  entryPoints: [join(PAGE, "src/main.js")], bundle: true, minify: true, format: "iife", target: "es2022", write: false, legalComments: "none", charset: "utf8",
  absWorkingDir: PAGE, alias: { "lab-engine": join(PAGE, "engine/engine.js") },
});
const script = bundled.outputFiles[0].text.replaceAll("</script", "<\\/script");
const styles = ["base", "lab", "charts", "more"].map((name) => read(`src/style/${name}.css`)).join("\n");
const minified = await build({ stdin: { contents: `${read("node_modules/uplot/dist/uPlot.min.css")}\n${styles}`, loader: "css" }, minify: true, write: false, charset: "utf8" });
const style = minified.outputFiles[0].text;
const tours = readdirSync(join(PAGE, "tours")).filter((name) => name.endsWith(".toml")).sort().map((name) => ({ file: name, text: read(`tours/${name}`) }));
// Without letters: among millions of them, some would look like a name or a path.
const wasm = signsOf(gzipSync(readFileSync(WASM), { level: 9, mtime: 0 }));
// It stands in the page as it is, because the policy names its hash.
const frame = read("engine/frame.js");
if (/<\/?script|<!--/i.test(frame)) throw new Error("engine/frame.js stands in a script, which it may not end");
const policy = ["default-src 'none'", `script-src ${hash(script)} ${hash(frame)} 'wasm-unsafe-eval'`, `style-src ${hash(style)}`, "worker-src blob:", "img-src data: blob:",
  "base-uri 'none'", "form-action 'none'"].join("; ");
// Data stand in scripts that are none: the browser neither runs nor parses them.
const inert = [["wasm", "application/gzip", wasm], ["frame", "text/plain", frame], ["worker", "text/plain", data(read("engine/worker.js"))], ["presets", "application/json", data(presets())],
  ["tours", "application/json", data(tours)]].map(([id, type, text]) => `<script type="${type}" id="${id}">${text}</script>`).join("\n");
/** @type {Record<string, string>} */
const parts = { policy, fingerprint: fingerprint(), style, script };
const html = read("src/index.html").replace(/<script>\{\{script\}\}<\/script>/, () => `${inert}\n<script>{{script}}</script>`)
  .replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
if (html.length > MOST) {
  console.error(`the page has ${html.length} bytes, more than ${MOST}`);
  process.exit(1);
}
mkdirSync(join(PAGE, "dist"), { recursive: true });
writeFileSync(OUT, html);
console.log(`dist/lab.html: ${Buffer.byteLength(html)} bytes, of which the simulator ${wasm.length}`);

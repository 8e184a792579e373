// The worker for a control of the user's: the usual one, and the user's code in it.

const NAMES = ["onStart", "onAck", "onLoss", "onTimeout"];

/** What a browser says of code that ends inside of brackets. */
const ENDS_EARLY = /end of (input|script)|missing [)}\]] /i;

/**
 * The parts of a pool with this code. Before the code runs, the worker loses everything but the language itself; a
 * page that calls this has a content security policy that allows its workers no network.
 */
export function assemble(workerSource, code) {
  const before = `${workerSource}\ndumbbellOwn(() => {\n`;
  const offset = before.split("\n").length - 1;
  const lines = code.split("\n").length;
  const functions = NAMES.map((name) => `${name}: typeof ${name} === "function" ? ${name} : undefined`);
  const describe = ({ message, line }) => {
    const own = line === null || line === undefined ? null : line - offset;
    const inside = own !== null && own >= 1 && own <= lines ? own : null;
    const text = String(message ?? "it cannot be read").replace(/^Uncaught /, "");
    if (own > lines || ENDS_EARLY.test(text)) {
      return { message: `your code ends too early: a bracket is not closed (${text})`, line: lines };
    }
    return { message: inside ? `line ${inside} of your code: ${text}` : `your code: ${text}`, line: inside };
  };
  return {
    source: `${before}${code}\nreturn { ${functions.join(", ")} };\n});\n`,
    describe,
    late: (seconds) => `the run with your code took longer than ${seconds} s and was stopped: is there a loop without an end, or one that keeps ever more?`,
  };
}

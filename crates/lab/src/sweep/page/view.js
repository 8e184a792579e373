// What the reader has chosen, as words; and as what is drawn. The words are in the address of the
// page, so that a link shows the same.

// The choices besides those of data, the first of each being the one at the start.
const CHOICES = {
  xscale: ["auto", "linear", "log", "even"],
  yscale: ["zero", "fit", "log"],
  form: ["dots", "bars"],
  intervals: ["auto", "bars", "bands", "none"],
  panels: ["common", "free"],
};
const NONE = "none";
const ALL = "all";
// More curves than this in one panel are hard to tell apart.
const MANY_CURVES = 12;
const MOST_CURVES = 200;
const MOST_PANELS = 36;

const parts = ["curves", "columns", "rows"];

// A complete choice from a part of one: what is missing or not possible is chosen here.
function complete(part) {
  const measure = MEASURES.find(({ id }) => id === part.y) ?? MEASURES.find(({ id }) => id === firstMeasure());
  if (!measure) return { ...part, only: {}, hide: [] };
  const { table } = measure;
  const all = dimensions(table);
  const possible = scales(table);
  const taken = new Set();
  const whole = { ...part, y: measure.id, only: {} };
  const x = possible.find(({ id }) => id === part.x) ?? firstScale(possible);
  whole.x = x?.id ?? "";
  if (x) taken.add(x.dimension);
  const isNew = parts.every((name) => part[name] === undefined);
  const free = () => all.filter((it) => !taken.has(it) && !isShown(it, taken, table));
  for (const name of parts) {
    let found = all.find((it) => it.id === part[name] && !taken.has(it));
    if (!found && isNew) found = suggested(name, free(), taken);
    whole[name] = found?.id ?? NONE;
    if (found) taken.add(found);
  }
  // The values of a row that has the measure go together, even if not all combinations were run.
  const number = table.numbers(measure.name);
  let row = 0;
  while (row < table.count && Number.isNaN(number(row))) row += 1;
  // Point and group say which control it is: a control that is not shown needs no choice.
  for (const dimension of all.filter((it) => !taken.has(it) && !isWord(it))) {
    const wanted = part.only?.[dimension.id];
    const known = wanted === ALL || dimension.used.some((at) => dimension.values[at] === wanted);
    const first = isShown(dimension, taken, table) || [...taken].some(isWord);
    whole.only[dimension.id] = known ? wanted : first ? ALL : dimension.values[dimension.rows(table)[row]] ?? ALL;
  }
  for (const [name, words] of Object.entries(CHOICES)) {
    if (!words.includes(part[name])) [whole[name]] = words;
  }
  whole.runs = part.runs ?? false;
  whole.hide = part.hide ?? [];
  return whole;
}

const isWord = ({ id }) => id === "control" || id === "recovery";
const isControl = ({ id }) => /(^|[. ])control( \+|$)/.test(id);

// Whether a group or control is fixed by the dimensions that are shown: a group by its control.
function isShown(dimension, taken, table) {
  if (!WORDS.includes(dimension)) return false;
  return [...taken].some((other) => WORDS.includes(other) && alike(dimension, other, table));
}

// A measure that the file names is what its reader wants to see; otherwise goodput, or the first.
function firstMeasure() {
  const named = MEASURES.find(({ table, name }) => table.id === "runs" && name !== "jain_all");
  const goodput = MEASURES.find(({ id }) => id === "groups.goodput");
  return (named ?? goodput ?? MEASURES[0])?.id;
}

// The longest path of numbers, or else the longest axis that is no control.
function firstScale(possible) {
  const numeric = possible.filter(({ numbers }) => numbers);
  const length = (scale) => scale.dimension.used.length;
  const longest = (all) => all.reduce((best, it) => (best && length(best) >= length(it) ? best : it), undefined);
  const axes = possible.filter(({ dimension }) => AXES.includes(dimension));
  return longest(numeric) ?? longest(axes.filter((it) => !isControl(it))) ?? axes[0] ?? possible[0];
}

// Curves are controls, or groups, or the next axis; columns and rows are what is left, if that
// makes a figure that can be seen at once.
function suggested(part, free, taken) {
  const others = free.filter((it) => !isWord(it));
  if (part === "curves") {
    const order = [others.find(isControl), others.find((it) => it.id === "group"), ...others];
    const few = order.find((it) => it && it.used.length <= MANY_CURVES);
    return few ?? others.find((it) => it.used.length <= MOST_CURVES);
  }
  const panels = part === "rows" ? MOST_PANELS / Math.max(1, lastOf(taken)) : MOST_PANELS;
  const order = [others.find((it) => it.id === "group"), ...others];
  return order.find((it) => it && it.used.length <= Math.min(panels, part === "rows" ? 6 : 12));
}

const lastOf = (taken) => [...taken].at(-1)?.used.length ?? 1;

// The choice with its names replaced by what they name.
function viewOf(words) {
  const measure = MEASURES.find(({ id }) => id === words.y);
  if (!measure) return null;
  const { table } = measure;
  const all = dimensions(table);
  const named = (id) => all.find((it) => it.id === id);
  const only = new Map();
  for (const [id, value] of Object.entries(words.only)) {
    const dimension = named(id);
    only.set(dimension, value === ALL ? null : dimension.values.indexOf(value));
  }
  const x = scales(table).find(({ id }) => id === words.x) ?? { label: "", unit: null, numbers: null, dimension: null };
  const [curves, columns, rows] = parts.map((name) => named(words[name]));
  const isEven = !x.numbers || words.xscale === "even";
  const used = x.numbers ? x.dimension.used.map((at) => x.numbers[at]) : [];
  const isLog = words.xscale === "log" || (words.xscale === "auto" && isGeometric(used));
  return {
    ...words, measure, x, curves, columns, rows, only,
    xkind: isEven ? "even" : isLog && used.every((value) => value > 0) ? "log" : "linear",
    hidden: new Set(words.hide),
    // Numbers are joined by lines; categories are dots or bars.
    isJoined: Boolean(x.numbers),
    isBars: !x.numbers && words.form === "bars",
  };
}

// The address that shows a choice.
function written(words) {
  const address = new URLSearchParams();
  for (const name of ["y", "x", ...parts, ...Object.keys(CHOICES)]) address.set(name, words[name]);
  for (const [id, value] of Object.entries(words.only)) address.set(`only.${id}`, value);
  if (words.runs) address.set("runs", "yes");
  for (const name of words.hide) address.append("hide", name);
  return `#${address}`;
}

function read() {
  const address = new URLSearchParams(location.hash.slice(1));
  const part = { only: {}, hide: address.getAll("hide"), runs: address.get("runs") === "yes" };
  for (const [name, value] of address) {
    if (name.startsWith("only.")) part.only[name.slice(5)] = value;
    else if (!["hide", "runs"].includes(name)) part[name] = value;
  }
  return part;
}

// Changes the choice, and draws it.
function choose(change) {
  const { curves } = choice;
  choice = complete({ ...choice, ...change });
  // Other curves have other names.
  if (choice.curves !== curves) choice.hide = [];
  try {
    history.replaceState(null, "", written(choice));
  } catch {
    location.hash = written(choice);
  }
  show();
}

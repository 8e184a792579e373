// The data of the page: tables of columns, each unpacked when it is first needed.
const DATA = JSON.parse(document.getElementById("data").textContent);
const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array, f64: Float64Array };
// What stands for a missing whole number.
const MISSING = { u8: 0xff, u16: 0xffff, u32: 0xffffffff, u64: 0xffffffffffffffffn };

function unpack({ bits, data }) {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return new ARRAYS[bits](bytes.buffer);
}

class Rows {
  constructor(id, packed) {
    this.id = id;
    this.count = packed.rows;
    this.point = unpack(packed.point);
    this.columns = new Map(packed.columns.map((column) => [column.name, column]));
    this.unpacked = new Map();
  }

  // The column whose values these are: itself, or an equal one before it.
  source(name) {
    const column = this.columns.get(name);
    return column.same === undefined ? column : this.columns.get(column.same);
  }

  raw(name) {
    const source = this.source(name);
    if (!this.unpacked.has(source.name)) this.unpacked.set(source.name, unpack(source));
    return this.unpacked.get(source.name);
  }

  // The value of a row, or null.
  at(name, row) {
    const { kind, words } = this.columns.get(name);
    const value = this.raw(name)[row];
    if (kind === "number") return Number.isNaN(value) ? null : value;
    if (value === MISSING[this.source(name).bits]) return null;
    if (kind === "text") return words[value];
    return kind === "flag" ? value === 1 : value;
  }

  // A function from rows to numbers, NaN where there is none.
  numbers(name) {
    const raw = this.raw(name);
    const { bits } = this.source(name);
    if (bits === "f64") return (row) => raw[row];
    return (row) => (raw[row] === MISSING[bits] ? NaN : Number(raw[row]));
  }
}

const TABLES = { groups: new Rows("groups", DATA.groups), runs: new Rows("runs", DATA.runs) };

// What can be drawn: every measure of both tables.
const MEASURES = Object.values(TABLES).flatMap((table) =>
  [...table.columns.values()]
    .filter((column) => column.measure)
    .map((column) => ({ id: `${table.id}.${column.name}`, table, ...column })),
);

// The values of a path for people: as they are written, but those of a range of many digits
// rounded, in the multiple of the unit that is easily read.
function readable({ texts, numbers, unit }) {
  if (!numbers) return texts;
  const rounded = texts.map((text, i) => {
    if (text.replaceAll(/[^0-9]/g, "").replace(/^0+/, "").length <= 5) return text;
    const own = multiple(unit, Math.abs(numbers[i]));
    return `${short(numbers[i] / own.factor)} ${own.unit}`.trim();
  });
  return new Set(rounded).size === texts.length ? rounded : texts;
}

// What tells rows apart: the axes of the sweep, of which each is one path or several in step, and
// in the table of groups the group and the control. `rows(table)` gives the index of each row's
// value; `scales` are the paths of numbers that can be the x axis.
const AXES = (() => {
  const axes = [];
  for (const path of DATA.paths) {
    const at = unpack(path.at);
    if (new Set(at).size < 2) continue;
    const same = axes.find((axis) => axis.at.every((value, i) => value === at[i]));
    if (same) same.paths.push(path);
    else axes.push({ at, paths: [path] });
  }
  return axes.map(({ at, paths }) => {
    const words = paths.map(readable);
    const label = paths.map((path) => path.name).join(" + ");
    // Where paths go in step, a number may be there twice, and is then no place on an axis.
    const isDistinct = ({ numbers, texts }) => numbers && new Set(numbers).size === texts.length;
    const numeric = paths.filter((path) => (paths.length === 1 ? path.numbers : isDistinct(path)));
    return {
      id: label,
      label,
      unit: paths.length === 1 ? paths[0].unit : null,
      values: paths[0].texts.map((_, i) => words.map((texts) => texts[i]).join(", ")),
      used: [...new Set(at)].sort((a, b) => a - b),
      numbers: paths.length === 1 ? paths[0].numbers : null,
      scales: numeric.map(({ name, unit, numbers }) => ({ id: name, label: name, unit, numbers })),
      rows: remember((table) => Int32Array.from(table.point, (point) => at[point] ?? -1)),
    };
  });
})();

const WORDS = ["group", "control", "recovery"].flatMap((name) => {
  const column = TABLES.groups.columns.get(name);
  if (!column || column.words.length < 2) return [];
  return {
    id: name,
    label: name,
    unit: null,
    values: column.words,
    used: column.words.map((_, i) => i),
    numbers: null,
    scales: [],
    rows: remember((table) => {
      const missing = MISSING[table.source(name).bits];
      return Int32Array.from(table.raw(name), (value) => (value === missing ? -1 : value));
    }),
  };
});

function remember(make) {
  const known = new Map();
  return (table) => {
    if (!known.has(table)) known.set(table, make(table));
    return known.get(table);
  };
}

// Whether two dimensions divide the rows of a table in the same way.
function alike(one, other, table) {
  const [a, b] = [one.rows(table), other.rows(table)];
  const [there, back] = [new Map(), new Map()];
  for (let row = 0; row < a.length; row += 1) {
    if ((there.get(a[row]) ?? b[row]) !== b[row] || (back.get(b[row]) ?? a[row]) !== a[row]) return false;
    there.set(a[row], b[row]);
    back.set(b[row], a[row]);
  }
  return true;
}

// The dimensions of a table. A control or recovery that an axis or the groups show already is none.
const dimensions = remember((table) => {
  if (table.id !== "groups") return AXES;
  const all = [...AXES];
  for (const word of WORDS) {
    if (!all.some((other) => alike(word, other, table))) all.push(word);
  }
  return all;
});

// What can be the x axis: paths of numbers, and everything else as categories.
function scales(table) {
  return dimensions(table).flatMap((dimension) => {
    const numeric = dimension.scales.map((scale) => ({ ...scale, dimension }));
    const { id, label, unit } = dimension;
    return dimension.numbers ? numeric : [{ id, label, unit, numbers: null, dimension }, ...numeric];
  });
}

// The choosers, the legend and the table of numbers.

const made = (name, properties = {}, ...inside) => {
  const { data, ...own } = properties;
  const node = Object.assign(document.createElement(name), own);
  Object.assign(node.dataset, data);
  node.append(...inside);
  return node;
};

// A labelled list of choices: `options` are pairs of value and text, in groups if they have a name.
function chooser(id, label, options, value, change) {
  const option = ([value, text]) => made("option", { value, textContent: text });
  const entries = options.map((entry) =>
    entry.group ? made("optgroup", { label: entry.group }, ...entry.options.map(option)) : option(entry),
  );
  const select = made("select", { id: `choose-${id}` }, ...entries);
  select.value = value;
  select.addEventListener("change", () => change(select.value));
  return made("label", {}, made("span", { textContent: label }), select);
}

function tick(id, label, checked, change) {
  const box = made("input", { type: "checkbox", id: `choose-${id}`, checked });
  box.addEventListener("change", () => change(box.checked));
  return made("label", { className: "tick" }, box, made("span", { textContent: label }));
}

// The dimension that a part of the choice shows.
function dimensionOf(part, id) {
  const { table } = MEASURES.find((measure) => measure.id === choice.y);
  if (part === "x") return scales(table).find((scale) => scale.id === id)?.dimension;
  return dimensions(table).find((dimension) => dimension.id === id);
}

// Chooses what a part shows. The part that showed it gets what this one showed before.
function exchange(part, id) {
  const { table } = MEASURES.find((measure) => measure.id === choice.y);
  const change = { [part]: id };
  const [wanted, before] = [dimensionOf(part, id), dimensionOf(part, choice[part])];
  for (const other of ["x", ...parts]) {
    if (other === part || !wanted || dimensionOf(other, choice[other]) !== wanted) continue;
    const ofBefore = scales(table).find((scale) => scale.dimension === before);
    const another = scales(table).find((scale) => scale.dimension !== wanted);
    change[other] = other === "x" ? (ofBefore ?? another)?.id : (before?.id ?? NONE);
  }
  choose(change);
}

function measureChosen(id) {
  const table = (name) => MEASURES.find((measure) => measure.id === name).table;
  // The other table has other rows: its own first choice shows them best.
  const anew = table(id) === table(choice.y) ? {} : { curves: undefined, columns: undefined, rows: undefined };
  choose({ y: id, ...anew });
}

function showChoosers(view) {
  const focused = document.activeElement?.id;
  const { table } = view.measure;
  const measures = [["Of groups of flows", "groups"], ["Of whole runs", "runs"]].map(([group, id]) => ({
    group,
    options: MEASURES.filter((measure) => measure.table.id === id).map((it) => [it.id, labelled(it.name, it.unit)]),
  }));
  const possible = dimensions(table).map(({ id, label, used }) => [id, `${label} (${used.length})`]);
  const withNone = [[NONE, "none"], ...possible];
  const data = [
    chooser("y", "Measure (y)", measures.filter(({ options }) => options.length > 0), choice.y, measureChosen),
  ];
  if (possible.length > 0) {
    data.push(chooser("x", "x", scales(table).map(({ id, label }) => [id, label]), choice.x, (id) => exchange("x", id)));
  }
  if (possible.length > 1) {
    const labels = { curves: "Curves", columns: "Panels: columns", rows: "Panels: rows" };
    for (const part of possible.length > 2 ? parts : ["curves", "columns"]) {
      data.push(chooser(part, labels[part], withNone, choice[part], (id) => exchange(part, id)));
    }
  }
  for (const [dimension, at] of view.only) {
    // What is shown leaves nothing to choose.
    if (at === null && isFixed(dimension, view)) continue;
    const options = [[ALL, "mean over all"], ...dimension.used.map((at) => [dimension.values[at], dimension.values[at]])];
    const change = (value) => choose({ only: { ...choice.only, [dimension.id]: value } });
    data.push(chooser(`only-${dimension.id}`, `Only ${dimension.label}`, options, choice.only[dimension.id], change));
  }
  const drawing = drawingChoosers(view);
  document.getElementById("choose-data").replaceChildren(...data);
  document.getElementById("choose-drawing").replaceChildren(...drawing);
  if (focused?.startsWith("choose-")) document.getElementById(focused)?.focus();
}

function drawingChoosers(view) {
  const set = (name) => (value) => choose({ [name]: value });
  const found = [];
  if (view.x.numbers) {
    const auto = view.xkind === "even" ? "even" : view.xkind;
    const steps = [["auto", choice.xscale === "auto" ? `as it is spaced (${auto})` : "as it is spaced"], ["linear", "linear"], ["log", "logarithmic"], ["even", "evenly spaced"]];
    found.push(chooser("xscale", "Scale of x", steps, choice.xscale, set("xscale")));
  } else {
    found.push(chooser("form", "Drawn as", [["dots", "points"], ["bars", "bars"]], choice.form, set("form")));
  }
  found.push(chooser("yscale", "Scale of y", [["zero", "from zero"], ["fit", "fits the values"], ["log", "logarithmic"]], choice.yscale, set("yscale")));
  if (view.x.numbers) {
    const intervals = [["auto", "as they fit"], ["bars", "bars"], ["bands", "bands"], [NONE, "none"]];
    found.push(chooser("intervals", "95 % intervals", intervals, choice.intervals, set("intervals")));
  } else {
    const shown = choice.intervals === NONE ? NONE : "auto";
    found.push(chooser("intervals", "95 % intervals", [["auto", "shown"], [NONE, "none"]], shown, set("intervals")));
  }
  if (view.columns || view.rows) {
    found.push(chooser("panels", "Scales of panels", [["common", "common"], ["free", "each its own"]], choice.panels, set("panels")));
  }
  found.push(tick("runs", "Single runs", choice.runs, set("runs")));
  return found;
}

// The legend: a button for each curve, which hides it; twice shows it alone.
function showLegend(view, panels) {
  const legend = document.getElementById("legend");
  const focused = document.activeElement?.dataset.curve;
  const present = view.curves ? presentCurves(panels) : [];
  const names = present.map((at) => view.curves.values[at]);
  const buttons = present.map((at, i) => {
    const button = made("button", { type: "button", data: { curve: names[i] } }, swatch(at), made("span", { textContent: names[i] }));
    button.setAttribute("aria-pressed", String(!view.hidden.has(names[i])));
    button.addEventListener("click", (event) => {
      const others = names.filter((name) => name !== names[i]);
      const isAlone = others.every((name) => view.hidden.has(name));
      if (event.detail === 2) return choose({ hide: isAlone ? [] : others });
      const hide = view.hidden.has(names[i]) ? choice.hide.filter((name) => name !== names[i]) : [...choice.hide, names[i]];
      choose({ hide });
    });
    return button;
  });
  if (names.some((name) => view.hidden.has(name))) {
    const all = made("button", { type: "button", className: "plain", textContent: "Show all" });
    all.addEventListener("click", () => choose({ hide: [] }));
    buttons.push(all);
  }
  legend.replaceChildren(...(view.curves ? [made("span", { className: "of", textContent: view.curves.label }), ...buttons] : []));
  if (focused !== undefined) buttons.find((button) => button.dataset.curve === focused)?.focus();
  const offer = document.getElementById("offer");
  const isFull = present.length > MANY_CURVES && (choice.columns === NONE || choice.rows === NONE);
  offer.hidden = !isFull;
  offer.replaceChildren();
  if (isFull) {
    const button = made("button", { type: "button", textContent: "Show them as small multiples" });
    const free = choice.columns === NONE ? "columns" : "rows";
    button.addEventListener("click", () => choose({ [free]: choice.curves, curves: NONE, hide: [] }));
    offer.append(`${present.length} curves are hard to tell apart. `, button);
  }
}

const MOST_ROWS = 200;
let allRows = false;

// The numbers shown: a row for each x value of each panel, a column for each curve.
function showNumbers(view, panels) {
  const { factor, unit, xUnits, shown } = drawn;
  const counts = new Set(panels.flatMap(({ curves }) => curves.flatMap(({ points }) => points.map(({ n }) => n))));
  const name = labelled(view.measure.name, unit);
  const cell = (text, row = false) => made(row ? "th" : "td", row ? { scope: "row", textContent: text } : { textContent: text });
  const curves = view.curves ? shown : [0];
  const heads = curves.map((at) => made("th", { scope: "col", textContent: view.curves ? view.curves.values[at] : name }));
  const xName = labelled(view.x.label, view.x.numbers ? xUnits.unit : "") || "all runs";
  const table = made("table", {}, made("caption", { textContent: counts.size > 1 ? `${name}, with the number of runs` : name }));
  table.append(made("thead", {}, made("tr", {}, made("th", { scope: "col", textContent: xName }), ...heads)));
  let rows = 0;
  const xTexts = textsOfX(view, xUnits.factor);
  for (const panel of panels) {
    const body = made("tbody");
    if (view.columns || view.rows) {
      const title = [[view.rows, panel.row], [view.columns, panel.column]]
        .filter(([dimension]) => dimension)
        .map(([dimension, at]) => `${dimension.label} = ${dimension.values[at]}`);
      body.append(made("tr", { className: "panel" }, made("th", { scope: "rowgroup", colSpan: curves.length + 1, textContent: title.join(", ") })));
    }
    const at = new Map(panel.curves.map((curve) => [curve.at, new Map(curve.points.map((it) => [it.at, it]))]));
    for (const place of usedX(view, [panel])) {
      rows += 1;
      if (rows > MOST_ROWS && !allRows) continue;
      const cells = curves.map((curve) => {
        const point = at.get(curve)?.get(place);
        const made = cell(point ? plusMinus(point, factor) : "");
        if (point && counts.size > 1) made.append(Object.assign(document.createElement("small"), { textContent: ` n = ${point.n}` }));
        return made;
      });
      body.append(made("tr", {}, cell(xTexts(place), true), ...cells));
    }
    if (body.querySelector("td")) table.append(body);
  }
  const more = made("button", { type: "button", textContent: `Show all ${rows} rows` });
  more.addEventListener("click", () => {
    allRows = true;
    showNumbers(view, panels);
  });
  document.getElementById("numbers").replaceChildren(table);
  document.getElementById("more").replaceChildren(...(rows > MOST_ROWS && !allRows ? [more] : []));
}

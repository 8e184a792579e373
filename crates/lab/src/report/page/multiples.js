// Many curves: a small drawing of each, with the others behind it, all with the same axes. Pressed ones
// stand out in the large drawing.
const MOST_TOGETHER = 8;

function multiples(data, press) {
  const [wide, high] = [120, 48];
  const all = data.series.flatMap(({ x, y }) => x.map((x, i) => [x, y[i]]).filter(([, y]) => y !== null));
  const along = (x) => (data.log_x ? Math.log(x) : x);
  const xs = all.map(([x]) => along(x));
  const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);
  const [left, right] = [least(xs), most(xs)];
  const ys = all.map(([, y]) => y);
  const [bottom, top] = [Math.min(0, least(ys)), Math.max(0, most(ys))];
  const place = (x, y) => [
    Math.round(((along(x) - left) / (right - left || 1)) * wide),
    Math.round((1 - (y - bottom) / (top - bottom || 1)) * high),
  ];

  // The line through the points; of those in one column the lowest and the highest are enough.
  function path({ x, y }) {
    const columns = new Map();
    x.forEach((x, i) => {
      if (y[i] === null) return;
      const [column, row] = place(x, y[i]);
      const rows = columns.get(column);
      if (!rows) columns.set(column, [row]);
      else columns.set(column, [...new Set([rows[0], least([...rows, row]), most([...rows, row]), row])]);
    });
    return "M" + [...columns].flatMap(([column, rows]) => rows.map((row) => `${column} ${row}`)).join("L");
  }

  const paths = data.series.map(path);
  const behind = paths.join("");
  const drawing = (i) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", `-3 -3 ${wide + 6} ${high + 6}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    for (const [name, d] of [["behind", behind], ["own", paths[i]]]) {
      const path = document.createElementNS(svg.namespaceURI, "path");
      path.setAttribute("class", name);
      path.setAttribute("d", d);
      svg.append(path);
    }
    svg.lastChild.style.stroke = `var(${distinct(i).variable})`;
    return svg;
  };

  const frame = document.createElement("div");
  frame.className = "legend multiples";
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Curves: press one to see it before the others");
  const buttons = data.series.map(({ name }, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    const label = document.createElement("span");
    label.append(swatch(i), name);
    button.append(drawing(i), label);
    button.addEventListener("click", () => show(press(i)));
    return button;
  });
  const clear = document.createElement("button");
  clear.type = "button";
  clear.className = "all";
  clear.textContent = "All curves";
  clear.addEventListener("click", () => show(press(null)));
  function show(front) {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", front.has(i)));
    clear.hidden = front.size === 0;
  }
  clear.hidden = true;
  frame.append(...buttons, clear);
  return frame;
}

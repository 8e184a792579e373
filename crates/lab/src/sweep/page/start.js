// Draws what is chosen, now and whenever the choice or the window changes.

let choice = complete(read());

function show() {
  const view = viewOf(choice);
  document.body.classList.toggle("empty", !view);
  if (!view) return;
  const panels = panelsOf(view);
  const { measure, x } = view;
  document.getElementById("title").textContent = x.dimension ? `${measure.name} by ${x.label}` : measure.name;
  const unit = measure.unit && !PLAIN.includes(measure.unit) ? ` Unit: ${measure.unit}.` : "";
  document.getElementById("about").textContent = `${measure.about.replace(/^./u, (first) => first.toUpperCase())}.${unit}`;
  showChoosers(view);
  const frame = document.getElementById("figure");
  point(null);
  if (panels.length > 0) {
    const width = Math.max(240, frame.clientWidth);
    drawn = { view, ...drawFigure(view, panels, width) };
    frame.replaceChildren(drawn.svg);
  } else {
    drawn = null;
    frame.replaceChildren();
  }
  frame.setAttribute("aria-label", `Figure: ${document.getElementById("title").textContent}. The arrow keys go through its points.`);
  document.getElementById("sentences").textContent = sentences(view, panels).join(" ");
  showLegend(view, panels);
  document.querySelector(".numbers").hidden = !drawn;
  if (drawn) showNumbers(view, panels);
  document.getElementById("saved").textContent = "";
  frame.dataset.drawn = String(Number(frame.dataset.drawn ?? 0) + 1);
}

{
  const buttons = {
    "save-svg": () => save(`${fileName(DATA.name, viewOf(choice).measure.name)}.svg`, "image/svg+xml", svgFile()),
    "save-shown": () => save(`${fileName(DATA.name, viewOf(choice).measure.name)}.csv`, "text/csv", shownFile()),
    "save-groups": () => save(`${fileName(DATA.name, "groups")}.csv`, "text/csv", tableFile(TABLES.groups)),
    "save-runs": () => save(`${fileName(DATA.name, "runs")}.csv`, "text/csv", tableFile(TABLES.runs)),
  };
  for (const [id, act] of Object.entries(buttons)) document.getElementById(id).addEventListener("click", act);
  addEventListener("hashchange", () => {
    choice = complete(read());
    show();
  });
  // On a telephone the figure comes first.
  if (matchMedia("(max-width: 40rem)").matches) document.getElementById("drawing").open = false;
  show();
  const frame = document.getElementById("figure");
  let width = frame.clientWidth;
  new ResizeObserver(([{ contentRect }]) => {
    if (Math.abs(contentRect.width - width) < 1) return;
    width = contentRect.width;
    // Drawing within the observer would change sizes while they are reported.
    requestAnimationFrame(show);
  }).observe(frame);
}

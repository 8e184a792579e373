// Scenario files: a menu for each figure, and a window that shows one file. `#point.FIGURE.N` opens
// the window for the point of that number.
{
  const dialog = document.querySelector("dialog.scenario");
  const part = (selector) => dialog.querySelector(selector);
  const files = new Map();

  // The files of a figure are read when they are first asked for.
  function filesOf(figure) {
    if (!files.has(figure.id)) {
      const data = figure.querySelector("script.points");
      const all = data && JSON.parse(data.textContent);
      all?.points.forEach((point, i) => (point.text = text(all.texts, i)));
      for (const claim of all?.claims ?? []) claim.points = positions(claim.points);
      files.set(figure.id, all);
    }
    return files.get(figure.id);
  }

  // A file's name as a word of a command line.
  function word(name) {
    const safe = name.startsWith("-") ? `./${name}` : name;
    return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
  }

  function link(place, words) {
    const link = document.createElement("a");
    link.href = `#${place}`;
    link.textContent = words;
    return link;
  }

  let shown = null;
  function show(figure, number) {
    const all = filesOf(figure);
    const point = all?.points[number];
    if (!point) return;
    shown = { point, figure };
    part("h2").textContent = all.x_label
      ? `${point.series}, ${all.x_label} ${all.places[number]}`
      : point.series;
    part(".beside").href = `${all.folder}/${encodeURIComponent(point.file)}`;
    const about = all.claims.filter((claim) => claim.points.includes(number));
    part(".of").replaceChildren(link(figure.id, all.figure));
    part(".claimed").replaceChildren(
      ...about.flatMap(({ id, place }, i) => [i > 0 ? ", " : "Claims about it: ", link(place, id)]),
    );
    part(".command code").textContent =
      `dumbbell run ${word(point.file)}` + (all.runs > 1 ? ` --repeat ${all.runs}` : "");
    part("pre").textContent = point.text;
    part("pre").setAttribute("aria-label", point.file);
    part(".done").textContent = "";
    if (!dialog.open) dialog.showModal();
    part("pre").scrollTop = 0;
  }

  function follow() {
    const place = location.hash.match(/^#point\.(.+)\.(\d+)$/);
    if (place) {
      const figure = document.getElementById(`figure.${place[1]}`);
      if (figure) show(figure, Number(place[2]));
    } else if (dialog.open) {
      dialog.close();
    }
  }

  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A page from a disk may not have the clipboard: the old way.
      const area = document.createElement("textarea");
      area.value = text;
      dialog.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    part(".done").textContent = `${what} copied.`;
  }

  function download() {
    const url = URL.createObjectURL(new Blob([shown.point.text], { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = shown.point.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    part(".done").textContent = `Saved as ${shown.point.file}.`;
  }

  part(".close").addEventListener("click", () => dialog.close());
  part(".copy").addEventListener("click", () => copy(shown.point.text, "File"));
  part(".copy-command").addEventListener("click", () =>
    copy(part(".command code").textContent, "Command"),
  );
  part(".download").addEventListener("click", download);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  // Closed, the address is that of the figure again, so that the same point can be opened anew.
  dialog.addEventListener("close", () => {
    if (location.hash.startsWith("#point.")) {
      history.replaceState(null, "", `#${shown.figure.id}`);
    }
  });
  addEventListener("hashchange", follow);
  addEventListener("DOMContentLoaded", follow);

  function menu(label, options) {
    const frame = document.createElement("label");
    const select = document.createElement("select");
    for (const [value, text] of options) select.append(new Option(text, value));
    const words = document.createElement("span");
    words.textContent = label;
    frame.append(words, select);
    return { frame, select };
  }

  function fill(details) {
    const figure = details.closest("article");
    const all = filesOf(figure);
    const picker = details.querySelector(".picker");
    const names = [...new Set(all.points.map((point) => point.series))];
    const curve = menu("Curve", names.map((name) => [name, name]));
    const place = menu(all.x_label ?? "", []);
    // Where nothing is varied, a curve has one file.
    place.frame.hidden = !all.x_label;
    const link = document.createElement("a");
    link.className = "button";
    link.textContent = "Show the file";
    const update = () => {
      link.href = `#${figure.id.replace(/^figure/, "point")}.${place.select.value}`;
    };
    const places = () => {
      const before = place.select.selectedOptions[0]?.text;
      place.select.replaceChildren();
      all.points.forEach((point, i) => {
        if (point.series === curve.select.value) {
          place.select.append(new Option(all.places[i], i, false, all.places[i] === before));
        }
      });
      update();
    };
    curve.select.addEventListener("change", places);
    place.select.addEventListener("change", update);
    places();
    picker.append(curve.frame, place.frame, link);
  }

  // The files of a claim's points.
  function list(details) {
    const figure = details.closest("article");
    const all = filesOf(figure);
    const claim = all.claims.find(({ id }) => id === details.dataset.claim);
    const links = claim.points.flatMap((i) => {
      const point = all.points[i];
      if (!point) return [];
      const words = all.places[i] ? `${point.series} at ${all.places[i]}` : point.series;
      return [" · ", link(`${figure.id.replace(/^figure/, "point")}.${i}`, words)];
    });
    details.querySelector("p").append(...links.slice(1));
  }

  for (const [which, open] of [["scenarios", fill], ["files", list]]) {
    for (const details of document.querySelectorAll(`details.${which}`)) {
      details.addEventListener("toggle", () => open(details), { once: true });
    }
  }
}

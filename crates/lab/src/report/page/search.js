// The search over claims, figures and notes. What can be found is read from the page when the search is
// first used. `/` leads to it, arrows choose, Enter goes there, and Escape leaves.
{
  const MOST = 40;
  const box = document.querySelector(".search");
  const input = box.querySelector("input");
  const frame = box.querySelector(".results");
  const list = box.querySelector("ul");
  const status = box.querySelector(".amounts");

  // Equal letters at equal places: what is found in it is marked in the text itself.
  const folded = (text) => text.toLowerCase().replace(/[\u2018\u2019]/g, "'").replace(/\u00a0/g, " ");
  const words = (element) => element?.textContent.replace(/[ \n\t]+/g, " ").trim() ?? "";

  function claims() {
    return [...document.querySelectorAll(".claims > li")].map((element) => {
      const title = words(element.querySelector(".says").firstChild);
      const part = (selector) => words(element.querySelector(selector));
      const [paper, here] = [...element.querySelectorAll("dd")].map(words);
      const figure = element.closest("article");
      return {
        element,
        title,
        about: [`${part(".verdict")}: paper ${paper}, here ${here}`, words(element.querySelector(".evidence").lastChild), part(".source"), part(".id"), words(figure.querySelector("h3").firstChild)].join(" · "),
      };
    });
  }

  function figures() {
    return [...document.querySelectorAll("article.figure")].map((element) => ({
      element,
      title: words(element.querySelector("h3").firstChild),
      about: [...element.querySelectorAll(":scope > :is(.kicker, .about), .heading, .counted")]
        .map(words)
        .concat(element.id.replace(/^figure\./, ""))
        .join(" · "),
    }));
  }

  // Each paragraph of the notes, with the headings above it; and each reading of a text.
  function notes() {
    const found = [];
    for (const prose of document.querySelectorAll(".notes .prose")) {
      const paper = words(prose.closest("section").querySelector("h2"));
      const above = { H3: "", H4: "" };
      for (const element of prose.querySelectorAll("h3, h4, p, li, tr")) {
        if (element.tagName in above) {
          above[element.tagName] = words(element);
          if (element.tagName === "H3") above.H4 = "";
        } else if (!element.parentElement.closest("li")) {
          found.push({ element, title: [paper, above.H3, above.H4].filter(Boolean).join(": "), about: words(element) });
        }
      }
    }
    for (const element of document.querySelectorAll(".readings-table tbody tr")) {
      found.push({ element, title: words(element.closest("section").querySelector("h2")), about: words(element) });
    }
    return found;
  }

  let groups = null;
  const index = () =>
    (groups ??= [["Claims", claims], ["Figures", figures], ["Notes", notes]].map(([name, entries]) => ({
      name,
      entries: entries().map((entry) => ({ ...entry, in: [folded(entry.title), folded(entry.about)] })),
    })));

  // The more often a word begins there, and in the title, the earlier an entry stands; 0 if a word is
  // nowhere in it.
  function score({ in: [title, about] }, sought) {
    let sum = 0;
    for (const word of sought) {
      const at = (text, weight) => {
        const place = text.indexOf(word);
        if (place < 0) return 0;
        return weight * (place === 0 || !/[\p{L}\p{N}]/u.test(text[place - 1]) ? 2 : 1);
      };
      const here = at(title, 3) + at(about, 1);
      if (here === 0) return 0;
      sum += here;
    }
    return sum;
  }

  // The places of the words in a text: [from, to] each, in order, none within another.
  function places(text, sought) {
    const within = folded(text);
    const all = [];
    for (const word of sought) {
      for (let at = within.indexOf(word); at >= 0; at = within.indexOf(word, at + word.length)) {
        all.push([at, at + word.length]);
      }
    }
    all.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    let end = 0;
    return all.filter(([from, to]) => from >= end && ((end = to), true));
  }

  // A text with the words marked; of a long one the part around the first.
  function marked(text, sought, most) {
    const first = places(text, sought)[0]?.[0] ?? 0;
    const begin = text.length <= most || first < most / 2 ? 0 : text.lastIndexOf(" ", first - most / 4) + 1;
    const shown = `${begin > 0 ? "… " : ""}${text.slice(begin, begin + most)}${begin + most < text.length ? " …" : ""}`;
    const parts = [];
    let end = 0;
    for (const [from, to] of places(shown, sought)) {
      const mark = document.createElement("mark");
      mark.textContent = shown.slice(from, to);
      parts.push(shown.slice(end, from), mark);
      end = to;
    }
    return [...parts, shown.slice(end)];
  }

  let options = [];
  let active = -1;

  function choose(i) {
    options[active]?.item.setAttribute("aria-selected", "false");
    active = i;
    const item = options[active]?.item;
    if (item) {
      item.setAttribute("aria-selected", "true");
      item.scrollIntoView({ block: "nearest", behavior: "instant" });
      input.setAttribute("aria-activedescendant", item.id);
    } else {
      input.removeAttribute("aria-activedescendant");
    }
  }

  function show(open) {
    frame.hidden = !open;
    input.setAttribute("aria-expanded", open);
    if (!open) choose(-1);
  }

  const sought = () => folded(input.value).split(/\s+/).filter(Boolean);

  function search() {
    const words = sought();
    options = [];
    active = -1;
    input.removeAttribute("aria-activedescendant");
    const items = [];
    const amounts = [];
    for (const { name, entries } of words.length > 0 ? index() : []) {
      const found = entries
        .map((entry) => ({ entry, score: score(entry, words) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      if (found.length === 0) continue;
      amounts.push(`${found.length} ${found.length === 1 ? name.toLowerCase().replace(/s$/, "") : name.toLowerCase()}`);
      const head = document.createElement("li");
      head.setAttribute("role", "presentation");
      head.className = "group";
      head.textContent = found.length > MOST ? `${name}: the first ${MOST} of ${found.length}` : name;
      items.push(head);
      for (const { entry } of found.slice(0, MOST)) {
        const item = document.createElement("li");
        item.id = `found-${options.length}`;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        const [title, about] = ["strong", "span"].map((tag) => document.createElement(tag));
        title.append(...marked(entry.title, words, 160));
        about.append(...marked(entry.about, words, 170));
        item.append(title, about);
        item.addEventListener("click", () => go(entry));
        options.push({ item, entry });
        items.push(item);
      }
    }
    list.replaceChildren(...items);
    status.textContent = amounts.join(", ") || "Nothing found.";
    frame.scrollTop = 0;
    show(words.length > 0);
  }

  // The words where one arrives, in browsers that can mark them without changing the page.
  function mark(element, words) {
    if (!window.Highlight) return;
    const ranges = [];
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const [from, to] of places(texts.currentNode.data, words)) {
        const range = new Range();
        range.setStart(texts.currentNode, from);
        range.setEnd(texts.currentNode, to);
        ranges.push(range);
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  function go({ element }) {
    show(false);
    input.blur();
    for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    mark(element, sought());
    if (element.id) location.hash = element.id;
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: element.matches("article") ? "start" : "center", behavior: "instant" });
  }

  input.addEventListener("focus", () => {
    index();
    if (input.value.trim()) search();
  });
  input.addEventListener("input", () => {
    window.CSS?.highlights?.delete("found");
    search();
  });
  input.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (frame.hidden) search();
      const step = key === "ArrowDown" ? 1 : -1;
      if (options.length > 0) choose((active + step + options.length + (active < 0 && step < 0 ? 1 : 0)) % options.length);
    } else if (key === "Enter") {
      if (options.length > 0 && !frame.hidden) go(options[Math.max(active, 0)].entry);
    } else if (key === "Escape") {
      if (frame.hidden) input.blur();
      else show(false);
    } else {
      return;
    }
    event.preventDefault();
  });
  box.addEventListener("focusout", ({ relatedTarget }) => {
    if (!box.contains(relatedTarget)) show(false);
  });
  // A press on the list takes the focus from the input only once it has been followed.
  frame.addEventListener("pointerdown", (event) => event.preventDefault());
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing;
    const k = event.key === "k" && (event.ctrlKey || event.metaKey);
    if ((slash || k) && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
}

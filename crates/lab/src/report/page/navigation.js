// The contents: which figure one is at, and the menu of a narrow window.
{
  const contents = document.getElementById("contents");
  const menu = document.querySelector("button.menu");
  const open = (yes) => {
    contents.classList.toggle("open", yes);
    menu.setAttribute("aria-expanded", yes);
  };
  menu.addEventListener("click", () => open(!contents.classList.contains("open")));
  contents.addEventListener("click", (event) => event.target.closest("a") && open(false));
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && contents.classList.contains("open")) {
      open(false);
      menu.focus();
    }
  });

  const links = new Map();
  for (const link of contents.querySelectorAll("a[href^='#']")) {
    links.set(link.getAttribute("href").slice(1), link);
  }
  let current = null;
  const mark = (id) => {
    const link = links.get(id);
    if (!link || link === current) return;
    current?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    current = link;
    // Only the list itself moves, never the page.
    const { top, bottom } = link.getBoundingClientRect();
    const frame = contents.getBoundingClientRect();
    if (top < frame.top || bottom > frame.bottom) {
      contents.scrollTop += top - frame.top - frame.height / 3;
    }
  };
  const watched = ["top", "claims", "run"].map((id) => document.getElementById(id));
  watched[0] = document.querySelector("header.front");
  watched.push(...document.querySelectorAll("article.figure"));
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) mark(entry.target.id || "top");
      }
    },
    { rootMargin: "-25% 0px -70% 0px" },
  );
  watched.forEach((part) => observer.observe(part));
}

// What is folded away becomes a part of the page when it is first opened.
document.addEventListener(
  "toggle",
  ({ target }) => {
    const content = target.matches("details.later") && target.querySelector("script");
    if (content) content.outerHTML = content.textContent;
  },
  true,
);

// A link into what is folded away opens it.
{
  const unfold = () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = place?.closest("details.notes:not([open])");
    if (!fold) return;
    fold.open = true;
    place.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  addEventListener("DOMContentLoaded", unfold);
}

// The table of claims: a standing chooses its sentences.
{
  const tiles = [...document.querySelectorAll(".tiles button")];
  const rows = [...document.querySelectorAll("tr.claim")];
  const status = document.querySelector("#claims .chosen");
  const choose = (standing) => {
    for (const tile of tiles) {
      tile.setAttribute("aria-pressed", tile.dataset.standing === standing);
    }
    for (const row of rows) row.hidden = standing !== null && row.dataset.standing !== standing;
    for (const group of document.querySelectorAll(".claims-table tbody")) {
      group.hidden = !group.querySelector("tr.claim:not([hidden])");
    }
    const shown = rows.filter((row) => !row.hidden).length;
    const pressed = tiles.find((tile) => tile.dataset.standing === standing);
    status.textContent = pressed
      ? `Shown: ${shown} of ${rows.length}, those that ${pressed.querySelector("span").textContent}.`
      : "";
  };
  for (const tile of tiles) {
    tile.addEventListener("click", () => {
      const pressed = tile.getAttribute("aria-pressed") === "true";
      choose(pressed ? null : tile.dataset.standing);
      if (!pressed) document.getElementById("claims").scrollIntoView();
    });
  }
  // A link to a row that is not shown shows all.
  const reveal = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (row?.matches("tr[hidden]")) {
      choose(null);
      row.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
}

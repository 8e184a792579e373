// What goes wrong is noted on the page itself, where a test finds it.
(() => {
  const root = document.documentElement;
  const errors = [];
  const note = (what) => {
    errors.push(String(what));
    root.dataset.errors = JSON.stringify(errors);
  };
  addEventListener("error", (event) => note(event.message));
  addEventListener("unhandledrejection", (event) => note(event.reason));
  addEventListener("securitypolicyviolation", (event) =>
    note(`${event.violatedDirective}: ${event.blockedURI}`),
  );
  const { error } = console;
  console.error = (...words) => {
    note(words.join(" "));
    error.apply(console, words);
  };

  // Light or dark: as chosen, otherwise as the system has it.
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try {
      return localStorage.getItem("dumbbell-theme");
    } catch {
      return null;
    }
  };
  let chosen = stored() ?? "auto";
  const apply = () => {
    const dark = chosen === "dark" || (chosen !== "light" && system.matches);
    root.dataset.theme = dark ? "dark" : "light";
    root.dispatchEvent(new Event("theme"));
  };
  apply();
  system.addEventListener("change", apply);
  addEventListener("DOMContentLoaded", () => {
    for (const input of document.querySelectorAll("input[name=theme]")) {
      input.checked = input.value === chosen;
      input.addEventListener("change", () => {
        chosen = input.value;
        try {
          localStorage.setItem("dumbbell-theme", chosen);
        } catch {
          // A page from a disk may have no storage: the choice lasts as long as the page.
        }
        apply();
      });
    }
  });
})();

// Light or dark: as the reader's system is, until they choose. Runs before anything is shown.
(() => {
  const KEY = "guidesmith-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const rules = [];
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (rule instanceof CSSMediaRule && rule.media.mediaText.includes("prefers-color-scheme: dark")) rules.push([rule.media, rule.media.mediaText]);
    }
  }
  let chosen = null;
  try {
    chosen = localStorage.getItem(KEY);
  } catch {
    // a browser that keeps nothing for files
  }
  const isDark = () => (chosen ? chosen === "dark" : system.matches);
  function paint() {
    for (const [media, own] of rules) media.mediaText = chosen === "dark" ? "all" : chosen === "light" ? "not all" : own;
    root.dataset.theme = isDark() ? "dark" : "light";
  }
  paint();
  system.addEventListener("change", paint);
  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-switch]");
    if (button) {
      button.hidden = false;
      button.addEventListener("click", () => {
        chosen = isDark() ? "light" : "dark";
        try {
          localStorage.setItem(KEY, chosen);
        } catch {
          // for this page alone
        }
        paint();
      });
    }
    const word = document.querySelector(".site-link-word")?.content.textContent;
    for (const section of word ? document.querySelectorAll("main section[id]") : []) {
      const title = section.querySelector(".title");
      if (!title) continue;
      const link = document.createElement("a");
      link.className = "site-link";
      link.href = `#${section.id}`;
      link.title = word;
      link.setAttribute("aria-label", `${word}: ${title.textContent}`);
      link.textContent = "#";
      title.after(link);
    }
  });
})();

// The row of buttons above the text that is open, and the field for a link's address.
import { deeds, isInTable, linkAt, linked, states } from "./commands.js";

/**
 * A toolbar for `view`, with one place in the order of tabs; arrows lead along it.
 * @param {{markdown: () => void}} others what is no command: the other way to write
 */
export function toolbar(view, others) {
  const bar = document.getElementById("writer-template").content.firstElementChild.cloneNode(true);
  const buttons = [...bar.querySelectorAll("button[data-rich]")];
  const address = bar.querySelector("[data-address]");
  const field = address.querySelector("input");

  const run = (name) => {
    if (name === "link") return ask();
    if (name === "markdown") return others.markdown();
    deeds[name](view.state, view.dispatch);
    return view.focus();
  };

  function ask() {
    address.hidden = false;
    field.value = linkAt(view.state) || "https://";
    field.select();
    field.focus();
  }

  function give(href) {
    address.hidden = true;
    linked(href)(view.state, view.dispatch);
    view.focus();
  }

  // A press leaves the focus where it was: the selection stays.
  bar.addEventListener("pointerdown", (event) => event.target.closest("button") && event.preventDefault());
  bar.addEventListener("click", ({ target }) => {
    const name = target.closest("[data-rich]")?.dataset.rich;
    if (name) run(name);
    const link = target.closest("[data-link]")?.dataset.link;
    if (link) give(link === "set" ? safe(field) : "");
  });
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") event.preventDefault(), give(safe(field));
    if (event.key === "Escape") (address.hidden = true), view.focus();
  });
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.target === field) return;
    const shown = buttons.filter((each) => !each.closest("[hidden]") && !each.disabled);
    const next = shown[(shown.indexOf(event.target) + step + shown.length) % shown.length];
    for (const each of buttons) each.tabIndex = each === next ? 0 : -1;
    next.focus();
    event.preventDefault();
  });
  for (const [place, each] of buttons.entries()) each.tabIndex = place === 0 ? 0 : -1;

  const tables = bar.querySelector("[data-tables]");
  function show() {
    for (const button of buttons) {
      const is = states[button.dataset.rich];
      if (is) button.setAttribute("aria-pressed", String(is(view.state)));
    }
    tables.hidden = !isInTable(view.state);
  }
  show();
  return { bar, show, ask };
}

/** What was typed as an address that an export keeps: http, https or mail. */
function safe(field) {
  const typed = field.value.trim();
  if (!typed || typed === "https://") return "";
  if (/^(https?:\/\/|mailto:)/i.test(typed)) return typed;
  return /^[^\s@]+@[^\s@]+$/.test(typed) ? `mailto:${typed}` : `https://${typed.replace(/^\w+:\/*/, "")}`;
}

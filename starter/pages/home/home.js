// The guides: kept live, searched, chosen, renamed, moved, exported and thrown away; and a place to drop a recording on.
import { once, patch, post } from "../parts/api.js";
import { follow } from "../parts/live.js";
import { tell, tellError } from "../parts/messages.js";
import { formOf } from "../new/form.js";
import { renew } from "../parts/renewing.js";
import { shortcut } from "../parts/shortcuts.js";
import { say } from "../parts/strings.js";
import { thrownAway } from "./throwing.js";

const find = (name) => document.querySelector(`[data-${name}]`);
const list = find("list");
const many = find("many");
const menu = find("guide-menu");
const sorting = find("sorting");
let stop = () => {};
let followed = null;
const chosen = new Map(); // id -> {id, title, version, state, may}, also of guides that are on other pages of the list

// --- the list, as the server has it

/** Show the list at the page's address anew. */
async function refresh() {
  if (await renew(list, location.pathname + location.search, refresh)) shown();
}

function shown() {
  for (const card of list.querySelectorAll("[data-guide]")) mark(card, chosen.has(card.dataset.guide));
  const ids = list.querySelector("[data-jobs]")?.dataset.jobs ?? "";
  if (ids === followed) return;
  followed = ids;
  stop();
  stop = follow(`/live?jobs=${ids}`, ["ready", "changed"], refresh);
}

sorting.addEventListener("change", () => sorting.requestSubmit());

// --- many at once

const factsOf = (card) => ({ id: card.dataset.guide, title: card.dataset.title, version: card.dataset.version, state: card.dataset.state, may: card.dataset.may.split(" ") });

function mark(card, is) {
  card.classList.toggle("is-chosen", is);
  const choice = card.querySelector("[data-choice]"); // there is none where nothing can be done with it
  if (choice) choice.checked = is;
}

function choose(card, is) {
  mark(card, is);
  if (is) chosen.set(card.dataset.guide, factsOf(card));
  else chosen.delete(card.dataset.guide);
  counted();
}

function counted() {
  many.hidden = chosen.size === 0;
  find("many-count").textContent = say("guides-chosen-count", { count: chosen.size });
  list.classList.toggle("choosing", chosen.size > 0 || find("choose").getAttribute("aria-pressed") === "true");
}

function chooseNone() {
  chosen.clear();
  find("choose").setAttribute("aria-pressed", "false");
  shown();
  counted();
}

find("choose").addEventListener("click", ({ currentTarget }) => {
  const on = currentTarget.getAttribute("aria-pressed") !== "true";
  if (!on) return chooseNone();
  currentTarget.setAttribute("aria-pressed", "true");
  counted();
  list.querySelector("[data-choice]")?.focus();
});
list.addEventListener("change", ({ target }) => {
  if (target.matches("[data-choice]")) choose(target.closest("[data-guide]"), target.checked);
});
list.addEventListener("click", (event) => {
  const card = event.target.closest("[data-guide]");
  if (!card || !list.classList.contains("choosing") || !event.target.closest(".guide-open")) return;
  event.preventDefault(); // who chooses does not open
  if (card.querySelector("[data-choice]")) choose(card, !chosen.has(card.dataset.guide));
});
find("many-none").addEventListener("click", chooseNone);
shortcut("Escape", say("shortcut-choose-none"), chooseNone);

// --- what is done with one, or with those that are chosen

/** Wait until `dialog` is closed; its form's fields where that was by a yes, else null. */
function asked(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => resolve(dialog.returnValue === "yes" ? Object.fromEntries(new FormData(dialog.querySelector("form"))) : null);
    dialog.addEventListener("close", closed, { once: true });
  });
}

async function rename({ id, title }) {
  const dialog = find("rename-dialog");
  const { title: field } = dialog.querySelector("form").elements;
  field.value = title;
  field.select();
  const wanted = (await asked(dialog))?.title.trim();
  if (!wanted || wanted === title) return;
  await patch(`guides/${id}`, { title: wanted });
  await refresh();
}

async function move(guides) {
  const answer = await asked(find("move-dialog"));
  if (!answer?.folder) return;
  for (const { id } of guides) await patch(`jobs/${id}`, { project_id: answer.folder });
  tell(say("guides-moved", { count: guides.length }), "good");
  location.reload(); // the folders count anew
}

async function throwAway(guides) {
  if (!(await thrownAway(guides, () => refresh()))) return;
  chooseNone();
  await refresh();
  list.querySelector(".guide-open")?.focus();
}

async function toExport(guides) {
  const dialog = find("export-dialog");
  const written = guides.filter(({ version }) => version);
  if (!written.length) return tell(say("guides-export-none"), "bad");
  const { format } = dialog.querySelector("form").elements;
  const counts = () => {
    const placed = "placed" in format.selectedOptions[0].dataset;
    find("export-count").textContent = say(placed ? "guides-place-count" : "guides-export-count", { count: written.length });
  };
  format.onchange = counts;
  counts();
  const answer = await asked(dialog);
  if (!answer) return;
  const { exported } = await import("./exporting.js");
  await exported(written, answer.format);
}

const doing = {
  rename: (guide) => rename(guide),
  move: (guide) => move([guide]),
  export: (guide) => toExport([guide]),
  delete: (guide) => throwAway([guide]),
};

let opened = null; // the button that the menu belongs to
list.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-menu]");
  if (!button) return;
  if (opened === button) return menu.hidePopover();
  const { version, may } = factsOf(button.closest("[data-guide]"));
  for (const item of menu.querySelectorAll("[data-do]")) item.hidden = !may.includes(item.dataset.do) || (!version && ["rename", "export"].includes(item.dataset.do));
  opened = button;
  menu.showPopover();
  const { bottom, right } = button.getBoundingClientRect();
  menu.style.top = `${Math.min(bottom + 4, innerHeight - menu.offsetHeight - 8)}px`;
  menu.style.left = `${Math.max(8, right - menu.offsetWidth)}px`;
  button.setAttribute("aria-expanded", "true");
  menu.querySelector("button:not([hidden])")?.focus();
});
menu.addEventListener("toggle", ({ newState }) => {
  if (newState !== "closed" || !opened) return;
  opened.setAttribute("aria-expanded", "false");
  if (opened.isConnected && menu.contains(document.activeElement)) opened.focus();
  opened = null;
});
menu.addEventListener("keydown", (event) => {
  if (!["ArrowDown", "ArrowUp"].includes(event.key)) return;
  event.preventDefault();
  const items = [...menu.querySelectorAll("button:not([hidden])")];
  const at = items.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  items.at(at % items.length).focus();
});
menu.addEventListener("click", ({ target }) => {
  const what = target.closest("[data-do]")?.dataset.do;
  if (!what || !opened) return;
  const card = opened.closest("[data-guide]");
  opened.focus(); // where a dialog gives the focus back to
  menu.hidePopover();
  doing[what](factsOf(card)).catch(tellError);
});
for (const [name, does] of [["export", toExport], ["move", move], ["delete", throwAway]]) {
  find(`many-${name}`).addEventListener("click", () => {
    const guides = [...chosen.values()].filter(({ may }) => may.includes(name));
    if (guides.length) does(guides).catch(tellError);
    else tell(say("guides-not-yours"), "bad");
  });
}

find("publish")?.addEventListener("click", ({ currentTarget: { dataset } }) =>
  import("./publishing.js").then(({ published }) => published(dataset, asked)).catch(tellError),
);

find("folder-new").addEventListener("click", async () => {
  const name = (await asked(find("folder-dialog")))?.name.trim();
  if (name) await post("projects", { name }, { key: once() }).then(({ id }) => location.assign(`/?folder=${id}`), tellError);
});

// --- drop a recording anywhere
const drop = find("drop");
const dialog = find("new-dialog");
const form = formOf(dialog.querySelector("[data-new]"));
const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
addEventListener("dragover", (event) => {
  if (!holdsFiles(event)) return;
  event.preventDefault();
  drop.hidden = dialog.open;
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) drop.hidden = true;
});
addEventListener("drop", (event) => {
  drop.hidden = true;
  if (!holdsFiles(event) || dialog.open) return;
  event.preventDefault();
  dialog.showModal();
  form.drop(event.dataTransfer);
  dialog.querySelector(form.isReady ? "[data-start]" : "[type=file]").focus();
});

shortcut("/", say("shortcut-search"), () => document.querySelector("#finder").focus());
shown();
counted();

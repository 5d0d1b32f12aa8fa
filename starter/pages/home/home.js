// The list of jobs: filtered as one types, kept live, and a place to drop a recording on.
import { follow } from "../parts/live.js";
import { count } from "../parts/moments.js";
import { formOf } from "../new/form.js";
import { renew } from "../parts/renewing.js";
import { shortcut } from "../parts/shortcuts.js";
import { say } from "../parts/strings.js";

const TYPED_MS = 250;
const list = document.querySelector("[data-list]");
const filters = document.querySelector("[data-filters]");
const dialog = document.querySelector("[data-new-dialog]");
const form = formOf(dialog.querySelector("[data-new]"));
let stop = () => {};
let followed = null;

/** Show the list at `address` in place of the one shown. */
async function show(address, { remember = true } = {}) {
  if (remember) history.replaceState(null, "", address);
  if (await renew(list, address, () => show(address, { remember: false }))) listen();
}

function listen() {
  const ids = list.querySelector("[data-jobs]")?.dataset.jobs ?? "";
  tick();
  if (ids === followed) return;
  followed = ids;
  stop();
  stop = follow(`/live?jobs=${ids}`, ["ready", "changed"], () => show(location.pathname + location.search, { remember: false }));
}

const tick = () => count(list);

let typed;
function filtered() {
  const wanted = new URLSearchParams([...new FormData(filters)].filter(([, value]) => value));
  show(wanted.size ? `/?${wanted}` : "/");
}
filters.addEventListener("submit", (event) => {
  event.preventDefault();
  filtered();
});
filters.addEventListener("change", filtered);
filters.addEventListener("input", (event) => {
  if (event.target.type !== "search") return;
  clearTimeout(typed);
  typed = setTimeout(filtered, TYPED_MS);
});
shortcut("/", say("shortcut-search"), () => filters.elements.search.focus());

// --- drop a recording anywhere
const drop = document.querySelector("[data-drop]");
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

setInterval(tick, 1000);
listen();

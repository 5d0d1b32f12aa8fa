// The list of jobs of every kind: filtered as one types, and kept live.
import { follow } from "../parts/live.js";
import { count } from "../parts/moments.js";
import { renew } from "../parts/renewing.js";
import { shortcut } from "../parts/shortcuts.js";
import { say } from "../parts/strings.js";

const TYPED_MS = 250;
const list = document.querySelector("[data-list]");
const filters = document.querySelector("[data-filters]");
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
  show(wanted.size ? `/jobs?${wanted}` : "/jobs");
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

setInterval(tick, 1000);
listen();

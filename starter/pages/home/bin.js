// The bin: given back, or erased for good.
import { get, post, remove } from "../parts/api.js";
import { ask } from "../parts/asking.js";
import { tell, tellError } from "../parts/messages.js";
import { renew } from "../parts/renewing.js";
import { say } from "../parts/strings.js";

const list = document.querySelector("[data-bin]");
const refresh = () => renew(list, location.pathname + location.search);

async function restore({ thrown: id, title }) {
  await post(`guides/bin/${id}/restore`);
  tell(say("bin-restored", { title }), "good");
  await refresh();
  heading();
}

async function erase({ thrown: id, title }) {
  if (!(await ask({ title: say("bin-erase-title", { title }), text: say("bin-erase-means"), yes: say("bin-erase-yes"), danger: true }))) return;
  await remove(`guides/bin/${id}`);
  await refresh();
  heading();
}

/** All that lies in it, page by page, also what is not shown. */
async function empty() {
  if (!(await ask({ title: say("bin-empty-title"), text: say("bin-erase-means"), yes: say("bin-empty-yes"), danger: true }))) return;
  for (let page = await get("guides/bin?limit=100"); page.items.length; page = await get("guides/bin?limit=100")) {
    for (const { job_id } of page.items) await remove(`guides/bin/${job_id}`);
  }
  location.assign("/bin");
}

/** The row that had the focus is gone. */
function heading() {
  document.querySelector("main").focus();
}

list.addEventListener("click", ({ target }) => {
  const row = target.closest("[data-thrown]");
  if (target.closest("[data-restore]")) restore(row.dataset).catch(tellError);
  if (target.closest("[data-erase]")) erase(row.dataset).catch(tellError);
});
document.querySelector("[data-empty]")?.addEventListener("click", () => empty().catch(tellError));

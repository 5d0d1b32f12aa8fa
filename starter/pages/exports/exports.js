// The export page: asks for a file, follows it, shows the pages of a PDF.
import { post } from "../parts/api.js";
import { follow } from "../parts/live.js";
import { tell, tellError } from "../parts/messages.js";
import { renew } from "../parts/renewing.js";
import { heard } from "../parts/session.js";
import { shortcut } from "../parts/shortcuts.js";
import { say } from "../parts/strings.js";

const TOGETHER_MS = 150;
const context = JSON.parse(document.getElementById("context").textContent);
const form = document.querySelector("[data-export]");
const files = document.querySelector("[data-exports]");
const pages = document.querySelector("[data-pages]");
const button = form.querySelector("button");
let awaited = null; // the export that was asked for here, until it has ended

const card = (id) => document.getElementById(`export-${id}`);

let going = Promise.resolve();
let opened = []; // what is unfolded stays so
function refresh() {
  opened = [...files.querySelectorAll("details[open]")].map((each) => [each.closest("[id]").id, each.className]);
  going = going.then(() => renew(files, location.pathname + location.search, refresh)).catch(tellError);
  return going;
}

/** Do `work` once there is a pause in what is heard. */
function soon(work) {
  let waiting;
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void work(), TOGETHER_MS);
  };
}
const [refreshSoon, offerSoon] = [soon(refresh), soon(() => offerVersions())];

function heardOf(name) {
  if (name === "export" || name === "resync") refreshSoon();
  if (name !== "export") offerSoon();
}

/** What was asked for here is marked, and shown as soon as it is there. */
function settle() {
  for (const [id, name] of opened) document.getElementById(id)?.querySelector(`details[class="${name}"]`)?.setAttribute("open", "");
  const shown = awaited === null ? null : card(awaited);
  if (!shown) return;
  shown.setAttribute("data-fresh", "");
  if (shown.querySelector("progress")) return;
  awaited = null;
  const look = shown.querySelector("[data-look]");
  if (look) showPages(look.dataset.look).catch(tellError);
}
document.addEventListener("htmx:after:swap", settle);

async function showPages(id) {
  pages.setAttribute("aria-busy", "true");
  const answer = await fetch(`/exports/${id}/preview`, { headers: { "HX-Request": "true" } }).catch(() => null);
  pages.removeAttribute("aria-busy");
  if (answer) heard(answer.status);
  if (!answer?.ok) {
    tell(say(answer?.status === 401 ? "failed-signed-out" : answer ? "export-pages-failed" : "failed-unreachable"), "bad");
    return;
  }
  pages.replaceChildren(document.createRange().createContextualFragment(await answer.text())); // ours: drawn and escaped by the server
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  try {
    const asked = await post(`jobs/${context.job_id}/exports`, { format: form.elements.format.value, instruction_version_id: form.elements.version.value });
    awaited = asked.id;
    if (asked.status === "SUCCEEDED") tell(say("export-made-before"));
    if (location.search.includes("cursor=")) history.replaceState(null, "", location.pathname);
    await refresh();
    card(asked.id)?.scrollIntoView({ block: "nearest" });
  } catch (error) {
    tellError(error);
  } finally {
    button.disabled = false;
  }
});

const choice = form.elements.version;

function warn() {
  form.querySelector("[data-failing]").hidden = choice.selectedOptions[0]?.dataset.status !== "FAIL";
}
let chosen = null; // by somebody, while the versions are asked for
choice.addEventListener("change", () => {
  chosen = choice.value;
  warn();
});
warn();

files.addEventListener("click", async (event) => {
  const look = event.target.closest("[data-look]");
  if (!look) return;
  look.disabled = true;
  await showPages(look.dataset.look);
  look.disabled = false;
  pages.scrollIntoView({ block: "nearest" });
});

/** Somebody may have saved a version: who had the newest one chosen has the newest one now. */
async function offerVersions() {
  chosen = null;
  const { number, newest } = choice.selectedOptions[0].dataset;
  const address = `/instructions/${context.instruction_id}/export/versions${newest === undefined ? `?version=${number}` : ""}`;
  if (!(await renew(choice, address, offerVersions))) return;
  choice.value = chosen ?? choice.querySelector("[selected]").value;
  warn();
}

shortcut("e", say("shortcut-export"), () => form.requestSubmit());
follow(`/api/v1/jobs/${context.job_id}/events`, ["status", "task", "export", "resync"], heardOf, { from: String(context.heard) });

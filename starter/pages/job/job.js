// A job, kept live: what the server shows is asked for again whenever the job's log grows.
import { once, post, remove } from "../parts/api.js";
import { ask } from "../parts/asking.js";
import { follow } from "../parts/live.js";
import { tell, tellError } from "../parts/messages.js";
import { count } from "../parts/moments.js";
import { leaving, renew } from "../parts/renewing.js";
import { say } from "../parts/strings.js";
import { thrownAway } from "../home/throwing.js";

const TOGETHER_MS = 150;
const NOW_AND_THEN_MS = 2000;
const body = document.querySelector("[data-job]");
const id = body.dataset.job;
const dialog = document.querySelector("[data-cancel-dialog]");
const part = (name) => body.querySelector(`[data-${name}]`);

/** What may have changed, with as many rows of each list as somebody has asked for. */
function address() {
  const rows = (list) => body.querySelectorAll(`${list} > li:not(.more)`).length;
  return `${location.pathname}?log=${rows(".log")}`;
}

let waiting;
let asking = false;
function refresh() {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    if (asking) return refresh();
    asking = true;
    try {
      await renew(body, address(), refresh);
    } finally {
      asking = false;
    }
    tick();
    body.dispatchEvent(new CustomEvent("job:shown", { bubbles: true }));
  }, TOGETHER_MS);
}

/** What a job makes on its way is shown now and then, however fast it comes. */
let later = null;
function refreshLater() {
  later ??= setTimeout(() => ((later = null), refresh()), NOW_AND_THEN_MS);
}

function heard(name, event) {
  if (name === "progress") {
    const bar = part("progress");
    const progress = event.data?.progress;
    if (!bar || typeof progress !== "number") return refresh();
    bar.value = progress;
    part("percent").textContent = `${progress} %`;
    part("left").dataset.left = progress;
    tick();
    if (part("figures")) refreshLater();
    return undefined;
  }
  return refresh();
}

const tick = () => count(body);

body.addEventListener("click", (event) => {
  if (event.target.closest("[data-cancel]")) dialog.showModal();
  const retry = event.target.closest("[data-retry]");
  if (retry) again(retry).catch(tellError);
  if (event.target.closest("[data-delete]")) drop("job-delete", "", () => location.assign("/"));
  const thrown = event.target.closest("[data-throw]");
  if (thrown) throwAway(thrown.dataset.state).catch(tellError);
  if (event.target.closest("[data-drop-recording]")) drop("recording-delete", "/recording", refresh);
});

async function drop(what, path, then) {
  if (!(await ask({ title: say(`${what}-title`), text: say(`${what}-means`), yes: say(`${what}-yes`), danger: true }))) return;
  leaving(path === "");
  remove(`jobs/${id}${path}`).then(then, (error) => {
    leaving(false);
    refresh();
    tellError(error);
  });
}

/** To where it can be brought back from. */
async function throwAway(state) {
  leaving(true);
  if (await thrownAway([{ id, state }], refresh)) return location.assign("/bin");
  leaving(false);
  return refresh();
}

async function again(button) {
  button.disabled = true;
  try {
    await post(`jobs/${id}/retry`, { client_request_id: once() });
    tell(say("retry-began"), "good");
  } finally {
    button.disabled = false;
    refresh();
  }
}

dialog.addEventListener("close", () => {
  if (dialog.returnValue !== "cancel") return;
  dialog.returnValue = "";
  post(`jobs/${id}/cancel`).then(refresh, tellError);
});

follow(`/api/v1/jobs/${id}/events`, ["status", "progress", "task", "export", "resync"], heard, {
  from: body.dataset.after,
  back: refresh,
});
setInterval(tick, 1000);
tick();

// A guide's translations: asked for, followed, brought up to date, looked through block by block.
import { once, post, put, remove } from "../parts/api.js";
import { ask } from "../parts/asking.js";
import { follow } from "../parts/live.js";
import { tell, tellError } from "../parts/messages.js";
import { renew } from "../parts/renewing.js";
import { say } from "../parts/strings.js";

const EVERY_MS = 2000; // how far one is, no event tells
const context = JSON.parse(document.getElementById("context").textContent);
const form = document.querySelector("[data-translate]");
const part = document.querySelector("[data-part]");
let timer;
let isLeaving = false; // what the page shows is gone: nothing of it is asked for again

async function refresh() {
  clearTimeout(timer);
  if (isLeaving) return;
  await renew(part, location.pathname, refresh).catch(tellError);
  watch();
}

/** While one is being made, look how far it is. */
function watch() {
  clearTimeout(timer);
  if (part.querySelector("progress")) timer = setTimeout(() => document.visibilityState === "hidden" ? watch() : void refresh(), EVERY_MS);
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { language, version } = form.elements;
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    await post(`instructions/${form.dataset.translate}/translations`, { language: language.value, version: Number(version.value), client_request_id: once() });
    language.value = "";
    await refresh();
  } catch (error) {
    tellError(error);
  } finally {
    button.disabled = false;
  }
});

/** Ask, and delete a translation; from its own page the way goes on to the original's. */
async function thrownAway(id, language, original) {
  if (!(await ask({ title: say("translation-delete-title", { language }), text: say("translation-delete-means"), yes: say("translation-delete-yes"), danger: true }))) return;
  isLeaving = Boolean(original);
  try {
    await remove(`instructions/${id}/translation`);
  } catch (error) {
    isLeaving = false;
    throw error;
  }
  if (original) location.assign(`/instructions/${original}/translations`);
  else tell(say("translation-deleted", { language }), "good");
}

async function done(button) {
  const { update, block, answer, cancel, delete: deleted, language } = button.dataset;
  if (deleted) return thrownAway(deleted, language, button.closest("[data-original]")?.dataset.original);
  if (cancel) return post(`translation-tasks/${cancel}/cancel`);
  if (update) {
    const asked = { client_request_id: once(), ...(block ? { blocks: [block] } : {}) };
    if ("reorder" in button.dataset) Object.assign(asked, { reorder: true, blocks: [] });
    return post(`instructions/${update}/translation/update`, asked);
  }
  const { translation, version } = part.querySelector("[data-translation]").dataset;
  await put(`instructions/${translation}/translation/blocks/${answer}`, { base_version: Number(version), take: "take" in button.dataset });
  return tell(say(`translation-${"take" in button.dataset ? "taken" : "kept"}`), "good");
}

part.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-update], [data-answer], [data-cancel], [data-delete]");
  if (!button) return;
  button.disabled = true;
  try {
    await done(button);
  } catch (error) {
    tellError(error);
  }
  await refresh();
  button.disabled = false;
});

watch();
follow(`/api/v1/jobs/${context.job_id}/events`, ["status", "task", "resync"], () => void refresh(), { from: String(context.heard) });

// What an administrator does with anybody's job.
import { once, post, remove } from "../parts/api.js";
import { ask } from "../parts/asking.js";
import { tellError } from "../parts/messages.js";
import { say } from "../parts/strings.js";

const path = `admin/jobs/${document.querySelector("[data-anybodys]").dataset.anybodys}`;
const dialog = document.querySelector("[data-cancel-dialog]");
const form = document.querySelector("[data-review]");
const key = once();

/** Do it once, and show what became of the job. */
async function act(button, doing) {
  button.disabled = true;
  try {
    await doing();
    location.reload();
  } catch (error) {
    tellError(error);
    button.disabled = false;
  }
}

document.querySelector("[data-retry]")?.addEventListener("click", (event) => act(event.currentTarget, () => post(`${path}/retry`, {}, { key })));

const cancel = document.querySelector("[data-cancel]");
cancel?.addEventListener("click", () => dialog.showModal());
dialog.addEventListener("close", () => {
  if (dialog.returnValue !== "cancel") return;
  dialog.returnValue = "";
  act(cancel, () => post(`${path}/cancel`));
});

document.querySelector("[data-delete]").addEventListener("click", async () => {
  if (!(await ask({ title: say("job-delete-title"), text: say("job-delete-means"), yes: say("job-delete-yes"), danger: true }))) return;
  remove(path).then(() => location.assign("/administration"), tellError);
});

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  act(form.querySelector("button"), () => post(`${path}/review`, { note: form.elements.note.value.trim() }));
});

// A new instruction; and recordings whose upload was broken off, to go on with.
import { formOf } from "./form.js";
import { fileOf, forget, pending } from "./pending.js";
import { post } from "../parts/api.js";
import { tellError } from "../parts/messages.js";
import { say } from "../parts/strings.js";

const form = formOf(document.querySelector("[data-new]"));
const section = document.querySelector("[data-pending]");
const list = document.querySelector("[data-pending-list]");

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  form.drop(event.dataTransfer);
});

async function showPending() {
  const left = await pending();
  section.hidden = left.length === 0;
  list.replaceChildren(...left.map(item));
}

function item(upload) {
  const line = document.createElement("li");
  line.className = "pending";
  const words = document.createElement("span");
  words.textContent = say("pending-upload", { name: upload.name, percent: Math.floor((100 * (upload.sent ?? 0)) / upload.size) });
  const end = document.createElement("span");
  end.className = "end";
  end.append(
    button(say("pending-go-on"), "primary", async () => {
      const file = await fileOf(upload);
      if (file) form.resume(file, upload);
      else form.choose(upload);
    }),
    button(say("pending-discard"), "", async () => {
      await post(`jobs/${upload.jobId}/cancel`).catch((error) => {
        if (error.status !== 404 && error.status !== 409) throw error;
      });
      await forget(upload.jobId);
      await showPending();
    }),
  );
  line.append(words, end);
  return line;
}

function button(text, kind, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `button small ${kind}`;
  made.textContent = text;
  made.addEventListener("click", () => action().catch(tellError));
  return made;
}

showPending().catch(tellError);

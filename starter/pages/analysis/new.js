// A new analysis: a question, and the files that it is asked of.
import { once, post, put, Refused } from "../parts/api.js";
import { sha256 } from "../parts/hashing.js";
import { Sending, nameOf } from "../parts/sending.js";
import { bytes } from "../parts/sizes.js";
import { say } from "../parts/strings.js";
import { keepTyped } from "../parts/typed.js";

const form = document.querySelector("[data-analysis]");
const part = (name) => form.querySelector(`[data-${name}]`);
const mostFiles = Number(form.dataset.mostFiles);
const mostBytes = Number(form.dataset.mostBytes);
let files = [];
let key = once();
let sending = false;
form.noValidate = true; // the sentences are ours
const typed = keepTyped(form);

function refuse(text) {
  part("refused").textContent = text;
  part("refused").hidden = !text;
}

function take(chosen) {
  if (sending) return;
  key = once();
  for (const file of chosen) if (!files.some((each) => each.name === file.name && each.size === file.size)) files.push(file);
  const large = files.find((file) => file.size > mostBytes);
  if (large) refuse(say("refused-large", { size: bytes(large.size), most: bytes(mostBytes) }));
  else if (files.length > mostFiles) refuse(say("refused-many", { count: mostFiles }));
  else refuse("");
  files = files.filter((file) => file.size <= mostBytes).slice(0, mostFiles);
  part("chosen").hidden = files.length === 0;
  part("chosen").replaceChildren(...files.map(line));
}

function line(file) {
  const item = document.createElement("li");
  item.className = "row";
  const name = document.createElement("span");
  name.textContent = `${file.name} · ${bytes(file.size)}`;
  const away = document.createElement("button");
  away.type = "button";
  away.className = "button small end";
  away.textContent = say("take-away");
  away.setAttribute("aria-label", say("take-away-which", { name: file.name }));
  away.addEventListener("click", () => {
    files = files.filter((each) => each !== file);
    take([]);
  });
  item.append(name, away);
  return item;
}

async function send() {
  const requirement = form.elements.requirement.value.trim();
  if (!requirement || files.length === 0) return refuse(say(requirement ? "order-no-file" : "order-empty"));
  refuse("");
  sending = true;
  part("send").disabled = true;
  try {
    part("standing").textContent = say("new-hashing");
    const inputs = { files: await Promise.all(files.map(declared)) };
    const job = await post("analyses", { requirement, inputs }, { key });
    part("sending").hidden = false;
    for (const [place, file] of files.entries()) {
      const { filename, checksum_sha256: sum } = inputs.files[place];
      const input = job.inputs.files.find((each) => each.filename === filename && each.checksum_sha256 === sum) ?? job.inputs.files[place];
      if (input.arrived || !input.upload_url) continue;
      part("standing").textContent = `${file.name}: ${say("new-sending")}`;
      await new Sending(file, async () => input, ({ sent }) => (part("sending").value = sent / file.size)).run();
    }
    await put(`analyses/${job.id}/inputs`, inputs);
    typed.forget();
    location.assign(`/jobs/${job.id}`);
  } catch (error) {
    part("sending").hidden = true;
    part("standing").textContent = "";
    refuse(error instanceof Refused ? error.message : say("failed-unforeseen"));
    if (!(error instanceof Refused)) throw error;
  } finally {
    sending = false;
    part("send").disabled = false;
  }
  return undefined;
}

async function declared(file) {
  return { filename: nameOf(file), checksum_sha256: await sha256(file), size_bytes: file.size };
}

form.elements.files.addEventListener("change", () => take([...form.elements.files.files]));
form.elements.requirement.addEventListener("input", () => (key = once()));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  take([...event.dataTransfer.files]);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!sending) send();
});
addEventListener("beforeunload", (event) => sending && event.preventDefault());
take([...form.elements.files.files]); // chosen before this was loaded

// Recording the screen: what is asked for, the countdown, what is shown of it, and what becomes of it.
import { once } from "../parts/api.js";
import { ask } from "../parts/asking.js";
import { make } from "../parts/elements.js";
import { tellError } from "../parts/messages.js";
import { clock } from "../parts/moments.js";
import { bytes } from "../parts/sizes.js";
import { say } from "../parts/strings.js";
import { lacking, microphone, microphones, Mixer, refusal, typeOf } from "./capturing.js";
import { Delivery } from "./delivering.js";
import { hold, interrupted, KeptRecording, NotKept } from "./keeping.js";
import { Take } from "./take.js";

const COUNTED = 3;
const SECOND_MS = 1000;
const LOOKED_EVERY_MS = 100;

const part = (name) => document.querySelector(`[data-${name}]`);
const form = part("setup");
const { owner } = document.body.dataset;
const states = JSON.parse(document.getElementById("says").textContent);
const title = document.title;

// --- what is shown -----------------------------------------------------------------------------------------------

function show(stage) {
  for (const each of document.querySelectorAll("[data-stage]")) each.hidden = each.dataset.stage !== stage;
}

/** Show the sentence `name` of `region`, or none; `text` is that of "other". */
function says(region, name = null, text = "") {
  for (const each of region.querySelectorAll("[data-says]")) {
    each.hidden = each.dataset.says !== name;
    if (!each.hidden && text) each.textContent = text;
  }
  region.hidden = name === null;
}

const refuse = (name, text) => says(part("refusal"), name, text);

// --- the microphone ----------------------------------------------------------------------------------------------

const choice = form.elements.microphone;
let tried = null; // {mixer, stream}, while it is tried out

/** The id of the chosen one; null where none is wanted. */
const chosen = () => (choice.value === "none" ? null : choice.value === "default" ? "" : choice.value);

async function listMicrophones() {
  const known = new Set([...choice.options].map(({ value }) => value));
  for (const { deviceId, label } of await microphones()) if (!known.has(deviceId)) choice.add(new Option(label, deviceId));
}

async function tryOut() {
  if (tried) return endTrial();
  refuse(null);
  try {
    if (chosen() === null) return undefined;
    const stream = await microphone(chosen());
    const mixer = new Mixer();
    mixer.add(stream, true);
    tried = { stream, mixer };
    part("try").setAttribute("aria-pressed", "true");
    return await listMicrophones();
  } catch (error) {
    return refuse(refusal(error, "microphone"));
  }
}

function endTrial() {
  tried?.stream.getTracks().forEach((each) => each.stop());
  tried?.mixer.close();
  tried = null;
  part("try").setAttribute("aria-pressed", "false");
  part("level=try").value = 0;
}

async function tryAgain() {
  part("try").disabled = choice.value === "none";
  if (!tried) return;
  endTrial();
  await tryOut();
}

// --- one recording -----------------------------------------------------------------------------------------------

let take = null;

const hint = (name) => says(part("hint"), name);

/** What a recording under way tells. */
const told = {
  hint,
  sent: (text) => (part("facts").textContent = text),
  looks({ recorder: { elapsed }, isPaused, level }) {
    part("elapsed-time").textContent = clock(elapsed);
    part("level=recording").value = level;
    document.title = `${isPaused ? "❚❚" : "●"} ${clock(elapsed)} · ${title}`;
  },
  over({ kept, delivery, release }, reason) {
    document.title = title;
    return look(kept, delivery, release, reason);
  },
};

/** What the form says of the job, at the moment that a recording begins. */
function ordered(sound) {
  const { project, project_name: name, language, model_profile: profile } = form.elements;
  const wanted = { language: sound ? language.value || null : "zxx" };
  if (profile) wanted.model_profile = profile.value;
  const begun = new Date();
  const two = (number) => String(number).padStart(2, "0");
  const day = `${begun.getFullYear()}-${two(begun.getMonth() + 1)}-${two(begun.getDate())}`;
  return {
    id: once(),
    owner,
    name: say("record-name-default", { day, time: `${two(begun.getHours())}.${two(begun.getMinutes())}` }),
    type: typeOf().split(";")[0],
    project: project.value,
    projectName: name.value.trim() || say("new-project-name-default"),
    wanted,
    key: once(),
    job: null,
    begun: begun.getTime(),
    ms: 0,
    dropped: 0,
  };
}

async function begin() {
  refuse(null);
  endTrial();
  part("start").disabled = true;
  take = new Take(told, Number(form.dataset.most));
  try {
    const refused = await take.open(form.elements.sound.checked, chosen());
    if (refused) refuse(refused);
    if (refused || !(await counted())) return back();
    await take.start(ordered(take.hasSound));
  } catch (error) {
    console.error(error);
    refuse(error instanceof DOMException ? "storage-none" : "broken");
    return back();
  }
  navigator.storage?.persist?.().catch(() => {});
  hint(null);
  part("facts").textContent = "";
  stateIs("on");
  show("recording");
  part("stop").focus();
  return undefined;
}

/** To where it began; what was given is given back. */
function back() {
  take?.close();
  take = null;
  part("start").disabled = false;
  show("setup");
  part("start").focus();
}

/** Count down. Answers false where that was broken off. */
async function counted() {
  show("countdown");
  part("cancel").focus();
  const stopped = new Promise((resolve) => (take.cancelled = () => resolve(true)));
  for (let left = COUNTED; left > 0; left--) {
    part("count").textContent = String(left);
    if (await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, SECOND_MS))])) return false;
  }
  return true;
}

function stateIs(name) {
  part("state").textContent = states[name];
  part("told").textContent = states[name];
  part("state").dataset.tone = name === "on" ? "bad" : "warn";
  part("pause").hidden = name !== "on";
  part("resume").hidden = name === "on";
}

// --- what becomes of it ------------------------------------------------------------------------------------------

let looked = null; // {kept, delivery, release}: what is looked at

async function look(kept, delivery, release, reason = null) {
  looked = { kept, delivery, release };
  if (kept.size === 0) {
    await settle(() => delivery.discard());
    return refuse("nothing");
  }
  says(part("ended"), reason ?? (delivery.failed ? "unsent" : null));
  part("name").value = kept.record.name;
  const isShown = kept.isWhole && (await preview(kept));
  part("preview").hidden = !isShown;
  part("partly").hidden = isShown;
  for (const each of ["use", "discard"]) part(each).disabled = false;
  part("sending").hidden = true;
  show("preview");
  part("preview-heading").focus();
  return undefined;
}

/** Show what is kept. Answers false where it is not. */
async function preview(kept) {
  const video = part("preview");
  URL.revokeObjectURL(video.src);
  const file = await kept.whole().catch(() => null);
  if (!file) return false;
  video.src = URL.createObjectURL(file);
  // how long it is stands nowhere in it: a player finds that out by going to the end
  video.addEventListener("loadedmetadata", () => {
    if (video.duration !== Infinity) return;
    video.addEventListener("durationchange", () => (video.currentTime = 0), { once: true });
    video.currentTime = Number.MAX_SAFE_INTEGER;
  }, { once: true });
  return true;
}

/** Do `work` with what is looked at, and then look at nothing. */
async function settle(work) {
  await work();
  URL.revokeObjectURL(part("preview").src);
  part("preview").removeAttribute("src");
  looked.release();
  looked = take = null;
  part("start").disabled = lacking() !== null;
  show("setup");
}

async function use() {
  const { kept, delivery, release } = looked;
  for (const each of ["use", "discard"]) part(each).disabled = true;
  part("preview").pause();
  part("sending").hidden = false;
  delivery.told = ({ sent, waiting }) => {
    if (sent === undefined) return;
    part("sending-progress").value = sent / kept.size;
    part("sending-words").textContent = waiting ? say("new-waiting") : say("new-sending");
  };
  part("sending-words").textContent = say("new-sending");
  try {
    const job = await delivery.finish(part("name").value.trim() || kept.record.name);
    looked = take = null;
    release();
    location.assign(`/jobs/${job}`);
  } catch (error) {
    for (const each of ["use", "discard"]) part(each).disabled = false;
    part("sending").hidden = true;
    if (error instanceof NotKept) refuse("gone");
    else if (error.code) refuse("other", error.message);
    else throw error;
  }
}

const isSure = () => ask({ title: say("record-discard-sure"), text: say("record-discard-means"), yes: say("record-discard-it"), danger: true });

async function discard() {
  if (!(await isSure())) return;
  await settle(() => looked.delivery.discard().catch(tellError)); // here it is gone
  part("start").focus();
}

// --- what was interrupted ----------------------------------------------------------------------------------------

async function showLeft() {
  const left = await interrupted(owner);
  for (const record of left.filter(({ thrown }) => thrown)) new Delivery(new KeptRecording(record), () => {}).discard().catch(() => {});
  const offered = left.filter(({ thrown }) => !thrown);
  part("left").hidden = offered.length === 0;
  part("left-list").replaceChildren(...offered.map(offer));
}

function offer(record) {
  const named = { name: record.name, time: clock(record.ms) };
  const act = (doing) => async () => {
    const release = await hold(record.id);
    if (release && !looked && !take) await doing(await KeptRecording.opened(record), release).catch(tellError);
    else release?.();
    await showLeft();
  };
  const open = act(async (kept, release) => look(kept, new Delivery(kept, () => {}), release));
  const drop = act(async (kept, release) => {
    if (await isSure()) await new Delivery(kept, () => {}).discard();
    release();
  });
  return make(
    "li",
    { class: "left" },
    make("span", {}, say("record-interrupted", named)),
    make("span", { class: "end" }, make("button", { type: "button", class: "button small primary", onclick: open }, say("record-look")), make("button", { type: "button", class: "button small", onclick: drop }, say("record-discard-it"))),
  );
}

// --- what is pressed ---------------------------------------------------------------------------------------------

const press = (name, work) => part(name).addEventListener("click", () => Promise.resolve(work()).catch(tellError));
press("try", tryOut);
press("cancel", () => take?.cancelled());
press("stop", () => take?.stop());
press("use", use);
press("discard", discard);
press("pause", () => {
  take.pause();
  stateIs("paused");
  part("resume").focus();
});
press("resume", () => {
  take.resume();
  stateIs("on");
  part("pause").focus();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  begin().catch(tellError);
});
choice.addEventListener("change", () => tryAgain().catch(tellError));
form.elements.project.addEventListener("change", () => {
  part("project-name").hidden = form.elements.project.value !== "";
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !take?.recorder) take?.cancelled?.();
});
addEventListener("beforeunload", (event) => {
  if (take || looked) event.preventDefault();
});
setInterval(() => {
  if (tried) part("level=try").value = tried.mixer.level;
}, LOOKED_EVERY_MS);

const lack = lacking();
if (lack) {
  refuse(lack);
  for (const each of ["start", "try"]) part(each).disabled = true;
}
if (lack !== "insecure" && lack !== "unable") {
  listMicrophones();
  showLeft().catch(tellError);
}

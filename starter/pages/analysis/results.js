// The plan of an analysis: answered, changed, confirmed, run. What is being typed is not drawn over.
import { Steps } from "./steps.js";
import "./answer.js";
import { patch, post, Refused } from "../parts/api.js";
import { tell, tellError } from "../parts/messages.js";
import { renew } from "../parts/renewing.js";
import { say } from "../parts/strings.js";

const body = document.querySelector("[data-job]");
const id = body.dataset.job;
const plan = () => body.querySelector("[data-plan]");
const version = () => Number(plan().dataset.version);
let typing = null;

body.addEventListener("input", (event) => {
  const form = event.target.closest("[data-plan] form");
  if (!form || typing === form) return;
  typing = form;
  plan().setAttribute("hx-morph-skip", ""); // until it is sent
});

const show = () => renew(body, location.pathname).then(sayThem);

async function change(work, told) {
  const trouble = plan().querySelector("[data-trouble]");
  trouble.hidden = true;
  try {
    await work();
    done();
    if (told) tell(told, "good");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.code === "JOB_VERSION_CONFLICT") {
      done();
      tell(say("plan-changed-elsewhere"));
    } else {
      trouble.textContent = error.message;
      trouble.hidden = false;
      return;
    }
  }
  await show();
}

function done() {
  endEditing();
  typing = null;
  plan().removeAttribute("hx-morph-skip");
}

// A choice and words of one's own are one answer.
body.addEventListener("change", (event) => {
  if (event.target.matches("[data-answers] input[type=radio]")) {
    const other = event.target.closest("fieldset").querySelector("[data-other]");
    if (other) other.value = "";
  }
});

body.addEventListener("input", (event) => {
  if (!event.target.matches("[data-other]") || !event.target.value) return;
  for (const choice of event.target.closest("fieldset").querySelectorAll("input[type=radio]")) choice.checked = false;
});

body.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-plan] form");
  if (!form) return;
  event.preventDefault();
  const given = new FormData(form);
  if (form.matches("[data-answers]")) {
    // what was written in stands behind the choices of its question, and goes before them
    const answers = Object.fromEntries([...given].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
    change(() => patch(`analyses/${id}/draft`, { version: version(), answers }), say("plan-answered")).catch(tellError);
  } else if (form.matches("[data-requirement]")) {
    change(() => patch(`analyses/${id}/draft`, { version: version(), requirement: given.get("requirement").trim() })).catch(tellError);
  } else {
    let steps;
    try {
      steps = editing && !writtenAsJson ? editing.steps : JSON.parse(given.get("steps"));
    } catch {
      tell(say("plan-no-json"), "bad");
      return;
    }
    change(() => patch(`analyses/${id}/draft`, { version: version(), steps }), say("plan-saved")).catch(tellError);
  }
});

body.addEventListener("click", (event) => {
  const press = (name, work, told) => event.target.closest(`[data-${name}]`) && change(work, told).catch(tellError);
  press("confirm", () => post(`analyses/${id}/confirm`, { version: version() }), say("plan-confirmed"));
  press("run", () => post(`analyses/${id}/run`));
  press("again", () => post(`analyses/${id}/draft`));
});

// --- the steps, said and changed

let editing = null;
let writtenAsJson = false; // the JSON was typed in last
const facts = () => JSON.parse(document.getElementById("steps-facts").textContent);

function sayThem() {
  const said = document.getElementById("steps-facts") && body.querySelector("[data-steps-said]");
  if (said) new Steps(said, facts());
}

function startEditing() {
  const form = body.querySelector("[data-steps]");
  writtenAsJson = false;
  const written = form.elements.steps;
  const changed = () => {
    writtenAsJson = false;
    written.value = JSON.stringify(editing?.steps ?? [], null, 2);
    plan().setAttribute("hx-morph-skip", "");
    typing = form;
  };
  editing = new Steps(form.querySelector("[data-steps-edited]"), facts(), { edit: true, changed });
  swap(form, true);
  form.querySelector("input, select").focus();
}

function swap(form, edited) {
  form.hidden = !edited;
  body.querySelector("[data-steps-said]").hidden = edited;
  body.querySelector("[data-edit]").hidden = edited;
}

function endEditing() {
  editing = null;
  const form = body.querySelector("[data-steps]");
  if (form) swap(form, false);
}

body.addEventListener("input", ({ target }) => {
  if (target.matches("[data-steps] textarea")) writtenAsJson = true;
});

body.addEventListener("click", ({ target }) => {
  if (target.closest("[data-edit]")) startEditing();
  else if (target.closest("[data-edit-end]")) {
    done();
    show();
    body.querySelector("[data-edit]").focus();
  }
});

body.addEventListener("job:shown", sayThem);
sayThem();

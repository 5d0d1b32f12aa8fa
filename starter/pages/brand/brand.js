// A project's brand: what is chosen shows at once, as its readers get it, and counts once it is saved.
import { get, put, remove } from "../parts/api.js";
import { tell, tellError } from "../parts/messages.js";
import { say } from "../parts/strings.js";

const SETTLED_MS = 350;
const form = document.querySelector("[data-brand]");
const project = `projects/${form.dataset.brand}`;
const figures = document.querySelector("[data-figures]");
const frames = document.querySelector("[data-frames]");
const shown = document.querySelector("[data-logo-shown]");
const gone = document.querySelector("[data-logo-gone]");
const file = document.querySelector("[data-logo]");
const sections = document.querySelector("[data-sections]");
let timer;
let asking;
let count = 0;

const chosen = () => new URLSearchParams(new FormData(form));
const way = () => document.querySelector("[name=way]:checked").value;

/** Show how it looks: a fresh frame takes the place of the one before once it is there, so that nothing flickers and
 * the browser's Back leads out of the page. */
function look() {
  const frame = document.createElement("iframe");
  frame.name = `brand-${++count}`;
  frame.title = frames.dataset.frames;
  frame.className = way() === "dark" ? "dark" : "light";
  frame.setAttribute("sandbox", "");
  frames.append(frame);
  const sent = document.createElement("form");
  Object.assign(sent, { method: "post", action: `/${project}/brand/preview`, target: frame.name, hidden: true });
  for (const [name, value] of [...chosen(), ["as", way() === "paper" ? "paper" : "page"]]) {
    const field = document.createElement("textarea"); // which keeps line breaks
    field.name = name;
    field.value = value;
    sent.append(field);
  }
  document.body.append(sent);
  frame.addEventListener("load", () => {
    while (frame.previousElementSibling) frame.previousElementSibling.remove();
  });
  sent.submit();
  sent.remove();
}

/** Ask whether it may be so, and show it then. What may not be leaves standing what was shown. */
async function weigh() {
  asking?.abort();
  asking = new AbortController();
  if (form.elements.saved) return look();
  try {
    const answer = await fetch(`/${project}/brand/figures`, { method: "POST", body: chosen(), signal: asking.signal });
    if (!answer.ok && answer.status !== 400) return; // the next change asks again; saving tells what is wrong
    figures.replaceChildren(document.createRange().createContextualFragment(await answer.text())); // ours: drawn and escaped by the server
    if (answer.ok) look();
  } catch (error) {
    if (error.name !== "AbortError") tellError(error);
  }
}

function changed() {
  clearTimeout(timer);
  timer = setTimeout(weigh, SETTLED_MS);
}

form.addEventListener("input", ({ target }) => {
  const { picks } = target.dataset;
  if (picks) form.querySelector(`#${picks}`).value = target.value;
  const picker = target.id && form.querySelector(`[data-picks="${target.id}"]`);
  if (picker && /^#[0-9a-f]{6}$/i.test(target.value)) picker.value = target.value;
  if (target !== file) changed();
});

for (const each of document.querySelectorAll("[name=way]")) each.addEventListener("change", look);

// --- the template's sections: one list, with the guide itself among them

const part = (item, name) => item.querySelector(`[name=section_${name}]`);
const items = () => [...sections.querySelectorAll("[data-section]")];

/** What they say, without those in which nothing is written. */
function written() {
  const all = items().map((item) => ({ place: part(item, "place").value, heading: part(item, "heading").value, text: part(item, "text").value }));
  return all.filter(({ heading, text }) => `${heading}${text}`.trim());
}

/** Have each know whether it stands before the guide or after it, and where it can go. */
function arrange() {
  const middle = sections.querySelector("[data-middle]");
  for (const item of items()) {
    const isBefore = item.compareDocumentPosition(middle) & Node.DOCUMENT_POSITION_FOLLOWING;
    part(item, "place").value = isBefore ? "before" : "after";
    for (const button of item.querySelectorAll("[data-move]"))
      button.disabled = !(button.dataset.move === "up" ? item.previousElementSibling : item.nextElementSibling);
  }
  for (const button of document.querySelectorAll("[data-add]")) button.disabled = items().length >= Number(sections.dataset.sections);
}

form.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-add], [data-move], [data-remove]");
  if (!button) return;
  const item = button.closest("[data-section]");
  const { add, move } = button.dataset;
  if (add) {
    const fresh = document.querySelector(`[data-fresh=${add}]`).content.cloneNode(true).firstElementChild;
    if (add === "before") sections.querySelector("[data-middle]").before(fresh);
    else sections.append(fresh);
    part(fresh, "heading").focus();
  } else if (move) {
    if (move === "up") item.previousElementSibling.before(item);
    else item.nextElementSibling.after(item);
  } else {
    const next = item.nextElementSibling ?? item.previousElementSibling;
    item.remove(); // and with it what had the focus
    (next.querySelector("[data-remove]") ?? document.querySelector("[data-add]")).focus();
  }
  arrange();
  if (move) (button.disabled ? item.querySelector("[data-move]:enabled") : button).focus();
  changed();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = Object.fromEntries([...chosen()].filter(([name]) => !name.startsWith("section_")));
  given.sections = written();
  for (const name of ["accent", "on_accent", "font"]) given[name] = given[name].trim() || null;
  try {
    await put(`${project}/brand`, given);
    tell(say("brand-saved-now"), "good");
  } catch (error) {
    tellError(error);
  }
});

file?.addEventListener("change", async () => {
  const [picture] = file.files;
  if (!picture) return;
  try {
    if (picture.size > 1024 * Number(file.dataset.logo)) throw new Error(say("brand-logo-large", { size: file.dataset.logo }));
    await put(`${project}/brand/logo`, { data: await encoded(picture) });
    const { data } = await get(`${project}/brand/logo`);
    showLogo(`data:image/png;base64,${data}`);
    tell(say("brand-logo-saved"), "good");
  } catch (error) {
    tellError(error);
  }
  file.value = "";
});

document.querySelector("[data-logo-remove]")?.addEventListener("click", async () => {
  try {
    await remove(`${project}/brand/logo`);
    showLogo("");
    file.focus(); // the button that was pressed is gone
  } catch (error) {
    tellError(error);
  }
});

function showLogo(address) {
  shown.querySelector("img").src = address;
  shown.hidden = gone.hidden = !address;
  look();
}

function encoded(picture) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(picture);
  });
}

arrange();
look();

// A new batch: which recordings, and what is to be made of each.
import { make } from "../parts/elements.js";
import { clock } from "../parts/moments.js";
import { OrderForm } from "../kinds/order_form.js";
import { say } from "../parts/strings.js";
import { msOf } from "./timing.js";

const form = document.querySelector("[data-order]");
if (form) start();

function start() {
  const ranges = form.querySelector("[data-ranges]");
  const player = form.querySelector("[data-player]");
  const type = () => form.elements.job_type.value;
  const boxes = () => [...form.querySelectorAll("[name=recording]")];
  const chosen = () => boxes().filter((each) => each.checked && !each.disabled);
  const spans = () => [...ranges.children].map((line) => ({ start_ms: msOf(line.querySelector("[data-from]").value), end_ms: msOf(line.querySelector("[data-to]").value) }));
  const items = () => chosen().length * (type() === "clips" ? ranges.children.length : 1);

  function show() {
    for (const each of form.querySelectorAll("[data-fields]")) each.hidden = each.disabled = each.dataset.fields !== type();
    for (const each of boxes()) {
      const lacks = type() === "captions" && each.dataset.transcript === "no";
      each.disabled = lacks;
      each.closest("li").querySelector("[data-no-transcript]").hidden = !lacks;
    }
    form.querySelector("[data-total]").textContent = say("batch-total", { count: items() });
    showPlayer();
  }

  function showPlayer() {
    const first = type() === "clips" ? chosen()[0] : undefined;
    player.hidden = !first;
    const address = first ? `/jobs/${first.value}/recording` : "";
    if (first && player.getAttribute("src") !== address) player.src = address;
    if (!first) player.pause();
    for (const each of ranges.querySelectorAll("[data-here]")) each.hidden = !first;
  }

  function line() {
    const time = (name) => make("input", { [`data-${name}`]: true, inputmode: "numeric", autocomplete: "off", placeholder: "0:00", "aria-describedby": "ranges-hint" });
    const here = (name, field) => make("button", { type: "button", class: "button small quiet", "data-here": true, onclick: () => take(field) }, say(`batch-here-${name}`));
    const from = time("from");
    const to = time("to");
    const remove = make("button", { type: "button", class: "button small quiet", "data-remove": true }, "×");
    const made = make("li", { class: "range" }, from, here("from", from), make("span", { "aria-hidden": "true" }, "–"), to, here("to", to), remove);
    remove.addEventListener("click", () => {
      const next = made.nextElementSibling ?? made.previousElementSibling;
      made.remove();
      number();
      (next?.querySelector("[data-from]") ?? form.querySelector("[data-add-range]")).focus();
      form.dispatchEvent(new Event("input"));
    });
    return made;
  }

  function take(field) {
    field.value = clock(1000 * player.currentTime);
    form.dispatchEvent(new Event("input"));
  }

  function number() {
    [...ranges.children].forEach((made, place) => {
      made.querySelector("[data-from]").setAttribute("aria-label", say("batch-from", { number: place + 1 }));
      made.querySelector("[data-to]").setAttribute("aria-label", say("batch-to", { number: place + 1 }));
      made.querySelector("[data-remove]").setAttribute("aria-label", say("batch-remove", { number: place + 1 }));
      made.querySelector("[data-remove]").hidden = ranges.children.length === 1;
    });
    show();
  }

  function add() {
    ranges.append(line());
    number();
  }

  function refusal() {
    if (chosen().length === 0) return say("batch-no-recording");
    if (type() === "captions" && !form.querySelector("[name=format]:checked")) return say("batch-no-format");
    if (type() === "clips") {
      for (const [place, { start_ms: from, end_ms: to }] of spans().entries()) {
        const name = Number.isNaN(from) || Number.isNaN(to) ? "batch-range-time" : from >= to ? "batch-range-order" : "";
        if (!name) continue;
        ranges.children[place].querySelector(Number.isNaN(from) ? "[data-from]" : "[data-to]").focus();
        return say(name, { number: place + 1 });
      }
    }
    const most = Number(form.dataset.mostItems);
    return items() > most ? say("batch-too-many", { count: items(), most }) : "";
  }

  function order() {
    const inputs = chosen().map((each) => ({ job_id: each.value }));
    const { stills, width } = form.elements;
    const more = {
      clips: () => ({ ranges: spans() }),
      thumbnails: () => ({ stills: stills.valueAsNumber, width: width.valueAsNumber }),
      captions: () => ({ formats: [...form.querySelectorAll("[name=format]:checked")].map((each) => each.value) }),
    };
    return { path: "jobs", body: { job_type: type(), parameters: { inputs, ...more[type()]() } } };
  }

  form.querySelector("[data-add-range]").addEventListener("click", () => {
    add();
    ranges.lastElementChild.querySelector("[data-from]").focus();
    form.dispatchEvent(new Event("input"));
  });
  form.querySelector("[data-narrow]")?.addEventListener("input", ({ target }) => {
    for (const each of form.querySelectorAll("[data-words]")) each.hidden = !each.dataset.words.includes(target.value.trim().toLowerCase());
  });
  form.addEventListener("change", show);
  new OrderForm(form, { refusal, order });
  add();
}

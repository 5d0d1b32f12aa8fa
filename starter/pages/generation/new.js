// A new generation: the fields are those of the type that is chosen.
import { filled, OrderForm } from "../kinds/order_form.js";
import { say } from "../parts/strings.js";

const PATHS = { copy: "copy", scrape: "scrape", static_ad: "static-ad", ugc_video: "video", tts: "tts" };
const form = document.querySelector("[data-order]");
const chosen = () => form.querySelector("[name=type]:checked");
const fields = () => form.querySelector(`[data-fields=${chosen().value}]`);
const price = () => Number(chosen().dataset.price);
let asked = {};

function show() {
  for (const each of form.querySelectorAll("[data-fields]")) each.hidden = each.disabled = each.dataset.fields !== chosen().value;
  form.querySelector("[data-cost-words]").textContent = say("cost-is", { count: price() });
}

/** What is written as `name = value`, a line each; the line that is not, as `fault`. */
function settings(text) {
  const params = {};
  for (const line of text.split("\n").map((each) => each.trim()).filter(Boolean)) {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(line) ?? [];
    if (!name?.trim()) return { fault: line };
    params[name.trim()] = valueOf(value.trim());
  }
  return { params };
}

function valueOf(text) {
  if (text === "true" || text === "false") return text === "true";
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function refusal() {
  asked = {};
  for (const field of fields().elements) {
    if (field.name === "params") {
      const { params, fault } = settings(field.value);
      if (fault !== undefined) return say("order-params", { line: fault });
      asked.params = params;
    } else if (field.name) asked[field.name] = field.type === "number" ? field.valueAsNumber : field.value.trim();
  }
  return "";
}

form.addEventListener("change", show);
new OrderForm(form, { refusal, price, order: () => ({ path: `generate/${PATHS[chosen().value]}`, body: filled(asked) }) });
show();

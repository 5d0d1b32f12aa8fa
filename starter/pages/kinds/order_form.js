// A form that makes a job: refused here where that can be told, sent once however often it is pressed, then followed.
import { get, once, post, Refused } from "../parts/api.js";
import { say } from "../parts/strings.js";
import { shortcut } from "../parts/shortcuts.js";
import { keepTyped } from "../parts/typed.js";

export class OrderForm {
  /**
   * @param {HTMLFormElement} form
   * @param {{refusal?: () => string, price?: () => number, order: () => {path: string, body: object}}} kind `refusal`:
   *   why it cannot be sent, or nothing; `price`: credits
   */
  constructor(form, { refusal = () => "", price = () => Number(form.dataset.price ?? 0), order }) {
    Object.assign(this, { form, refusal, price, order });
    this.available = Number(form.dataset.available ?? 0);
    this.button = form.querySelector("[data-send]");
    this.notice = form.querySelector("[data-refused]");
    this.key = once();
    form.noValidate = true; // the sentences are ours
    form.addEventListener("input", () => {
      this.key = once(); // another order
      this.refuse("");
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    addEventListener("pageshow", () => this.busy(false)); // back from the job's page
    shortcut("mod+Enter", say("shortcut-send"), () => form.requestSubmit());
    for (const field of form.querySelectorAll("[data-most]")) counted(field, form);
    this.typed = keepTyped(form);
  }

  async send() {
    if (this.sending) return;
    const refusal = firstFault(this.form) || this.refusal();
    this.refuse(refusal);
    if (refusal) return;
    this.busy(true);
    try {
      if (await this.isShort()) return;
      const { path, body } = this.order();
      const job = await post(path, body, { key: this.key });
      this.typed.forget();
      location.assign(`/jobs/${job.id}`);
    } catch (error) {
      this.busy(false);
      if (!(error instanceof Refused)) throw error;
      if (error.code === "INSUFFICIENT_CREDITS") this.short(error.details.cost, error.details.balance);
      else this.refuse(error.message);
    }
  }

  /** Whether it costs more than there is; what has been given since the page came counts. */
  async isShort() {
    const cost = this.price();
    if (cost <= this.available) return false;
    ({ available: this.available } = await get("credits"));
    if (cost <= this.available) return false;
    this.busy(false);
    this.short(cost, this.available);
    return true;
  }

  short(cost, available) {
    this.refuse(say("credits-short", { cost, available }));
  }

  refuse(text) {
    this.notice.textContent = text;
    this.notice.hidden = !text;
  }

  busy(is) {
    this.sending = is;
    this.button.disabled = is;
    this.button.classList.toggle("busy", is);
  }
}

/** Count what is left to type under a field. */
function counted(field, form) {
  const words = form.querySelector(`[data-count-of="${field.id}"]`);
  if (!field.id || !words) return;
  const most = Number(field.dataset.most);
  field.addEventListener("input", () => {
    const left = most - lengthOf(field.value);
    words.textContent = left === most ? say("characters-at-most", { most }) : left >= 0 ? say("characters-left", { count: left }) : say("characters-over", { count: -left });
    words.classList.toggle("over", left < 0);
  });
}

/** As the server counts: characters, not what UTF-16 makes of them. */
const lengthOf = (text) => [...text.trim()].length;

/** What is wrong with the first field that is; it gets the focus. */
function firstFault(form) {
  let first = "";
  for (const field of form.elements) {
    const fault = field.matches("input, textarea, select") && !field.matches(":disabled") ? faultOf(field) : "";
    if (fault) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    if (fault && !first) {
      first = fault;
      field.focus();
    }
  }
  return first;
}

function faultOf(field) {
  if (field.required && !field.value.trim()) return say("order-empty");
  const over = field.dataset.most ? lengthOf(field.value) - Number(field.dataset.most) : 0;
  if (over > 0) return say("characters-over", { count: over });
  if (field.type === "number" && !field.checkValidity()) return say("order-number", { name: nameOf(field), least: field.min, most: field.max });
  if (field.type === "url" && !field.checkValidity()) return say("order-url");
  return "";
}

const nameOf = (field) => field.labels[0]?.querySelector("span")?.textContent ?? field.name;

/** An object without what was left empty. */
export const filled = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== null));
